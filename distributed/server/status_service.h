// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// StatusService serves the status of a task for people (protos/status.proto,
// methods::kTaskStatus). It collects the status from the parts of the task, and
// locks each part only for microseconds. It answers on the transport's thread,
// so it works even when all other threads are busy.
#ifndef LEAT_DISTRIBUTED_SERVER_STATUS_SERVICE_H_
#define LEAT_DISTRIBUTED_SERVER_STATUS_SERVICE_H_

#include <functional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "leat/core/threads/clock.h"
#include "leat/distributed/transport/transport.h"
#include "leat/distributed/wire/methods.h"
#include "leat/distributed/wire/payload.h"

namespace leat {

class DeviceSet;
class Master;
class MemorySweeper;
class Peers;
class Worker;

// Is thread-safe. The only state of the service is the time at which it was
// made, from which it counts the uptime. Its answers have only shortened
// session handles and step ids (shown_status.h), so that the reader of a status
// cannot use the sessions and steps.
class StatusService {
 public:
  // Holds the sources of the status. Pointers are borrowed and must outlive
  // this.
  struct Sources {
    // Is the name of this task.
    std::string task = {};
    std::string version = {};  // of the program
    const DeviceSet* devices = nullptr;
    const Worker* worker = nullptr;
    const Master* master = nullptr;
    const Peers* peers = nullptr;
    const MemorySweeper* sweeper = nullptr;
    std::function<ConnectionCounts()> connections = {};
    Clock* clock = nullptr;  // of the transport
  };

  explicit StatusService(Sources sources);
  StatusService(const StatusService&) = delete;
  StatusService& operator=(const StatusService&) = delete;

  // Adds the service's method, whose handler borrows this.
  void AddMethods(MethodTable& methods);

 private:
  // Returns the status. Returns INVALID_ARGUMENT if `request` is not a
  // TaskStatusRequest.
  absl::StatusOr<Payload> GetStatus(const Payload& request) const;

  const Sources sources_;
  const Clock::time_point started_;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_SERVER_STATUS_SERVICE_H_
