// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/transport/grpc/heartbeat.h"

#include <chrono>
#include <utility>

#include "leat/distributed/transport/call_errors.h"
#include "leat/distributed/transport/grpc/settings.h"

namespace leat {
namespace {

constexpr std::chrono::milliseconds kInterval(kKeepaliveMs);
constexpr std::chrono::milliseconds kPingTimeout(kKeepaliveTimeoutMs);

// True if the question timed out. What the peer itself said is an answer.
bool IsNoAnswer(const absl::Status& answer) {
  return absl::IsDeadlineExceeded(answer) && IsTransportError(answer);
}

}  // namespace

Heartbeat::Heartbeat(Ask ask, Silent silent, grpc::CompletionQueue& queue)
    : ask_(std::move(ask)), silent_(std::move(silent)), queue_(queue) {}

void Heartbeat::Add(const std::shared_ptr<OpenClientCall>& call) {
  calls_.Add(call);
  Beat();
}

void Heartbeat::Start() {
  {
    MutexLock lock(mutex_);
    if (state_ == State::kNew) state_ = State::kStarted;
  }
  Beat();
}

void Heartbeat::Beat() {
  MutexLock lock(mutex_);
  if (!is_beating_ && GoesOn()) SetAlarm();
}

void Heartbeat::SetAlarm() {
  ++num_alarms_;
  self_ = shared_from_this();
  alarm_.emplace();
  alarm_->Set(&queue_, std::chrono::system_clock::now() + kInterval,
              &alarm_end_);
}

bool Heartbeat::GoesOn() {
  is_beating_ = state_ == State::kStarted && !calls_.empty();
  return is_beating_;
}

void Heartbeat::EndAlarm(bool) {
  const std::shared_ptr<Heartbeat> self = shared_from_this();
  bool goes_on = false;
  {
    MutexLock lock(mutex_);
    goes_on = GoesOn();
  }
  if (goes_on) {
    ask_(methods::kHealthCheck,
         {.deadline = std::chrono::steady_clock::now() + kPingTimeout},
         [self](const absl::StatusOr<Payload>& answer) {
           self->Hear(answer.status());
         });
  }
  MutexLock lock(mutex_);
  if (--num_alarms_ == 0) self_ = nullptr;
  alarm_ended_.NotifyAll();
}

void Heartbeat::Hear(const absl::Status& answer) {
  if (IsNoAnswer(answer)) {
    silent_();
    calls_.LoseAll();
  }
  MutexLock lock(mutex_);
  if (GoesOn()) SetAlarm();
}

void Heartbeat::Stop() {
  MutexLock lock(mutex_);
  state_ = State::kStopped;
  if (alarm_.has_value()) alarm_->Cancel();
  while (num_alarms_ > 0) alarm_ended_.Wait(mutex_);
}

}  // namespace leat
