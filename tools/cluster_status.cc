// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/cluster_status.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "google/protobuf/message_lite.h"
#include "leat/core/devices/device_name.h"
#include "leat/core/threads/mutex.h"
#include "leat/distributed/cluster/address.h"
#include "leat/distributed/wire/methods.h"
#include "leat/protos/worker.pb.h"

namespace leat {
namespace {

// Lets a thread wait for answers that come on other threads. Is thread-safe.
class WaitingAnswers {
 public:
  explicit WaitingAnswers(std::vector<std::string> addresses)
      : addresses_(std::move(addresses)),
        answers_(addresses_.size()),
        num_missing_(addresses_.size()) {}

  // Stores the answer from the address with the index `place`.
  void Set(size_t place, absl::StatusOr<Payload> answer) {
    MutexLock lock(mutex_);
    answers_[place] = std::move(answer);
    if (--num_missing_ == 0) all_came_.NotifyAll();
  }
  // Waits for all answers. Returns false if some have not come by `time`.
  bool WaitUntil(Clock& clock, Clock::time_point time) {
    MutexLock lock(mutex_);
    while (num_missing_ > 0) {
      if (!clock.WaitUntil(all_came_, mutex_, time)) break;
    }
    return num_missing_ == 0;
  }
  // Returns the answers. REQUIRES: all have come.
  std::vector<absl::StatusOr<Payload>> Take() {
    MutexLock lock(mutex_);
    std::vector<absl::StatusOr<Payload>> answers;
    for (auto& answer : answers_) answers.push_back(*std::move(answer));
    return answers;
  }
  // Returns the addresses that have not answered.
  std::vector<std::string> Missing() {
    MutexLock lock(mutex_);
    std::vector<std::string> missing;
    for (size_t i = 0; i < addresses_.size(); ++i) {
      if (!answers_[i].has_value()) missing.push_back(addresses_[i]);
    }
    return missing;
  }

