// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ClusterStatus: asks one task of a cluster who the others are, and all of them
// how they are. Used by one thread.
#ifndef LEAT_TOOLS_CLUSTER_STATUS_H_
#define LEAT_TOOLS_CLUSTER_STATUS_H_

#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/distributed/transport.h"
#include "leat/protos/status.pb.h"

namespace leat {

struct TaskReading {
  std::string task = {};  // "" of one of TensorFlow's that has no devices
  std::string address = {};
  absl::Status status = {};  // why it did not answer
  bool is_leat = false;
  // Of a task of TensorFlow: its devices.
  pb::TaskStatusResponse report = {};
};

struct ClusterReading {
  // By job and index.
  std::vector<TaskReading> tasks = {};
  // That were too many to be asked.
  size_t num_unasked = 0;

  size_t num_unreachable() const;
};

struct ClusterStatusOptions {
  // Of each answer. Twice as long for the first reading.
  std::chrono::nanoseconds timeout = std::chrono::seconds(2);
  // Of the steps and Recvs that are listed.
  std::chrono::nanoseconds min_age = std::chrono::seconds(1);
  size_t max_tasks = 1000;
};

class ClusterStatus {
 public:
  // `transport` is borrowed.
  ClusterStatus(Transport& transport, std::string address,
                const ClusterStatusOptions& options)
      : transport_(transport), address_(std::move(address)), options_(options) {
    asked_[address_] = "";
  }

  // Now. Fails, naming the address, when nobody answers there and it never did;
  // every other task that does not answer is part of the reading. Those that
  // were seen once are asked again each time.
  absl::StatusOr<ClusterReading> Read();

 private:
  using Readings = std::map<std::string, TaskReading>;  // by address

  // Asks those of them that have not been, all at once.
  void Ask(Readings& readings);
  // Who else is there, as an answer has it.
  void Learn(const TaskReading& reading);

  Transport& transport_;
  const std::string address_;
  const ClusterStatusOptions options_;
  // Task by address.
  std::map<std::string, std::string> asked_;
  std::map<std::string, std::string> unasked_;
  bool has_answered_ = false;
};

}  // namespace leat

#endif  // LEAT_TOOLS_CLUSTER_STATUS_H_
