// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tasks: the tasks of a cluster, as a master calls them. It is an interface, so
// that a server can call its own task directly (server_tasks.h), can cancel
// calls when it stops (stoppable_tasks.h), and tests can stand in for tasks.
#ifndef LEAT_DISTRIBUTED_TASKS_TASKS_H_
#define LEAT_DISTRIBUTED_TASKS_TASKS_H_

#include <utility>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/distributed/exchange/peers.h"
#include "leat/distributed/transport/transport.h"

namespace leat {

// Calls tasks by their names, such as "/job:ps/replica:0/task:0".
// Implementations are thread-safe. They must outlive the calls that are begun
// through them.
class Tasks {
 public:
  using StatusDone = absl::AnyInvocable<void(absl::StatusOr<PeerStatus>) &&>;

  virtual ~Tasks() = default;

  // Does what Peers::Call does, and fails as it does. Calls `done` exactly
  // once, on any thread, perhaps this one.
  virtual void Call(absl::string_view task, const Method& method,
                    Payload request, CallOptions options, Reply done) = 0;
  // Does what Peers::GetStatus does, and fails as it does. Calls `done` exactly
  // once, on any thread, perhaps this one.
  virtual void GetStatus(absl::string_view task, CallOptions options,
                         StatusDone done) = 0;
};

// Calls every task as a peer, also the own one. Thread-safe. `peers` is
// borrowed and must outlive this.
class PeerTasks final : public Tasks {
 public:
  explicit PeerTasks(Peers& peers) : peers_(peers) {}

  void Call(absl::string_view task, const Method& method, Payload request,
            CallOptions options, Reply done) override {
    peers_.Call(task, method, std::move(request), std::move(options),
                std::move(done));
  }
  void GetStatus(absl::string_view task, CallOptions options,
                 StatusDone done) override {
    peers_.GetStatus(task, std::move(options), std::move(done));
  }

 private:
  Peers& peers_;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_TASKS_TASKS_H_
