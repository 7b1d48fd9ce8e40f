// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/transport/heartbeat.h"

#include <utility>

#include "leat/distributed/transport/call_errors.h"

namespace leat {
namespace {

// Returns true if the health check timed out. An error that the peer itself
// sent is an answer.
bool IsNoAnswer(const absl::Status& answer) {
  return absl::IsDeadlineExceeded(answer) && IsTransportError(answer);
}

}  // namespace

Heartbeat::Heartbeat(Ask ask, Silent silent, const ConnectionTimes& times,
                     TimerQueue& timers)
    : ask_(std::move(ask)),
      silent_(std::move(silent)),
      times_(times),
      timers_(timers) {}

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

void Heartbeat::Stop() {
  MutexLock lock(mutex_);
  state_ = State::kStopped;
}

void Heartbeat::Beat() {
  MutexLock lock(mutex_);
  if (!is_beating_ && GoesOn()) SetTimer();
}

void Heartbeat::SetTimer() {
  timers_.After(times_.ping_interval, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->AskNow();
  });
}

bool Heartbeat::GoesOn() {
  is_beating_ = state_ == State::kStarted && !calls_.empty();
  return is_beating_;
}

void Heartbeat::AskNow() {
  {
    MutexLock lock(mutex_);
    if (!GoesOn()) return;
  }
  ask_(methods::kHealthCheck,
       {.deadline = timers_.clock().After(times_.ping_timeout)},
       [self = shared_from_this()](const absl::StatusOr<Payload>& answer) {
         self->Hear(answer.status());
       });
}

void Heartbeat::Hear(const absl::Status& answer) {
  if (IsNoAnswer(answer)) {
    silent_();
    calls_.LoseAll();
  }
  MutexLock lock(mutex_);
  if (GoesOn()) SetTimer();
}

}  // namespace leat
