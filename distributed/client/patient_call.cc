// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/client/patient_call.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "leat/core/threads/mutex.h"
#include "leat/core/threads/notice_times.h"
#include "leat/distributed/transport/call_errors.h"

namespace leat {
namespace {

// Returns "CreateSession" for "/tensorflow.MasterService/CreateSession".
absl::string_view NameOf(const Method& method) {
  const absl::string_view path = method.path;
  return path.substr(path.rfind('/') + 1);
}

std::string Text(std::chrono::nanoseconds time) {
  return absl::FormatDuration(absl::FromChrono(time));
}

// Returns why a task has not answered `method`. `health` is the result of a
// call that asked the task for its health.
std::string Reason(const std::string& address, const Method& method,
                   const absl::Status& health) {
  if (absl::IsDeadlineExceeded(health) && IsTransportError(health)) {
    return absl::StrCat(address, " accepts connections, but does not answer");
  }
  if (IsTransportError(health)) return std::string(health.message());
  // Any answer from the task, even an error, shows that the task can be
  // reached.
  return absl::StrCat(address, " can be reached, but has not answered ",
                      NameOf(method),
                      "; it may wait for other tasks of its cluster");
}

// Keeps a task's answers to two calls: the call for which CallPatiently waits,
// and the call that asks for the task's health. Is thread-safe. The two calls
// share the ownership of this object.
class Answers : public std::enable_shared_from_this<Answers> {
 public:
  Answers(Transport& transport, const std::string& address,
          const Method& method)
      : transport_(transport), address_(address), method_(method) {}

  // Begins the call for which CallPatiently waits.
  void Call(Payload request, CallOptions options) {
    transport_.Call(address_, method_, std::move(request), std::move(options),
                    [self = shared_from_this()](auto answer) {
                      self->Set(std::move(answer));
                    });
  }

  // Asks for the health of the task, unless such a call is under way.
  void Look(Clock::time_point deadline) {
    {
      MutexLock lock(mutex_);
      if (std::exchange(is_looking_, true)) return;
    }
    transport_.Call(
        address_, methods::kHealthCheck, {},
        {.deadline = deadline, .cancellation = end_of_looks_},
        [self = shared_from_this()](const absl::StatusOr<Payload>& answer) {
          self->See(answer.status());
        });
  }
  // Cancels the call that asks for the health of the task.
  void StopLooking() {
    end_of_looks_->Cancel(absl::CancelledError("the wait has ended"));
  }

  // Waits until `time` for the answer. Returns nullopt if no answer has come.
  std::optional<absl::StatusOr<Payload>> WaitUntil(Clock& clock,
                                                   Clock::time_point time) {
    MutexLock lock(mutex_);
    while (!answer_.has_value()) {
      if (!clock.WaitUntil(answered_, mutex_, time)) break;
    }
    return std::exchange(answer_, std::nullopt);
  }

  // Returns the most recent reason why there is no answer.
  std::string Why() {
    MutexLock lock(mutex_);
    return why_;
  }

 private:
  void Set(absl::StatusOr<Payload> answer) {
    MutexLock lock(mutex_);
    answer_ = std::move(answer);
    answered_.NotifyAll();
  }

  void See(const absl::Status& health) {
    std::string why = Reason(address_, method_, health);
    MutexLock lock(mutex_);
    is_looking_ = false;
    if (!absl::IsCancelled(health)) why_ = std::move(why);
  }

  Transport& transport_;
  const std::string address_;
  const Method& method_;
  const std::shared_ptr<Cancellation> end_of_looks_ =
      std::make_shared<Cancellation>();

  Mutex mutex_;
  CondVar answered_;
  std::optional<absl::StatusOr<Payload>> answer_ ABSL_GUARDED_BY(mutex_);
  bool is_looking_ ABSL_GUARDED_BY(mutex_) = false;
  std::string why_ ABSL_GUARDED_BY(mutex_) = absl::StrCat(address_,
                                                          " has not answered");
};

// Waits for the answer. Meanwhile asks for the task's health and calls
// `wait.on_waiting`.
absl::StatusOr<Payload> Wait(Answers& answers, const ConnectWait& wait,
                             Clock& clock) {
  const Clock::time_point begin = clock.Now();
  const Clock::time_point deadline = clock.After(wait.timeout);
  NoticeTimes notices(begin);
  Clock::time_point next_look =
      begin + std::min(wait.first_look, wait.timeout / 2);
  for (;;) {
    auto answer = answers.WaitUntil(clock, std::min(next_look, notices.next()));
    if (answer.has_value()) return *std::move(answer);
    const Clock::time_point now = clock.Now();
    if (now >= next_look) {
      answers.Look(clock.After(wait.look_timeout));
      next_look = now + wait.look_interval;
    }
    if (now < notices.next()) continue;
    notices.Pass();
    if (wait.on_waiting == nullptr || now >= deadline) continue;
    const auto left = std::chrono::round<std::chrono::seconds>(deadline - now);
    wait.on_waiting(
        absl::StrCat("the client is waiting for an answer: ", answers.Why(),
                     "; it is still trying for ", Text(left)));
  }
}

}  // namespace

absl::StatusOr<Payload> CallPatiently(Transport& transport,
                                      const std::string& address,
                                      const Method& method, Payload request,
                                      const ConnectWait& wait) {
  Clock& clock = transport.clock();
  const auto answers = std::make_shared<Answers>(transport, address, method);
  answers->Call(std::move(request), {.deadline = clock.After(wait.timeout),
                                     .cancellation = wait.cancellation,
                                     .wait_for_ready = true});
  absl::StatusOr<Payload> answer = Wait(*answers, wait, clock);
  answers->StopLooking();
  // A DEADLINE_EXCEEDED with the transport's payload means that this call has
  // timed out. A DEADLINE_EXCEEDED without this payload is an answer: a task
  // has reported that another task is silent.
  if (!absl::IsDeadlineExceeded(answer.status()) ||
      !IsTransportError(answer.status())) {
    return answer;
  }
  return absl::UnavailableError(absl::StrCat(
      "the client gave up after ", Text(wait.timeout), ": ", answers->Why()));
}

}  // namespace leat
