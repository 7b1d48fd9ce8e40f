// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// Tasks: the tasks of a cluster as a master calls them: Peers, or what a test
// puts in its place. Thread-safe.
#ifndef LEAT_DISTRIBUTED_TASKS_H_
#define LEAT_DISTRIBUTED_TASKS_H_

#include <utility>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/distributed/peers.h"
#include "leat/distributed/transport.h"

namespace leat {

class Tasks {
 public:
  using StatusDone = absl::AnyInvocable<void(absl::StatusOr<PeerStatus>) &&>;

  virtual ~Tasks() = default;

  // As Peers::Call and Peers::GetStatus.
  virtual void Call(absl::string_view task, const Method& method,
                    Payload request, CallOptions options, Reply done) = 0;
  virtual void GetStatus(absl::string_view task, CallOptions options,
                         StatusDone done) = 0;
};

// `peers` is borrowed.
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

#endif  // LEAT_DISTRIBUTED_TASKS_H_
