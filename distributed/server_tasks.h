// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// ServerTasks: the tasks of a cluster as the master of one of them calls them:
// its own by a call of the handler, the others as peers. Thread-safe.
#ifndef LEAT_DISTRIBUTED_SERVER_TASKS_H_
#define LEAT_DISTRIBUTED_SERVER_TASKS_H_

#include <string>
#include <utility>

#include "leat/distributed/methods.h"
#include "leat/distributed/tasks.h"

namespace leat {

class ServerTasks final : public Tasks {
 public:
  // `methods` are those of `own_task`. Both are borrowed and outlive this.
  ServerTasks(std::string own_task, const MethodTable& methods, Peers& peers)
      : own_task_(std::move(own_task)), methods_(methods), peers_(peers) {}

  // Of the own task, the handler runs on the caller's thread, and nothing but
  // it ends the call.
  void Call(absl::string_view task, const Method& method, Payload request,
            CallOptions options, Reply done) override;
  void GetStatus(absl::string_view task, CallOptions options,
                 StatusDone done) override;

 private:
  const std::string own_task_;
  const MethodTable& methods_;
  Peers& peers_;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_SERVER_TASKS_H_
