// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ClusterStatus reads the status of a cluster. It asks one task which other
// tasks there are, and then asks all of them.
#ifndef LEAT_TOOLS_CLUSTER_STATUS_H_
#define LEAT_TOOLS_CLUSTER_STATUS_H_

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/threads/clock.h"
#include "leat/core/threads/notice_times.h"
#include "leat/distributed/transport/transport.h"
#include "leat/distributed/wire/methods.h"
#include "leat/distributed/wire/payload.h"
#include "leat/protos/status.pb.h"

namespace google::protobuf {
class MessageLite;
}  // namespace google::protobuf

namespace leat {

// Holds the status of one task.
struct TaskReading {
  // Is the name of the task, as the task itself or another task has reported
  // it. The name is "" if the first task that is asked is a task of TensorFlow
  // and has no devices.
  std::string task = {};
  std::string address = {};
  // Is OK if the task has answered. Otherwise says why there is no status of
  // this task: it did not answer, another task answered at its address, or the
  // port of its address is 0.
  absl::Status status = {};
  // Is true if the task has answered and is a task of Leat, not of TensorFlow.
  bool is_leat = false;
  // Is the report of the task. A task of TensorFlow reports its devices only.
  pb::TaskStatusResponse report = {};
};

// Holds the status of all tasks at about the same time.
struct ClusterReading {
  // Is sorted by job and index.
  std::vector<TaskReading> tasks = {};
  // Is the number of tasks that were not asked, because there were too many.
  size_t num_unasked = 0;

  // Returns the number of tasks with a `status` that is not OK.
  size_t num_unreachable() const;
};

// Holds the options of a ClusterStatus.
struct ClusterStatusOptions {
  // Limits the time for each answer. The first reading may take twice as long,
  // because the first task must answer before the other tasks are known.
  std::chrono::nanoseconds timeout = std::chrono::seconds(2);
  // Steps and waiting Recvs that are younger than this are not listed.
  std::chrono::nanoseconds min_age = std::chrono::seconds(1);
  // Limits the number of tasks that are asked. The other tasks are only
  // counted.
  size_t max_tasks = 1000;
  // Is called at the NoticeTimes (core/threads/notice_times.h) of each wait for
  // answers, on the thread that calls Read. `message` is a sentence that names
  // the addresses that have not answered. May be null.
  std::function<void(absl::string_view message)> on_waiting = {};
};

// Is not thread-safe.
class ClusterStatus {
 public:
  // `address` is the address of the task that is asked first. `transport` is
  // borrowed and must outlive this.
  ClusterStatus(Transport& transport, std::string address,
                const ClusterStatusOptions& options)
      : transport_(transport), address_(std::move(address)), options_(options) {
    asked_[address_] = "";
  }

  // Asks all tasks now. Returns an error that names the address if the first
  // task does not answer and has never answered before. In all other cases, the
  // reading has the error of each task that does not answer. A task that one
  // call has found is asked again by every later call.
  absl::StatusOr<ClusterReading> Read();

 private:
  using Answers = std::vector<absl::StatusOr<Payload>>;
  using Readings = std::map<std::string, TaskReading>;  // by address

  // Calls all addresses and returns their answers. A call without an answer
  // fails at `deadline`.
  Answers CallAll(const std::vector<std::string>& addresses,
                  const Method& method,
                  const google::protobuf::MessageLite& request,
                  NoticeTimes& notices, Clock::time_point deadline);
  // Asks the tasks of `asked_` that `readings` does not have yet, all at the
  // same time.
  void Ask(Readings& readings);
  // Adds the tasks that `reading` lists to `asked_`. If `asked_` has
  // `max_tasks` tasks already, adds them to `unasked_`.
  void Learn(const TaskReading& reading);

  Transport& transport_;
  const std::string address_;
  const ClusterStatusOptions options_;
  // Holds the names of the tasks that are asked, and of the tasks that are not
  // asked because there are too many. The keys are addresses.
  std::map<std::string, std::string> asked_;
  std::map<std::string, std::string> unasked_;
  // Is true if the first task has answered at least once.
  bool has_answered_ = false;
};

}  // namespace leat

#endif  // LEAT_TOOLS_CLUSTER_STATUS_H_
