// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/cluster_status.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "google/protobuf/message_lite.h"
#include "leat/core/devices/device_name.h"
#include "leat/core/threads/clock.h"
#include "leat/core/threads/mutex.h"
#include "leat/distributed/cluster/address.h"
#include "leat/distributed/tasks/fan_out.h"
#include "leat/distributed/wire/methods.h"
#include "leat/protos/worker.pb.h"

namespace leat {
namespace {

using Answers = std::vector<absl::StatusOr<Payload>>;

// Lets a thread wait for answers that come on other threads.
class WaitingAnswers {
 public:
  void Set(Answers answers) {
    MutexLock lock(mutex_);
    answers_ = std::move(answers);
    set_.NotifyAll();
  }
  Answers Wait() {
    MutexLock lock(mutex_);
    while (!answers_.has_value()) set_.Wait(mutex_);
    return *std::move(answers_);
  }

 private:
  Mutex mutex_;
  CondVar set_;
  std::optional<Answers> answers_ ABSL_GUARDED_BY(mutex_);
};

// Calls all addresses and returns their answers, each of which comes by
// `deadline`.
Answers CallAll(Transport& transport, const std::vector<std::string>& addresses,
                const Method& method,
                const google::protobuf::MessageLite& request,
                Clock::time_point deadline) {
  const auto waiting = std::make_shared<WaitingAnswers>();
  std::vector<Gather<Payload>::Result> results = Gather<Payload>::Make(
      addresses.size(),
      [waiting](Answers answers) { waiting->Set(std::move(answers)); });
  for (size_t i = 0; i < addresses.size(); ++i) {
    transport.Call(addresses[i], method,
                   Payload{.header = request.SerializeAsString()},
                   {.deadline = deadline}, std::move(results[i]));
  }
  return waiting->Wait();
}

template <class Response>
absl::Status Parse(const absl::StatusOr<Payload>& answer, Response& response) {
  if (!answer.ok()) return answer.status();
  if (response.ParseFromString(answer->header)) return absl::OkStatus();
  return absl::InternalError("the answer is no status of a task");
}

// Returns the task of the devices: "/job:ps/replica:0/task:0".
std::string TaskOfDevices(const pb::GetStatusResponse& status) {
  if (status.device_attributes().empty()) return "";
  const std::string& device = status.device_attributes(0).name();
  return device.substr(0, device.rfind("/device:"));
}

// Notes which task has answered. It is an error if another one was expected.
void SetTask(const std::string& task, TaskReading& reading) {
  if (task.empty()) return;
  if (reading.task.empty()) reading.task = task;
  if (reading.task == task) return;
  reading.status = absl::FailedPreconditionError(absl::StrCat(
      "at ", reading.address, " answers ", task, ": the address is wrong"));
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

void ClusterStatus::Ask(Readings& readings) {
  const Clock::time_point deadline = DeadlineAfter(options_.timeout);
  std::vector<std::string> addresses;
  for (const auto& [address, task] : asked_) {
    if (readings.contains(address)) continue;
    TaskReading& reading = readings[address];
    reading.task = task;
    reading.address = address;
    if (HasFreePort(address)) {
      reading.status = absl::UnavailableError(
          "the cluster does not say at which port it is");
    } else {
      addresses.push_back(address);
    }
  }
  pb::TaskStatusRequest request;
  request.set_min_age_us(
      std::chrono::duration_cast<std::chrono::microseconds>(options_.min_age)
          .count());
  const Answers answers =
      CallAll(transport_, addresses, methods::kTaskStatus, request, deadline);
  std::vector<std::string> others;  // perhaps tasks of TensorFlow
  for (size_t i = 0; i < addresses.size(); ++i) {
    TaskReading& reading = readings[addresses[i]];
    reading.status = Parse(answers[i], reading.report);
    reading.is_leat = reading.status.ok();
    if (reading.is_leat) SetTask(reading.report.task(), reading);
    if (absl::IsUnimplemented(reading.status)) others.push_back(addresses[i]);
  }
  const Answers more = CallAll(transport_, others, methods::kGetStatus,
                               pb::GetStatusRequest(), deadline);
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
    return absl::Status(
        first.status.code(),
        absl::StrCat("no status of ", address_, ": ", first.status.message()));
  }
  has_answered_ = true;
  // The task that was named knows its cluster. The other tasks are those it
  // tells.
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
