// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/status_rates.h"

namespace leat {
namespace {

// Returns the reading of the task in `reading`, or null if there is none.
const TaskReading* Find(const ClusterReading& reading,
                        const TaskReading& task) {
  for (const TaskReading& other : reading.tasks) {
    if (other.address == task.address) return &other;
  }
  return nullptr;
}

// Returns the session with the handle, or null if there is none. Handles are
// shortened, so two sessions may have the same handle. In that case, returns
// null.
template <class Sessions>
const typename Sessions::value_type* Find(const Sessions& sessions,
                                          const std::string& handle) {
  const typename Sessions::value_type* found = nullptr;
  for (const auto& session : sessions) {
    if (session.handle() != handle) continue;
    if (found != nullptr) return nullptr;
    found = &session;
  }
  return found;
}

}  // namespace

int64_t StepsDone(const pb::StepTotals& steps) {
  return steps.succeeded() + steps.failed();
}

StatusRates::StatusRates(const TaskReading& now, const ClusterReading* before)
    : now_(now.report) {
  if (before == nullptr || !now.status.ok() || !now.is_leat) return;
  const TaskReading* const task = Find(*before, now);
  if (task == nullptr || !task->status.ok() || !task->is_leat ||
      task->report.incarnation() != now_.incarnation() ||
      task->report.uptime_us() >= now_.uptime_us()) {
    return;
  }
  before_ = &task->report;
  seconds_ = static_cast<double>(now_.uptime_us() - before_->uptime_us()) / 1e6;
}

std::optional<double> StatusRates::Rate(int64_t now, int64_t before) const {
  if (now < before) return std::nullopt;
  return static_cast<double>(now - before) / seconds_;
}

std::optional<double> StatusRates::Steps() const {
  if (before_ == nullptr) return std::nullopt;
  return Rate(StepsDone(now_.steps()), StepsDone(before_->steps()));
}

std::optional<double> StatusRates::StepsOf(
    const pb::ClientSessionStatus& session) const {
  if (before_ == nullptr) return std::nullopt;
  const auto* const was = Find(before_->client_sessions(), session.handle());
  if (was == nullptr) return std::nullopt;
  return Rate(StepsDone(session.steps()), StepsDone(was->steps()));
}

std::optional<double> StatusRates::StepsOf(
    const pb::WorkerSessionStatus& session) const {
  if (before_ == nullptr) return std::nullopt;
  const auto* const was = Find(before_->worker_sessions(), session.handle());
  if (was == nullptr) return std::nullopt;
  return Rate(StepsDone(session.steps()), StepsDone(was->steps()));
}

std::optional<StatusRates::Bytes> StatusRates::BytesOf(
    const pb::PeerTrafficStatus& peer) const {
  if (before_ == nullptr) return std::nullopt;
  for (const pb::PeerTrafficStatus& was : before_->peers()) {
    if (was.task() != peer.task()) continue;
    const auto sent = Rate(peer.bytes_sent(), was.bytes_sent());
    const auto received = Rate(peer.bytes_received(), was.bytes_received());
    if (!sent.has_value() || !received.has_value()) return std::nullopt;
    return Bytes{.sent = *sent, .received = *received};
  }
  return std::nullopt;
}

}  // namespace leat
