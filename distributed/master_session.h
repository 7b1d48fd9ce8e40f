// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// MasterSession: one client's graph on the tasks of a cluster: plans its steps,
// registers their parts, runs them. Nobody's thread waits. Thread-safe.
#ifndef LEAT_DISTRIBUTED_MASTER_SESSION_H_
#define LEAT_DISTRIBUTED_MASTER_SESSION_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/accounted_allocator.h"
#include "leat/core/cancellation.h"
#include "leat/core/device.h"
#include "leat/core/mutex.h"
#include "leat/core/tensor.h"
#include "leat/core/timer_queue.h"
#include "leat/core/work_queue.h"
#include "leat/distributed/cleanups.h"
#include "leat/distributed/cluster_devices.h"
#include "leat/distributed/graph_bytes.h"
#include "leat/distributed/limits.h"
#include "leat/distributed/lost_deletions.h"
#include "leat/distributed/methods.h"
#include "leat/distributed/plan_table.h"
#include "leat/distributed/plan_wait.h"
#include "leat/distributed/remote_step.h"
#include "leat/distributed/serial_queue.h"
#include "leat/distributed/session_config.h"
#include "leat/distributed/step_counts.h"
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
  PlanObserver* plan_observer = nullptr;  // may be null
  // For people, on any thread: which tasks a session waits for, while it is
  // created. May be null.
  std::function<void(absl::string_view message)> log = {};
  std::chrono::nanoseconds log_interval = std::chrono::seconds(10);
  // Takes the sessions that could not be deleted on their tasks. May be null.
  std::shared_ptr<LostDeletions> lost_deletions = {};
  // Tells tasks of the end of steps. Null: each step does.
  std::shared_ptr<Cleanups> cleanups = {};
};

class MasterSession : public std::enable_shared_from_this<MasterSession> {
 public:
  using Created = absl::AnyInvocable<
      void(absl::StatusOr<std::shared_ptr<MasterSession>>) &&>;

  // Asks the tasks for their devices, prepares the graph, creates the session
  // on every task that takes part. `done` exactly once, on any thread. Imports
  // the graph here: to be called on the blocking queue. `cancellation` ends it.
  // `under_way` is kept until nothing is left of a session that failed. The
  // client hears nothing after `answer_by`, so tasks that have not answered
  // shortly before are told.
  static void Create(
      const MasterEnvironment& environment, pb::CreateSessionRequest request,
      std::shared_ptr<Cancellation> cancellation,
      std::shared_ptr<void> under_way, Created done,
      std::optional<std::chrono::steady_clock::time_point> answer_by = {});

  const std::string& handle() const { return handle_; }
  // For what is fed to its steps.
  Allocator& allocator() { return allocator_; }
  int64_t graph_version() const { return graph_->version(); }
  const std::vector<DeviceInfo>& devices() const { return cluster_.devices; }

  // Adds to the graph, one extension after another, on the blocking queue;
  // `done` exactly once, with the new version. RESOURCE_EXHAUSTED for a graph
  // above the limits, and when too many wait.
  using Extended = absl::AnyInvocable<void(absl::StatusOr<int64_t>) &&>;
  void Extend(pb::GraphDef addition, int64_t version,
              std::shared_ptr<CallContext> call, Extended done);

  // What the client gives a step, and when it did so.
  struct StepArgs {
    std::vector<Tensor> feeds = {};  // by position
    pb::RunOptions options = {};
    std::chrono::steady_clock::time_point begun = {};
    std::shared_ptr<CallContext> call = {};
  };
  void Run(const StepSignature& signature, StepArgs args,
           RemoteStep::Done done);

  // Plans a step to be called by the handle that `done` gets.
  void MakeCallable(const pb::CallableOptions& options,
                    std::shared_ptr<CallContext> call,
                    absl::AnyInvocable<void(absl::StatusOr<int64_t>) &&> done);
  // With the options of MakeCallable. INVALID_ARGUMENT in TensorFlow's words
  // for a handle that is none.
  void RunCallable(int64_t callable, StepArgs args, RemoteStep::Done done);
  absl::Status ReleaseCallable(int64_t callable);

  // Ends every step with `why` (not OK), waits for an extension that is being
  // made, then ends the session on its tasks; `done` when that is through.
  // Later calls of the session get `why`. Once.
  void Close(absl::Status why, absl::AnyInvocable<void() &&> done);

  // Since when nothing runs, is planned or extended, and nobody has asked for
  // anything; now if something does.
  std::chrono::steady_clock::time_point idle_since() const;
  size_t num_plans() const { return plans_->num_plans(); }
  size_t num_tasks() const { return cluster_.tasks.size(); }
  // Those that tasks were asked to run.
  StepCounts::Totals steps() const { return steps_.totals(); }

 private:
  // Its plan is in the table, with the others, and may have to be made again.
  struct CallableStep {
    StepSignature signature = {};
    std::string key = {};
    pb::RunOptions options = {};
  };

  MasterSession(const MasterEnvironment& environment, SessionConfig config,
                pb::ConfigProto config_proto, ClusterDevices cluster);

  static absl::StatusOr<std::shared_ptr<MasterSession>> Prepare(
      const MasterEnvironment& environment, SessionConfig config,
      pb::ConfigProto config_proto, Graph graph, ClusterDevices cluster);
  void CreateWorkerSessions(std::shared_ptr<Cancellation> cancellation,
                            std::shared_ptr<void> under_way, Created done);
  void DeleteWorkerSessions(absl::AnyInvocable<void() &&> done);
  absl::StatusOr<int64_t> ExtendNow(const pb::GraphDef& addition,
                                    int64_t version, const CallContext& call);

  // Somebody asks. OK while the session is open.
  absl::Status Touch();
  void RunStep(const StepSignature& signature, const std::string& key,
               StepArgs args, RemoteStep::Done done);
  std::optional<StepDeadline> DeadlineOf(const StepArgs& args) const;
  void GetPlan(const StepSignature& signature, const std::string& key,
               const Patience& patience, PlanTable::Done done);
  void MakePlan(StepSignature signature, PlanTable::Done done);
  void RunPlan(PlanTable::Plan plan, StepArgs args, RemoteStep::Done done);
  // A step begins, and ends with that.
  RemoteStep::Done Counted(RemoteStep::Done done);
  // What Close waits for: a step, a plan that is being made, an extension.
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
  SerialQueue extensions_;
  // Charged with what is fed and fetched here.
  const std::shared_ptr<MemoryAccount> memory_;
  AccountedAllocator allocator_;

  StepCounts steps_;
  mutable Mutex mutex_;
  absl::Status closed_ ABSL_GUARDED_BY(mutex_);  // OK: open
  absl::AnyInvocable<void() &&> when_idle_ ABSL_GUARDED_BY(mutex_);
  std::chrono::steady_clock::time_point used_ ABSL_GUARDED_BY(mutex_);
  // By number; null while it is being started, and of a plan.
  absl::flat_hash_map<int64_t, std::shared_ptr<RemoteStep>> running_
      ABSL_GUARDED_BY(mutex_);
  int64_t next_run_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::flat_hash_map<int64_t, std::shared_ptr<const CallableStep>> callables_
      ABSL_GUARDED_BY(mutex_);
  int64_t next_callable_ ABSL_GUARDED_BY(mutex_) = 0;
  GraphBytes graph_bytes_ ABSL_GUARDED_BY(mutex_);  // with its extensions
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_MASTER_SESSION_H_
