// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// MasterSession: one client's graph on the tasks of a cluster. It plans the
// steps, registers their parts on the tasks, and runs them. No thread waits for
// any of that.
#ifndef LEAT_DISTRIBUTED_MASTER_MASTER_SESSION_H_
#define LEAT_DISTRIBUTED_MASTER_MASTER_SESSION_H_

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
#include "leat/core/devices/accounted_allocator.h"
#include "leat/core/devices/device.h"
#include "leat/core/tensor.h"
#include "leat/core/threads/cancellation.h"
#include "leat/core/threads/clock.h"
#include "leat/core/threads/mutex.h"
#include "leat/core/threads/timer_queue.h"
#include "leat/core/threads/work_queue.h"
#include "leat/distributed/limits.h"
#include "leat/distributed/master/cluster_devices.h"
#include "leat/distributed/master/graph_bytes.h"
#include "leat/distributed/master/plan_table.h"
#include "leat/distributed/master/plan_wait.h"
#include "leat/distributed/master/remote_step.h"
#include "leat/distributed/master/serial_queue.h"
#include "leat/distributed/master/session_config.h"
#include "leat/distributed/step_counts.h"
#include "leat/distributed/tasks/cleanups.h"
#include "leat/distributed/tasks/lost_deletions.h"
#include "leat/distributed/tasks/tasks.h"
#include "leat/distributed/wire/methods.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/optimizer/constant_evaluator.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/partitioner/plan_step.h"
#include "leat/protos/config.pb.h"
#include "leat/protos/master.pb.h"
#include "leat/runtime/device_set.h"
#include "leat/runtime/session_graph.h"

namespace leat {

// What a master and its sessions work with. What the raw pointers point to is
// borrowed and must outlive them. Null is allowed only where stated.
struct MasterEnvironment {
  std::string task = {};  // "/job:worker/replica:0/task:0"
  DeviceSet* devices = nullptr;
  const OpRegistry* ops = nullptr;
  const KernelRegistry* kernels = nullptr;  // of constants that are folded
  Tasks* tasks = nullptr;
  std::vector<std::string> cluster = {};  // names of its tasks
  TimerQueue* timers = nullptr;
  // Runs what takes long: import, planning and decoding.
  WorkQueue* blocking = nullptr;
  ServerLimits limits = {};
  PlanObserver* plan_observer = nullptr;  // may be null
  // Gets messages for people, on any thread: while a session is being created,
  // which tasks it waits for. May be null.
  std::function<void(absl::string_view message)> log = {};
  std::chrono::nanoseconds log_interval = std::chrono::seconds(10);
  // Repeats the deletion of sessions on tasks that could not be reached. May be
  // null.
  std::shared_ptr<LostDeletions> lost_deletions = {};
  // Tells tasks about the end of steps. If null, each step does so itself.
  std::shared_ptr<Cleanups> cleanups = {};
};

// Thread-safe. Owned by a shared_ptr: what is under way in the session shares
// the ownership. An open session must be closed, or it stays on its tasks.
class MasterSession : public std::enable_shared_from_this<MasterSession> {
 public:
  // Gets the session, or why it could not be created.
  using Created = absl::AnyInvocable<
      void(absl::StatusOr<std::shared_ptr<MasterSession>>) &&>;

  // Creates a session: asks the tasks for their devices, prepares the graph,
  // and creates the session on every task that takes part. `done` is called
  // exactly once, on any thread, with the first error if one of these failed.
  //
  // Create imports the graph before it returns, so it must be called on the
  // blocking queue. Cancelling `cancellation` ends the creation. `under_way` is
  // kept until nothing is left of a session that failed. `answer_by` is when
  // the client stops waiting. The tasks that have not answered shortly before
  // are named in the error, so that the client gets to know them.
  static void Create(const MasterEnvironment& environment,
                     pb::CreateSessionRequest request,
                     std::shared_ptr<Cancellation> cancellation,
                     std::shared_ptr<void> under_way, Created done,
                     std::optional<Clock::time_point> answer_by = {});

