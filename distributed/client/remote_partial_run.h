// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// RemotePartialRun is a partial run on a cluster. Each Run and Finish calls the
// master's method RunStep. The master assigns all of these calls to the same
// step.
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

// Is the interface through which a partial run calls RunStep of its session's
// master. Is thread-safe.
class MasterSteps {
 public:
  virtual ~MasterSteps() = default;

  // Calls RunStep with `feeds`, and returns the values of `fetches`, in order.
  // `request` has the fields of this call that the other arguments do not have.
  virtual absl::StatusOr<std::vector<Tensor>> RunStep(
      pb::RunStepRequest request, const std::vector<Feed>& feeds,
      const std::vector<TensorName>& fetches, const RunOptions& options,
      pb::RunMetadata* metadata) = 0;
  // Calls RunStep, but does not wait for the answer.
  virtual void NotifyStep(pb::RunStepRequest request) = 0;
  // Returns true if a client can tell the master to end a partial run.
  // TensorFlow's masters have no such request.
  virtual bool ends_partial_runs() const = 0;
};

// Is thread-safe. Shares the ownership of its session.
class RemotePartialRun final : public PartialRun::Implementation {
 public:
  // `handle` is the master's handle of the partial run.
  RemotePartialRun(std::shared_ptr<MasterSteps> session, std::string handle,
                   const PartialRunArgs& args);
  // If the master can end partial runs (MasterSteps::ends_partial_runs), tells
  // it to end this run. Otherwise the run stays until the session is closed.
  ~RemotePartialRun() override;

  absl::StatusOr<std::vector<Tensor>> Run(
      const std::vector<Feed>& feeds,
      const std::vector<TensorName>& fetches) override;
  // Returns UNIMPLEMENTED if MasterSteps::ends_partial_runs is false.
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
