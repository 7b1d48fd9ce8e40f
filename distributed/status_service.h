// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// StatusService: what a task tells of itself to people (protos/status.proto,
// methods::kTaskStatus). It asks the task's parts, each of which is locked for
// microseconds, and answers on the thread of the transport: also when all
// others are busy. Thread-safe.
#ifndef LEAT_DISTRIBUTED_STATUS_SERVICE_H_
#define LEAT_DISTRIBUTED_STATUS_SERVICE_H_

#include <chrono>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "leat/distributed/methods.h"
#include "leat/distributed/payload.h"

namespace leat {

class DeviceSet;
class Master;
class Peers;
class Worker;

class StatusService {
 public:
  // All borrowed, outlive this.
  struct Sources {
    std::string task = {};
    std::string version = {};  // for people
    const DeviceSet* devices = nullptr;
    const Worker* worker = nullptr;
    const Master* master = nullptr;
    const Peers* peers = nullptr;
  };

  explicit StatusService(Sources sources) : sources_(std::move(sources)) {}
  StatusService(const StatusService&) = delete;
  StatusService& operator=(const StatusService&) = delete;

  // They borrow this.
  void AddMethods(MethodTable& methods);

 private:
  // INVALID_ARGUMENT for what is no TaskStatusRequest.
  absl::StatusOr<Payload> GetStatus(const Payload& request) const;

  const Sources sources_;
  const std::chrono::steady_clock::time_point started_ =
      std::chrono::steady_clock::now();
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_STATUS_SERVICE_H_