 private:
  const std::vector<std::string> addresses_;
  Mutex mutex_;
  CondVar all_came_;
  // Is indexed by place. An answer that has not come is nullopt.
  std::vector<std::optional<absl::StatusOr<Payload>>> answers_
      ABSL_GUARDED_BY(mutex_);
  size_t num_missing_ ABSL_GUARDED_BY(mutex_);
};

// Returns the first few addresses and the number of the others.
std::string Some(const std::vector<std::string>& addresses) {
  constexpr size_t kShown = 3;
  if (addresses.size() <= kShown) return absl::StrJoin(addresses, ", ");
  return absl::StrCat(
      absl::StrJoin(addresses.begin(), addresses.begin() + kShown, ", "),
      " and ", addresses.size() - kShown, " more");
}

template <class Response>
absl::Status Parse(const absl::StatusOr<Payload>& answer, Response& response) {
  if (!answer.ok()) return answer.status();
  if (response.ParseFromString(answer->header)) return absl::OkStatus();
  return absl::InternalError(
      "the server there is not a task, or a task of an unknown version");
}

// Returns the name of the task of the devices, such as
// "/job:ps/replica:0/task:0".
std::string TaskOfDevices(const pb::GetStatusResponse& status) {
  if (status.device_attributes().empty()) return "";
  const std::string& device = status.device_attributes(0).name();
  return device.substr(0, device.rfind("/device:"));
}

// Notes that `task` has answered. If no task is expected, expects `task`. If
// another task is expected, sets the status of `reading` to an error. Does
// nothing if `task` is "".
void SetTask(const std::string& task, TaskReading& reading) {
  if (task.empty()) return;
  if (reading.task.empty()) reading.task = task;
  if (reading.task == task) return;
  reading.status = absl::FailedPreconditionError(absl::StrCat(
      task, " answers at ", reading.address, ", which the cluster says is ",
      reading.task, "; correct the address of one of them"));
}

bool IsBefore(const TaskReading& a, const TaskReading& b) {
  const auto x = DeviceName::Parse(a.task);
  const auto y = DeviceName::Parse(b.task);
  if (!x.ok() || !y.ok()) return a.task < b.task;
  return std::make_tuple(x->job.value_or(""), x->task.value_or(0), a.address) <
         std::make_tuple(y->job.value_or(""), y->task.value_or(0), b.address);
}

}  // namespace

size_t ClusterReading::num_unreachable() const {
  return static_cast<size_t>(
      std::count_if(tasks.begin(), tasks.end(),
                    [](const TaskReading& task) { return !task.status.ok(); }));
}

ClusterStatus::Answers ClusterStatus::CallAll(
    const std::vector<std::string>& addresses, const Method& method,
    const google::protobuf::MessageLite& request, NoticeTimes& notices,
    Clock::time_point deadline) {
  const auto waiting = std::make_shared<WaitingAnswers>(addresses);
  for (size_t i = 0; i < addresses.size(); ++i) {
    transport_.Call(
        addresses[i], method, Payload{.header = request.SerializeAsString()},
        {.deadline = deadline}, [waiting, i](absl::StatusOr<Payload> answer) {
          waiting->Set(i, std::move(answer));
        });
  }
  while (!waiting->WaitUntil(transport_.clock(), notices.next())) {
    notices.Pass();
    if (options_.on_waiting == nullptr) continue;
    options_.on_waiting(
        absl::StrCat("this command is waiting for the status of ",
                     Some(waiting->Missing()), "; each task has ",
                     absl::FormatDuration(absl::FromChrono(options_.timeout)),
                     " to answer (--timeout)"));
  }
  return waiting->Take();
}

void ClusterStatus::Ask(Readings& readings) {
  const Clock::time_point deadline = transport_.clock().After(options_.timeout);
  NoticeTimes notices(transport_.clock().Now());
  std::vector<std::string> addresses;
  for (const auto& [address, task] : asked_) {
    if (readings.contains(address)) continue;
    TaskReading& reading = readings[address];
    reading.task = task;
    reading.address = address;
    if (HasFreePort(address)) {
      reading.status = absl::UnavailableError(
          "the cluster does not say at which port it is, because it chose a "
          "free one; ask it at the address that it printed");
    } else {
      addresses.push_back(address);
    }
  }
  pb::TaskStatusRequest request;
  request.set_min_age_us(
      std::chrono::duration_cast<std::chrono::microseconds>(options_.min_age)
          .count());
  const Answers answers =
      CallAll(addresses, methods::kTaskStatus, request, notices, deadline);
  std::vector<std::string> others;  // perhaps tasks of TensorFlow
  for (size_t i = 0; i < addresses.size(); ++i) {
    TaskReading& reading = readings[addresses[i]];
    reading.status = Parse(answers[i], reading.report);
    reading.is_leat = reading.status.ok();
    if (reading.is_leat) SetTask(reading.report.task(), reading);
    if (absl::IsUnimplemented(reading.status)) others.push_back(addresses[i]);
  }
  const Answers more = CallAll(others, methods::kGetStatus,
                               pb::GetStatusRequest(), notices, deadline);
  for (size_t i = 0; i < others.size(); ++i) {
    TaskReading& reading = readings[others[i]];
    pb::GetStatusResponse status;
    reading.status = Parse(more[i], status);
    if (!reading.status.ok()) continue;
    SetTask(TaskOfDevices(status), reading);
    *reading.report.mutable_devices() = status.device_attributes();
  }
}

void ClusterStatus::Learn(const TaskReading& reading) {
  if (!reading.status.ok()) return;
  asked_[reading.address] = reading.task;
  for (const pb::PeerTrafficStatus& peer : reading.report.peers()) {
    if (peer.task().empty() || asked_.contains(peer.address()) ||
        !CheckAddress(peer.address()).ok()) {
      continue;
    }
    auto& known = asked_.size() < options_.max_tasks ? asked_ : unasked_;
    known[peer.address()] = peer.task();
  }
}

absl::StatusOr<ClusterReading> ClusterStatus::Read() {
  Readings readings;
  Ask(readings);
  const TaskReading& first = readings[address_];
  if (!first.status.ok() && !has_answered_) {
    // Errors of the transport begin with the address.
    absl::string_view why = first.status.message();
    const char* const subject =
        absl::ConsumePrefix(&why, absl::StrCat(address_, " ")) ? "it " : "";
    return absl::Status(
        first.status.code(),
        absl::StrCat("there is no status of ", address_, ": ", subject, why));
  }
  has_answered_ = true;
  // Adds the other tasks of the cluster, which the first task has reported, and
  // asks them.
  Learn(first);
  Ask(readings);
  ClusterReading reading;
  reading.num_unasked = unasked_.size();
  for (auto& [address, task] : readings) {
    reading.tasks.push_back(std::move(task));
  }
  std::sort(reading.tasks.begin(), reading.tasks.end(), IsBefore);
  return reading;
}

}  // namespace leat
