// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Callables holds the callables of a master's session. A callable is a step
// that clients run by handle.
#ifndef LEAT_DISTRIBUTED_MASTER_CALLABLES_H_
#define LEAT_DISTRIBUTED_MASTER_CALLABLES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/threads/mutex.h"
#include "leat/partitioner/plan_step.h"
#include "leat/protos/config.pb.h"

namespace leat {

// Describes a step that a client may run many times. The plan of the step is in
// the session's plan table. If the table has dropped the plan, the plan is made
// again.
struct CallableStep {
  StepSignature signature = {};
  std::string key = {};  // SignatureKey of the signature
  pb::RunOptions options = {};
};

// Reads the callable that a client asks for. Returns UNIMPLEMENTED if `options`
// sets feed_devices or fetch_devices, which TensorFlow's masters do not support
// either.
absl::StatusOr<std::shared_ptr<const CallableStep>> ReadCallable(
    const pb::CallableOptions& options);

// Is thread-safe. Shares the ownership of the callables.
class Callables {
 public:
  // Limits the number of callables of one session.
  static constexpr size_t kMaxCallables = 100'000;

  // Adds a callable and returns its handle. Returns RESOURCE_EXHAUSTED if there
  // are too many.
  absl::StatusOr<int64_t> Add(std::shared_ptr<const CallableStep> callable);
  // Returns the callable with this handle. Returns INVALID_ARGUMENT, with
  // TensorFlow's message, if there is no such callable.
  absl::StatusOr<std::shared_ptr<const CallableStep>> Find(
      int64_t handle) const;
  // Forgets a callable. Does nothing if the callable was released before.
  // Returns INVALID_ARGUMENT if no callable ever had this handle.
  absl::Status Release(int64_t handle);
  // Forgets all callables.
  void Clear();

 private:
  using Table =
      absl::flat_hash_map<int64_t, std::shared_ptr<const CallableStep>>;

  mutable Mutex mutex_;
  Table table_ ABSL_GUARDED_BY(mutex_);
  int64_t next_handle_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_MASTER_CALLABLES_H_
