// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Implements how messages travel in simulated time. A receiver asks for its
// tensors, as RemoteRendezvous does, and a message begins when all its tensors
// are there and the sender has heard of it.
#include <algorithm>

#include "leat/partitioner/simulation/engine.h"

namespace leat {

// A _Send gives its tensor to the _Recv, which is dead if the tensor is.
void Engine::SendPart(const ModelNode& send, int32_t iteration, bool is_dead,
                      PackedCause cause, double path) {
  State& recv = StateOf(send.peer, iteration);
  (is_dead ? recv.has_dead_input : recv.has_live_input) = true;
  recv.path = std::max(recv.path, path);
  MessageState& message =
      messages_[step_.messages[send.message].first_run + iteration];
  message.cause = cause;
  message.is_live = message.is_live || !is_dead;
  if (--message.pending == 0) BeginTransfer(send.message, iteration);
}

void Engine::Ask(const ModelNode& recv, int32_t iteration) {
  MessageState& message =
      messages_[step_.messages[recv.message].first_run + iteration];
  message.asked = now_;
  if (--message.pending > 0) return;
  // The tensors were there before. The last thing that the message needed is
  // what the _Recv waited for.
  message.cause = states_[recv.first_run + iteration].cause;
  BeginTransfer(recv.message, iteration);
}

void Engine::BeginTransfer(int32_t index, int32_t iteration) {
  const ModelMessage& message = step_.messages[index];
  const MessageState& state = messages_[message.first_run + iteration];
  if (message.link == ClusterModel::kNoLink || !state.is_live) {
    return EndTransfer(index, iteration, state.cause);
  }
  const LinkModel& link = cluster_.links()[message.link];
  const double weight = step_.loops.loop(message.loop).weight;
  const double latency =
      std::min(link.latency_seconds * weight, kMaxNodeSeconds);
  const double seconds =
      std::min(message.bytes / link.bytes_per_second * weight, kMaxNodeSeconds);
  const auto transfer = static_cast<int32_t>(transfers_.size());
  const LinkLines::Slot slot =
      lines_.Reserve(message.link, message.from, message.to,
                     std::max(now_, state.asked + latency), seconds, transfer);
  const double end = slot.begin + latency + seconds;
  const PackedCause cause =
      slot.previous < 0 ? state.cause : OfTransfer(slot.previous);
  const ModelNode& send = step_.nodes[message.first_send];
  transfers_.push_back({.part = send.part,
                        .send = step_.IdOf(message.first_send),
                        .num_tensors = message.num_sends,
                        .from = message.from,
                        .to = message.to,
                        .bytes = message.bytes,
                        .begin = slot.begin,
                        .end = end,
                        .cause = Unpack(cause)});
  Push({.time = end,
        .kind = Event::Kind::kMessageArrives,
        .subject = index,
        .transfer = transfer,
        .item = {.iteration = iteration}});
}

// The executor lets each _Recv go on in the pool of its host.
void Engine::EndTransfer(int32_t index, int32_t iteration, PackedCause cause) {
  for (const int32_t recv : step_.messages[index].recvs) {
    const ModelNode& node = step_.nodes[recv];
    State& state = StateOf(recv, iteration);
    state.cause = cause;
    const Item item{.node = recv, .iteration = iteration, .ready = now_};
    if (IsDead(node, state)) {
      dead_.push_back(item);
    } else {
      AddToPool(HostOfPart(node.part), item);
    }
  }
  DrainDead();
}

}  // namespace leat