  // The handle by which clients and tasks name the session. It is random.
  const std::string& handle() const { return handle_; }
  // Allocates what is fed to its steps, charged to the session.
  Allocator& allocator() { return allocator_; }
  // The version of the graph, which every extension raises by one.
  int64_t graph_version() const { return graph_->version(); }
  // The devices that the session may use.
  const std::vector<DeviceInfo>& devices() const { return cluster_.devices; }

  // Adds to the graph, one extension after another, on the blocking queue;
  // `done` exactly once, with the new version. RESOURCE_EXHAUSTED for a graph
  // above the limits, and when too many wait.
  using Extended = absl::AnyInvocable<void(absl::StatusOr<int64_t>) &&>;
  // Adds `addition` to the graph if it is at `version`, on the blocking queue,
  // one extension after another. `done` is called exactly once, with the new
  // version. Fails as SessionGraph::ExtendAtVersion does, and with
  // RESOURCE_EXHAUSTED if the graph would exceed the limits or too many
  // extensions are waiting.
  void Extend(pb::GraphDef addition, int64_t version,
              std::shared_ptr<CallContext> call, Extended done);

  // What a client gives to a step, and when it did so.
  struct StepArgs {
    std::vector<Tensor> feeds = {};  // in the order of the signature
    pb::RunOptions options = {};
    // When the client's call arrived. The step's timeout counts from then.
    Clock::time_point begun = {};
    // The client's call. Its cancellation cancels the step. May be null.
    std::shared_ptr<CallContext> call = {};
  };
  // Runs a step, planned first if there is no plan for its signature. `done` is
  // called exactly once, on any thread, with the fetches or the error.
  void Run(const StepSignature& signature, StepArgs args,
           RemoteStep::Done done);

  // Plans a step and gives `done` a handle by which RunCallable runs it. Fails
  // with UNIMPLEMENTED for options about connections and devices of tensors,
  // and with RESOURCE_EXHAUSTED if the session has too many callables.
  void MakeCallable(const pb::CallableOptions& options,
                    std::shared_ptr<CallContext> call,
                    absl::AnyInvocable<void(absl::StatusOr<int64_t>) &&> done);
  // Runs a callable like Run, with the run options that MakeCallable got. Fails
  // with INVALID_ARGUMENT, in TensorFlow's words, if there is no such handle.
  void RunCallable(int64_t callable, StepArgs args, RemoteStep::Done done);
  // Forgets a callable. Does nothing if it was released before; returns
  // INVALID_ARGUMENT if there never was one with this handle.
  absl::Status ReleaseCallable(int64_t callable);

  // Ends every step with `why` (not OK), waits until no step, plan or extension
  // is under way, then deletes the session on its tasks. `done` is called after
  // that. Later calls of the session fail with `why`. REQUIRES: called once.
  void Close(absl::Status why, absl::AnyInvocable<void() &&> done);

  // Returns since when no step, plan or extension has been under way and nobody
  // has called the session; now if something is under way.
  Clock::time_point idle_since() const;
  // The number of plans that are kept.
  size_t num_plans() const { return plans_->num_plans(); }
  // The number of tasks that take part.
  size_t num_tasks() const { return cluster_.tasks.size(); }
  // Counts the steps that tasks were asked to run.
  StepCounts::Totals steps() const { return steps_.totals(); }

 private:
  // A callable. Its plan is in the table with the other plans, and may have to
  // be made again.
  struct CallableStep {
    StepSignature signature = {};
    std::string key = {};  // SignatureKey of the signature
    pb::RunOptions options = {};
  };

  MasterSession(const MasterEnvironment& environment, SessionConfig config,
                pb::ConfigProto config_proto, ClusterDevices cluster);

