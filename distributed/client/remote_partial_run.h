// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// RemotePartialRun is a partial run on a cluster. Each call is a RunStep that
// the master gives to the same step.
#ifndef LEAT_DISTRIBUTED_CLIENT_REMOTE_PARTIAL_RUN_H_
#define LEAT_DISTRIBUTED_CLIENT_REMOTE_PARTIAL_RUN_H_

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/tensor.h"
#include "leat/protos/master.pb.h"
#include "leat/runtime/session.h"

namespace leat {

// Holds the calls of RunStep that a session on a cluster makes. Is thread-safe.
class MasterSteps {
 public:
  virtual ~MasterSteps() = default;

  // Calls RunStep with `feeds`, and returns the values of `fetches`, in order.
  // `request` has the fields that not every call has.
  virtual absl::StatusOr<std::vector<Tensor>> RunStep(
      pb::RunStepRequest request, const std::vector<Feed>& feeds,
      const std::vector<TensorName>& fetches, const RunOptions& options,
      pb::RunMetadata* metadata) = 0;
  // Calls RunStep, but does not wait for the answer.
  virtual void NotifyStep(pb::RunStepRequest request) = 0;
  // Returns true if a client can tell the master that a partial run has ended.
  // The masters of TensorFlow cannot be told.
  virtual bool ends_partial_runs() const = 0;
};

// Is thread-safe. Shares the ownership of its session.
class RemotePartialRun final : public PartialRun::Implementation {
 public:
  // `handle` is the master's handle of the partial run.
  RemotePartialRun(std::shared_ptr<MasterSteps> session, std::string handle,
                   const PartialRunArgs& args);
  // Tells the master that nobody uses the run any more, if it can be told. With
  // another master, the run stays until the session is closed.
  ~RemotePartialRun() override;

  absl::StatusOr<std::vector<Tensor>> Run(
      const std::vector<Feed>& feeds,
      const std::vector<TensorName>& fetches) override;
  // Returns UNIMPLEMENTED if the master cannot be told.
  absl::Status Finish() override;

 private:
  // Returns a request for the next call.
  pb::RunStepRequest Request() const;
  // Returns the request that ends the run.
  pb::RunStepRequest End() const;

  const std::shared_ptr<MasterSteps> session_;
  const std::string handle_;
  const RunOptions options_;
  // Is the number of feeds and fetches that have not been used.
  std::atomic<size_t> num_left_;
  std::atomic<bool> has_ended_ = false;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_CLIENT_REMOTE_PARTIAL_RUN_H_
