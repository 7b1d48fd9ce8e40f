// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// MasterSession: one client's graph on the tasks of a cluster: plans its steps,
// registers their parts, runs them. Nobody's thread waits. Thread-safe.
#ifndef LEAT_DISTRIBUTED_MASTER_SESSION_H_
#define LEAT_DISTRIBUTED_MASTER_SESSION_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/cancellation.h"
#include "leat/core/device.h"
#include "leat/core/mutex.h"
#include "leat/core/tensor.h"
#include "leat/core/timer_queue.h"
#include "leat/core/work_queue.h"
#include "leat/distributed/cluster_devices.h"
#include "leat/distributed/limits.h"
#include "leat/distributed/methods.h"
#include "leat/distributed/plan_table.h"
#include "leat/distributed/remote_step.h"
#include "leat/distributed/session_config.h"
#include "leat/distributed/tasks.h"
#include "leat/graph/constant_evaluator.h"
#include "leat/graph/op_registry.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/partitioner/plan_step.h"
#include "leat/protos/config.pb.h"
#include "leat/protos/master.pb.h"
#include "leat/runtime/device_set.h"
#include "leat/runtime/session_graph.h"

namespace leat {

// What a master and its sessions work with. All borrowed, outlive them.
struct MasterEnvironment {
  std::string task = {};  // "/job:worker/replica:0/task:0"
  DeviceSet* devices = nullptr;
  const OpRegistry* ops = nullptr;
  const KernelRegistry* kernels = nullptr;  // of constants that are folded
  Tasks* tasks = nullptr;
  std::vector<std::string> cluster = {};  // its tasks
  TimerQueue* timers = nullptr;
  // Runs what takes long: import, planning, decoding.
  WorkQueue* blocking = nullptr;
  ServerLimits limits = {};
};

class MasterSession : public std::enable_shared_from_this<MasterSession> {
 public:
  using Created = absl::AnyInvocable<
      void(absl::StatusOr<std::shared_ptr<MasterSession>>) &&>;

  // Asks the tasks for their devices, prepares the graph, creates the session
  // on every task that takes part. `done` exactly once, on any thread. Imports
  // the graph here: to be called on the blocking queue. `cancellation` ends it.
  static void Create(const MasterEnvironment& environment,
                     pb::CreateSessionRequest request,
                     std::shared_ptr<Cancellation> cancellation, Created done);

  const std::string& handle() const { return handle_; }
  int64_t graph_version() const { return graph_->version(); }
  const std::vector<DeviceInfo>& devices() const { return cluster_.devices; }

  // The new version. Takes long: to be called on the blocking queue.
  absl::StatusOr<int64_t> Extend(const pb::GraphDef& addition, int64_t version);

  // What the client gives a step, and when it did so.
  struct StepArgs {
    std::vector<Tensor> feeds = {};  // by position
    pb::RunOptions options = {};
    std::chrono::steady_clock::time_point begun = {};
    std::shared_ptr<CallContext> call = {};
  };
  void Run(StepSignature signature, StepArgs args, RemoteStep::Done done);

  // Plans a step to be called by the handle that `done` gets.
  void MakeCallable(const pb::CallableOptions& options,
                    absl::AnyInvocable<void(absl::StatusOr<int64_t>) &&> done);
  // With the options of MakeCallable. INVALID_ARGUMENT in TensorFlow's words
  // for a handle that is none.
  void RunCallable(int64_t callable, StepArgs args, RemoteStep::Done done);
  absl::Status ReleaseCallable(int64_t callable);

  // Ends every step with `why` (not OK), then the session on its tasks; `done`
  // when that is through. Later calls of the session get `why`. Once.
  void Close(absl::Status why, absl::AnyInvocable<void() &&> done);

  // Since when no step runs and nobody has asked for anything; now if one runs.
  std::chrono::steady_clock::time_point idle_since() const;
  size_t num_plans() const { return plans_->num_plans(); }

 private:
  struct CallableStep {
    PlanTable::Plan plan = {};
    pb::RunOptions options = {};
  };

  MasterSession(const MasterEnvironment& environment, SessionConfig config,
                pb::ConfigProto config_proto, ClusterDevices cluster);

  static absl::StatusOr<std::shared_ptr<MasterSession>> Prepare(
      const MasterEnvironment& environment, SessionConfig config,
      pb::ConfigProto config_proto, Graph graph, ClusterDevices cluster);
  void CreateWorkerSessions(std::shared_ptr<Cancellation> cancellation,
                            Created done);
  void DeleteWorkerSessions(absl::AnyInvocable<void() &&> done);

  // Somebody asks. OK while the session is open.
  absl::Status Touch();
  void GetPlan(StepSignature signature, PlanTable::Done done);
  void MakePlan(StepSignature signature, PlanTable::Done done);
  void RunPlan(PlanTable::Plan plan, StepArgs args, RemoteStep::Done done);
  // What Close waits for: a step, or a plan that is being made.
  // Nothing begins any more once the session is closed.
  absl::StatusOr<int64_t> Begin();
  void End(int64_t run);

  const MasterEnvironment environment_;
  const SessionConfig config_;
  const pb::ConfigProto config_proto_;  // for tasks of TensorFlow
  const ClusterDevices cluster_;
  const std::string handle_;
  const std::unique_ptr<ConstantEvaluator> evaluator_;
  const PlanOptions plan_options_;
  std::unique_ptr<SessionGraph> graph_;  // set before anybody else has this
  // Ends registrations when the session is closed.
  const std::shared_ptr<Cancellation> closing_ =
      std::make_shared<Cancellation>();
  const std::shared_ptr<PlanTable> plans_;

  mutable Mutex mutex_;
  absl::Status closed_ ABSL_GUARDED_BY(mutex_);  // OK: open
  absl::AnyInvocable<void() &&> when_idle_ ABSL_GUARDED_BY(mutex_);
  std::chrono::steady_clock::time_point used_ ABSL_GUARDED_BY(mutex_);
  // By number; null while it is being started, and of a plan.
  absl::flat_hash_map<int64_t, std::shared_ptr<RemoteStep>> running_
      ABSL_GUARDED_BY(mutex_);
  int64_t next_run_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::flat_hash_map<int64_t, CallableStep> callables_ ABSL_GUARDED_BY(mutex_);
  int64_t next_callable_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_MASTER_SESSION_H_
