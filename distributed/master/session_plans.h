// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// SessionPlans holds the graph of a master's session and the plans of its
// steps. The plans are registered with the tasks of the session.
#ifndef LEAT_DISTRIBUTED_MASTER_SESSION_PLANS_H_
#define LEAT_DISTRIBUTED_MASTER_SESSION_PLANS_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/threads/mutex.h"
#include "leat/distributed/master/cluster_devices.h"
#include "leat/distributed/master/graph_bytes.h"
#include "leat/distributed/master/master_environment.h"
#include "leat/distributed/master/registered_plan.h"
#include "leat/distributed/master/serial_queue.h"
#include "leat/partitioner/plan_step.h"
#include "leat/protos/config.pb.h"

namespace leat {

class Cancellation;
class ConstantEvaluator;
class SessionGraph;
struct CallContext;
struct SessionConfig;

// Returns the options of a call that sets something up on a task. The call has
// a deadline, so that a silent task cannot keep the call open for ever.
CallOptions SetupCall(const MasterEnvironment& environment,
                      std::shared_ptr<Cancellation> cancellation);
// Returns `status`. If it is DEADLINE_EXCEEDED, the message ends with the flag
// that sets the deadline.
absl::Status WithSetupTimeout(const absl::Status& status);

// Is thread-safe.
class SessionPlans {
 public:
  // Describes the graph that a client has sent for its session.
  struct ClientGraph {
    pb::ConfigProto config = {};  // for tasks of TensorFlow
    Graph graph;
    GraphBytes bytes;  // of `graph`
  };

  // Prepares the graph. Fails as SessionGraph::Create does.
  static absl::StatusOr<std::unique_ptr<SessionPlans>> Create(
      const MasterEnvironment& environment, const SessionConfig& config,
      ClientGraph client, ClusterDevices cluster);
  ~SessionPlans();

  // Returns the handle by which clients and tasks name the session. It is
  // random.
  const std::string& handle() const { return handle_; }
  // Returns the devices that the session may use, and their tasks.
  const ClusterDevices& cluster() const { return cluster_; }
  // Returns the version of the graph, which every extension raises by one.
  int64_t graph_version() const;
  // Returns the table of the plans that have been made or are being made.
  const std::shared_ptr<RegisteredPlans>& table() const { return table_; }

  using Extended = absl::AnyInvocable<void(absl::StatusOr<int64_t>) &&>;
  // Adds `addition` to the graph if the graph has the version `version`.
  // Extensions run on the blocking queue, one after another. `done` is called
  // exactly once, with the new version or an error, and must keep this alive.
  //
  // Fails as SessionGraph::ExtendAtVersion does. Fails with RESOURCE_EXHAUSTED
  // if the graph would exceed the limits or too many extensions are waiting. If
  // `call` is cancelled before the extension begins, fails with the reason of
  // the cancellation.
  void Extend(pb::GraphDef addition, int64_t version,
              std::shared_ptr<CallContext> call, Extended done);

  // Plans a step and registers its parts on the tasks. This function plans the
  // step before it returns, so the call may take a long time. `done` is called
  // exactly once, on any thread, and must keep this alive.
  void Make(StepSignature signature, RegisteredPlans::Done done);

  // Drops the plans and cancels the registrations under way. Later calls fail
  // with `why` (not OK).
  void Close(const absl::Status& why);

 private:
  SessionPlans(const MasterEnvironment& environment,
               const SessionConfig& config, ClientGraph client,
               ClusterDevices cluster);
  // Extends the graph now.
  absl::StatusOr<int64_t> ExtendNow(const pb::GraphDef& addition,
                                    int64_t version, const CallContext& call);

  const MasterEnvironment environment_;
  const pb::ConfigProto config_;
  const ClusterDevices cluster_;
  const std::string handle_;
  const std::unique_ptr<ConstantEvaluator> evaluator_;
  const PlanOptions options_;
  std::unique_ptr<SessionGraph> graph_;  // set by Create before it returns
  const std::shared_ptr<RegisteredPlans> table_;
  SerialQueue extensions_;
  // Ends the registrations of plans when the session is closed.
  const std::shared_ptr<Cancellation> closing_;

  Mutex mutex_;
  GraphBytes graph_bytes_ ABSL_GUARDED_BY(mutex_);  // including extensions
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_MASTER_SESSION_PLANS_H_
