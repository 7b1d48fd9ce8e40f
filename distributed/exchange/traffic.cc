// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/exchange/traffic.h"

#include <algorithm>

#include "leat/distributed/transport/call_errors.h"

namespace leat {
namespace {

constexpr size_t kMaxErrorBytes = 500;

}  // namespace

void PeerTraffic::CountCall(const Payload& request) {
  calls_.fetch_add(1, std::memory_order_relaxed);
  bytes_sent_.fetch_add(MessageBytes(request), std::memory_order_relaxed);
}

void PeerTraffic::CountReply(const absl::StatusOr<Payload>& reply) {
  replies_.fetch_add(1, std::memory_order_relaxed);
  if (reply.ok()) {
    bytes_received_.fetch_add(MessageBytes(*reply), std::memory_order_relaxed);
  } else if (IsTransportError(reply.status())) {
    // Only UNAVAILABLE and DEADLINE_EXCEEDED show that the peer is unreachable.
    // Other errors of the transport say nothing about the peer. For example,
    // this task may have cancelled the call.
    if (IsUnreachable(reply.status())) {
      MutexLock lock(mutex_);
      error_ = std::string(reply.status().message().substr(0, kMaxErrorBytes));
      state_.store(State::kUnreachable, std::memory_order_relaxed);
    }
    return;
  }
  state_.store(State::kReachable, std::memory_order_relaxed);
  heard_.store(clock_.Now().time_since_epoch().count(),
               std::memory_order_relaxed);
}

void PeerTraffic::CountServed(int64_t bytes_received, int64_t bytes_sent) {
  served_.fetch_add(1, std::memory_order_relaxed);
  bytes_received_.fetch_add(bytes_received, std::memory_order_relaxed);
  bytes_sent_.fetch_add(bytes_sent, std::memory_order_relaxed);
}

PeerTraffic::Totals PeerTraffic::totals() const {
  Totals totals;
  totals.kind = kind_.load(std::memory_order_relaxed);
  totals.state = state_.load(std::memory_order_relaxed);
  const int64_t replies = replies_.load(std::memory_order_relaxed);
  totals.calls = calls_.load(std::memory_order_relaxed);
  totals.calls_under_way = std::max<int64_t>(0, totals.calls - replies);
  totals.calls_served = served_.load(std::memory_order_relaxed);
  totals.bytes_sent = bytes_sent_.load(std::memory_order_relaxed);
  totals.bytes_received = bytes_received_.load(std::memory_order_relaxed);
  const Clock::duration::rep heard = heard_.load(std::memory_order_relaxed);
  if (heard != 0) {
    totals.heard = clock_.Now().time_since_epoch() - Clock::duration(heard);
  }
  if (totals.state == State::kUnreachable) {
    MutexLock lock(mutex_);
    totals.error = error_;
  }
  return totals;
}

Traffic::Traffic(const ClusterSpec& cluster, Clock& clock)
    : others_(clock), recvs_(clock) {
  for (const TaskId& task : cluster.Tasks()) {
    peers_.emplace(task.ToString(), std::make_unique<PeerTraffic>(clock));
  }
}

PeerTraffic& Traffic::Of(absl::string_view task) {
  const auto found = peers_.find(task);
  return found == peers_.end() ? others_ : *found->second;
}

}  // namespace leat