  // Makes a session that no task knows yet, and prepares its graph.
  static absl::StatusOr<std::shared_ptr<MasterSession>> Prepare(
      const MasterEnvironment& environment, SessionConfig config,
      pb::ConfigProto config_proto, Graph graph, ClusterDevices cluster);
  // Creates the session on its tasks, or deletes it again if one of them fails.
  void CreateWorkerSessions(std::shared_ptr<Cancellation> cancellation,
                            std::shared_ptr<void> under_way, Created done);
  // Deletes the session on its tasks. `done` is called when all have answered
  // or their time is up.
  void DeleteWorkerSessions(absl::AnyInvocable<void() &&> done);
  // Extends the graph, on the blocking queue.
  absl::StatusOr<int64_t> ExtendNow(const pb::GraphDef& addition,
                                    int64_t version, const CallContext& call);

  // Notes that the session is being used. Returns OK while it is open, and else
  // why it was closed.
  absl::Status Touch();
  // Gets the plan of the step, then runs it.
  void RunStep(const StepSignature& signature, const std::string& key,
               StepArgs args, RemoteStep::Done done);
  // Returns when the step's time is up, or nothing if the clock cannot
  // represent that.
  std::optional<StepDeadline> DeadlineOf(const StepArgs& args) const;
  // Gives `done` the plan of a signature, made first if need be, or an error if
  // `patience` ends before.
  void GetPlan(const StepSignature& signature, const std::string& key,
               const Patience& patience, PlanTable::Done done);
  // Plans a step and registers its parts on the tasks, on the blocking queue.
  void MakePlan(StepSignature signature, PlanTable::Done done);
  // Runs a step whose plan is made.
  void RunPlan(PlanTable::Plan plan, StepArgs args, RemoteStep::Done done);
  // Counts a step that begins. The result calls `done` and counts its end.
  RemoteStep::Done Counted(RemoteStep::Done done);
  // Adds something that Close waits for, which is a step, a plan that is being
  // made or an extension, and returns its number for End. Once the session is
  // closed, returns the reason instead.
  absl::StatusOr<int64_t> Begin();
  // Removes it. The last one lets Close go on.
  void End(int64_t run);

  const MasterEnvironment environment_;
  const SessionConfig config_;
  const pb::ConfigProto config_proto_;  // for tasks of TensorFlow
  const ClusterDevices cluster_;
  const std::string handle_;
  const std::unique_ptr<ConstantEvaluator> evaluator_;
  const PlanOptions plan_options_;
  std::unique_ptr<SessionGraph> graph_;  // set before anybody else has this
  // Ends the registrations of plans when the session is closed.
  const std::shared_ptr<Cancellation> closing_ =
      std::make_shared<Cancellation>();
  const std::shared_ptr<PlanTable> plans_;
  SerialQueue extensions_;
  // Charged with what is fed to and fetched by steps, on this task.
  const std::shared_ptr<MemoryAccount> memory_;
  AccountedAllocator allocator_;

  StepCounts steps_;
  mutable Mutex mutex_;
  absl::Status closed_ ABSL_GUARDED_BY(mutex_);  // OK while open
  // What Close still has to do when nothing is under way; null before Close.
  absl::AnyInvocable<void() &&> when_idle_ ABSL_GUARDED_BY(mutex_);
  // When the session was last called, or something under way ended.
  Clock::time_point used_ ABSL_GUARDED_BY(mutex_);
  // What is under way, by number. Null for a step that is being started, for a
  // plan and for an extension.
  absl::flat_hash_map<int64_t, std::shared_ptr<RemoteStep>> running_
      ABSL_GUARDED_BY(mutex_);
  int64_t next_run_ ABSL_GUARDED_BY(mutex_) = 0;
  // By handle.
  absl::flat_hash_map<int64_t, std::shared_ptr<const CallableStep>> callables_
      ABSL_GUARDED_BY(mutex_);
  int64_t next_callable_ ABSL_GUARDED_BY(mutex_) = 0;
  GraphBytes graph_bytes_ ABSL_GUARDED_BY(mutex_);  // with its extensions
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_MASTER_MASTER_SESSION_H_
