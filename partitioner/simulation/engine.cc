// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/partitioner/simulation/engine.h"

#include <algorithm>

namespace leat {

Engine::Engine(const ClusterModel& cluster, const StepModel& step)
    : cluster_(cluster),
      step_(step),
      states_(step.num_runs),
      messages_(step.num_message_runs),
      lines_(cluster),
      busy_seconds_(step.device_of.size(), 0) {
  runs_.reserve(step.num_runs);
  for (const HostModel& host : cluster.hosts()) {
    hosts_.push_back({.free_cores = host.cores});
  }
  PrepareStates();
  PrepareServers();
}

void Engine::PrepareStates() {
  for (const ModelNode& node : step_.nodes) {
    if (!node.exists) continue;
    const LoopModel& loop = step_.loops.loop(node.loop);
    for (int32_t i = 0; i < loop.num_iterations; ++i) {
      const bool is_first = i % (loop.simulated_trips + 1) == 0;
      states_[node.first_run + i].pending =
          is_first ? node.num_waits : node.num_later_waits;
    }
  }
  for (const ModelMessage& message : step_.messages) {
    const LoopModel& loop = step_.loops.loop(message.loop);
    for (int32_t i = 0; i < loop.num_iterations; ++i) {
      messages_[message.first_run + i].pending =
          message.num_sends + static_cast<int32_t>(message.recvs.size());
    }
  }
}

void Engine::Run() {
  StartParts();
  while (!events_.empty()) {
    const Event event = events_.top();
    events_.pop();
    now_ = event.time;
    Handle(event);
  }
}

// The roots of a part are one piece of work, except for _Recvs, which begin to
// wait at once.
void Engine::StartParts() {
  for (const ModelNode& node : step_.nodes) {
    if (node.exists && node.role == NodeRole::kRecv && node.num_waits == 0 &&
        node.loop == Loops::kNone) {
      Ask(node, 0);
    }
  }
  for (size_t part = 0; part < step_.device_of.size(); ++part) {
    const auto index = static_cast<int32_t>(part);
    AddToPool(HostOfPart(index), {.node = -1 - index});
  }
}

void Engine::RunRoots(int32_t part) {
  // If the part had to wait for a core, it waited for the run that has just
  // ended.
  const auto cause = static_cast<PackedCause>(runs_.size()) - 1;
  const int32_t begin = step_.first_node[part];
  const int32_t end = static_cast<size_t>(part) + 1 < step_.first_node.size()
                          ? step_.first_node[part + 1]
                          : static_cast<int32_t>(step_.nodes.size());
  for (int32_t i = begin; i < end; ++i) {
    const ModelNode& node = step_.nodes[i];
    if (node.exists && node.num_waits == 0 && node.loop == Loops::kNone &&
        node.role != NodeRole::kRecv) {
      StateOf(i, 0).cause = cause;
      BecomeReady(i, 0);
    }
  }
  DrainDead();
}

void Engine::Handle(const Event& event) {
  switch (event.kind) {
    case Event::Kind::kWorkerEnds: {
      Worker& worker = workers_[event.subject];
      hosts_[worker.host].free_cores += worker.extra_cores;
      const Item item = worker.current;
      current_worker_ = event.subject;
      if (item.node < 0) {
        RunRoots(-1 - item.node);
      } else {
        Finish(item, worker.lane, worker.begin, worker.cause);
      }
      current_worker_ = -1;
      return Continue(event.subject);
    }
    case Event::Kind::kServerEnds: {
      Server& server = servers_[event.subject];
      server.free_lanes.push_back(event.lane);
      Finish(event.item,
             step_.nodes[event.item.node].place == RunPlace::kGpuLink
                 ? -1
                 : event.lane,
             event.begin, event.cause);
      if (!server.queue.empty() && !server.free_lanes.empty()) {
        const Item next = server.queue.front();
        server.queue.pop_front();
        BeginOnServer(event.subject, next);
      }
      return;
    }
    case Event::Kind::kMessageArrives:
      return EndTransfer(event.subject, event.item.iteration,
                         OfTransfer(event.transfer));
  }
}

void Engine::Finish(const Item& item, int32_t lane, double begin,
                    PackedCause cause) {
  const ModelNode& node = step_.nodes[item.node];
  State& state = StateOf(item.node, item.iteration);
  state.rank = static_cast<int32_t>(runs_.size());
  current_run_ = state.rank;
  runs_.push_back({.part = node.part,
                   .node = step_.IdOf(item.node),
                   .iteration = item.iteration,
                   .lane = lane,
                   .begin = begin,
                   .end = now_,
                   .cause = Unpack(cause)});
  if (node.is_in_work) {
    work_seconds_ += node.seconds * node.cores;
    state.path += node.seconds;
  }
  critical_path_seconds_ = std::max(critical_path_seconds_, state.path);
  Propagate(item, /*is_dead=*/false);
  DrainDead();
}

void Engine::Propagate(const Item& item, bool is_dead) {
  const ModelNode& node = step_.nodes[item.node];
  const State& state = StateOf(item.node, item.iteration);
  const PackedCause cause = is_dead ? state.cause : current_run_;
  const double path = state.path;
  const int32_t of_entry = step_.loops.loop(node.loop).simulated_trips + 1;
  const bool turns_again = item.iteration % of_entry != of_entry - 1;
  if (node.role == NodeRole::kSend && node.peer >= 0) {
    SendPart(node, item.iteration, is_dead, cause, path);
  }
  step_.ForEachUse(
      item.node, item.iteration,
      [&](const Use& use, int32_t consumer, int32_t iteration) {
        bool is_use_dead = is_dead;
        if (node.role == NodeRole::kLoopSwitch && use.output >= 0) {
          is_use_dead = is_dead || turns_again == (use.output == 0);
        }
        Arrive(consumer, iteration, use.output >= 0, is_use_dead, cause, path);
      });
}

void Engine::Arrive(int32_t node, int32_t iteration, bool is_data, bool is_dead,
                    PackedCause cause, double path) {
  State& state = StateOf(node, iteration);
  if (is_dead) state.has_dead_input = true;
  // A control edge does not choose the value of a Merge.
  if (is_data && !is_dead) state.has_live_input = true;
  state.path = std::max(state.path, path);
  state.cause = cause;
  if (--state.pending == 0) BecomeReady(node, iteration);
}

bool Engine::IsDead(const ModelNode& node, const State& state) const {
  if (node.never_runs) return true;
  if (node.role == NodeRole::kControlTrigger) return false;
  if (node.role == NodeRole::kMerge) return !state.has_live_input;
  return state.has_dead_input;
}

void Engine::BecomeReady(int32_t index, int32_t iteration) {
  const ModelNode& node = step_.nodes[index];
  const Item item{.node = index, .iteration = iteration, .ready = now_};
  if (node.role == NodeRole::kRecv) return Ask(node, iteration);
  if (IsDead(node, StateOf(index, iteration))) return dead_.push_back(item);
  if (node.place != RunPlace::kHost) return AddToServer(ServerOf(node), item);
  const int32_t host = HostOfPart(node.part);
  if (current_worker_ < 0) return AddToPool(host, item);
  Worker& worker = workers_[current_worker_];
  if (!node.is_expensive) return worker.cheap.push_back(item);
  worker.kept.push_back(item);
  if (worker.kept.size() == 1) return;
  const Item other = worker.kept.front();
  worker.kept.erase(worker.kept.begin());
  AddToPool(host, other);
}

// Takes the dead runs from a list instead of by recursion, because branches may
// be long.
void Engine::DrainDead() {
  if (is_draining_) return;
  is_draining_ = true;
  while (!dead_.empty()) {
    const Item item = dead_.back();
    dead_.pop_back();
    Propagate(item, /*is_dead=*/true);
  }
  is_draining_ = false;
}

int32_t Engine::FindStuckNode() const {
  for (size_t i = 0; i < step_.nodes.size(); ++i) {
    const ModelNode& node = step_.nodes[i];
    if (!node.exists) continue;
    // A node that gets its only input from an Enter runs in the first iteration
    // only. But a loop that turns runs its NextIterations each time.
    const int32_t num_awaited = node.role == NodeRole::kNextIteration
                                    ? step_.loops.loop(node.loop).num_iterations
                                    : 1;
    for (int32_t run = 0; run < num_awaited; ++run) {
      if (states_[node.first_run + run].pending == 0) continue;
      return static_cast<int32_t>(i);
    }
  }
  return -1;
}

Cause Engine::Unpack(PackedCause cause) {
  if (cause >= 0) return {.kind = Cause::Kind::kRun, .index = cause};
  if (cause == kBeginning) return {};
  return {.kind = Cause::Kind::kTransfer, .index = -2 - cause};
}

void Engine::Push(Event event) {
  event.number = num_events_++;
  events_.push(event);
}

}  // namespace leat
