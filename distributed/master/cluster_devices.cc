// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/master/cluster_devices.h"

#include <cstddef>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "leat/core/status_macros.h"
#include "leat/core/status_payloads.h"
#include "leat/core/threads/mutex.h"
#include "leat/distributed/master/session_config.h"
#include "leat/distributed/transport/call_errors.h"

namespace leat {
namespace {

// An Inquiry is one call of GetClusterDevices. The timers and the calls to
// tasks share the ownership of this object.
class Inquiry : public std::enable_shared_from_this<Inquiry> {
 public:
  Inquiry(TaskCaller& tasks, TimerQueue& timers, ClusterDevicesRequest request,
          ClusterDevicesDone done)
      : tasks_(tasks),
        timers_(timers),
        request_(std::move(request)),
        deadline_(timers.clock().After(request_.timeout)),
        done_(std::move(done)) {}
  // Calls `done_` with CANCELLED if all calls and timers were dropped before
  // the end of the inquiry.
  ~Inquiry() {
    if (done_ != nullptr) {
      std::move(done_)(absl::CancelledError("the inquiry was given up"));
    }
  }

  void Start() {
    const absl::Status chosen = ChooseTasks();
    if (!chosen.ok()) return Finish(chosen);
    if (asked_.empty()) return Finish(Result());
    ReportLater();
    for (size_t i = 0; i < asked_.size(); ++i) {
      Ask(i, request_.ask_again.shortest);
    }
  }

 private:
  using Answer = std::optional<absl::StatusOr<PeerStatus>>;

  // Fills `asked_` with the tasks that the filters allow.
  absl::Status ChooseTasks() {
    for (const std::string& task : request_.tasks) {
      if (task == request_.own_task) continue;
      LEAT_ASSIGN_OR_RETURN(const DeviceName name, DeviceName::Parse(task));
      if (IsAllowed(request_.filters, name)) asked_.push_back(task);
    }
    MutexLock lock(mutex_);
    answers_.resize(asked_.size());
    missing_ = asked_.size();
    return absl::OkStatus();
  }

  // Asks a task. If the task cannot be reached, it is asked again after
  // `pause`.
  void Ask(size_t i, std::chrono::nanoseconds pause) {
    tasks_.GetStatus(asked_[i],
                     {.deadline = deadline_,
                      .cancellation = request_.cancellation,
                      .wait_for_ready = true},
                     [self = shared_from_this(), i,
                      pause](absl::StatusOr<PeerStatus> answer) {
                       self->Hear(i, pause, std::move(answer));
                     });
  }

  // Stores the answer of a task, or asks the task again if it could not be
  // reached.
  void Hear(size_t i, std::chrono::nanoseconds pause,
            absl::StatusOr<PeerStatus> answer) {
    const Clock::time_point again = timers_.clock().Now() + pause;
    // A call fails with UNAVAILABLE at once if the task has just been started
    // or stopped.
    if (absl::IsUnavailable(answer.status()) && again < deadline_ &&
        !IsCancelled()) {
      timers_.At(again, [self = shared_from_this(), i, pause] {
        self->Ask(i, self->request_.ask_again.After(pause));
      });
      return;
    }
    TimerQueue::Id report = 0;
    {
      MutexLock lock(mutex_);
      answers_[i] = std::move(answer);
      if (--missing_ > 0) return;
      report = report_;
    }
    timers_.Cancel(report);
    Finish(Result());
  }

  bool IsCancelled() const {
    return request_.cancellation != nullptr &&
           request_.cancellation->IsCancelled();
  }

  void ReportLater() {
    if (request_.on_waiting == nullptr) return;
    MutexLock lock(mutex_);
    if (missing_ == 0) return;
    // The timer must not keep the inquiry alive.
    report_ =
        timers_.After(request_.report_interval, [weak = weak_from_this()] {
          if (const auto self = weak.lock()) self->Report();
        });
  }

  void Report() {
    const std::vector<std::string> waiting = Waiting();
    if (waiting.empty()) return;
    request_.on_waiting(waiting);
    ReportLater();
  }

  std::vector<std::string> Waiting() const {
    MutexLock lock(mutex_);
    std::vector<std::string> waiting;
    for (size_t i = 0; i < asked_.size(); ++i) {
      if (!answers_[i].has_value()) waiting.push_back(asked_[i]);
    }
    return waiting;
  }

  void Finish(absl::StatusOr<ClusterDevices> result) {
    ClusterDevicesDone done = std::move(done_);
    done_ = nullptr;
    std::move(done)(std::move(result));
  }

  // REQUIRES: every task has answered.
  absl::StatusOr<ClusterDevices> Result() const {
    MutexLock lock(mutex_);
    LEAT_RETURN_IF_ERROR(FirstError());
    ClusterDevices result{.devices = request_.own_devices,
                          .tasks = {request_.own_task},
                          .tickets = {0}};
    for (size_t i = 0; i < asked_.size(); ++i) {
      const PeerStatus& answer = **answers_[i];
      result.tasks.push_back(asked_[i]);
      result.tickets.push_back(answer.ticket);
      if (!answer.is_leat) result.foreign_tasks.push_back(asked_[i]);
      for (const DeviceInfo& device : answer.devices) {
        LEAT_ASSIGN_OR_RETURN(const DeviceName name,
                              DeviceName::Parse(device.name));
        if (IsAllowed(request_.filters, name)) result.devices.push_back(device);
      }
    }
    return result;
  }

  absl::Status FirstError() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (IsCancelled()) return request_.cancellation->status();
    std::vector<std::string> lost;
    absl::Status why;
    for (size_t i = 0; i < asked_.size(); ++i) {
      const absl::Status status = answers_[i]->status();
      if (status.ok()) continue;
      if (!IsUnreachable(status)) return WithTask(status, asked_[i]);
      lost.push_back(asked_[i]);
      why.Update(status);
    }
    if (lost.empty()) return absl::OkStatus();
    return absl::UnavailableError(absl::StrCat(
        "no answer came from ", absl::StrJoin(lost, ", "), " within ",
        std::chrono::duration_cast<std::chrono::milliseconds>(request_.timeout)
            .count(),
        "ms: ", why.message()));
  }

  TaskCaller& tasks_;
  TimerQueue& timers_;
  const ClusterDevicesRequest request_;
  const Clock::time_point deadline_;
  std::vector<std::string> asked_;  // constant after Start
  ClusterDevicesDone done_;

  mutable Mutex mutex_;
  std::vector<Answer> answers_ ABSL_GUARDED_BY(mutex_);
  size_t missing_ ABSL_GUARDED_BY(mutex_) = 0;
  TimerQueue::Id report_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace

void GetClusterDevices(TaskCaller& tasks, TimerQueue& timers,
                       ClusterDevicesRequest request, ClusterDevicesDone done) {
  std::make_shared<Inquiry>(tasks, timers, std::move(request), std::move(done))
      ->Start();
}

}  // namespace leat
