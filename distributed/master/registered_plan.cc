// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/master/registered_plan.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "leat/core/random_id.h"
#include "leat/core/status_macros.h"
#include "leat/distributed/collectives/graph_key.h"
#include "leat/distributed/master/plan_observer.h"
#include "leat/distributed/tasks/fan_out.h"
#include "leat/distributed/wire/messages.h"
#include "leat/distributed/wire/payload.h"
#include "leat/distributed/wire/wire.h"
#include "leat/graph/io/graph_def.h"
#include "leat/protos/config.pb.h"
#include "leat/protos/leat_worker.pb.h"

namespace leat {
namespace {

constexpr char kLeatAttrPrefix[] = "_leat";

// Removes the attrs that only Leat understands.
void RemoveLeatAttrs(Graph& graph) {
  for (const NodeId id : graph.NodeIds()) {
    const std::shared_ptr<const NodeDef>& def = graph.node(id).def;
    std::vector<std::string> own;
    for (const auto& [name, value] : def->attrs) {
      if (absl::StartsWith(name, kLeatAttrPrefix)) own.push_back(name);
    }
    if (own.empty()) continue;
    auto changed = std::make_shared<NodeDef>(*def);
    for (const std::string& name : own) changed->attrs.Erase(name);
    graph.Replace(id, std::move(changed));
  }
}

// Returns true if the graph sends tensors to other tasks or receives tensors
// from them. REQUIRES: the Sends and Recvs of feeds and fetches are not added
// yet.
bool ExchangesTensors(const Graph& graph) {
  for (const NodeId id : graph.NodeIds()) {
    const std::string& op = graph.node(id).op();
    if (op == "_Send" || op == "_Recv" || op == "_HostSend" ||
        op == "_HostRecv") {
      return true;
    }
  }
  return false;
}

// Returns true if a node outputs a resource handle, such as the handle of a
// variable or a queue, or a reference.
bool HasState(const Graph& graph) {
  for (const NodeId id : graph.NodeIds()) {
    for (const DType dtype : graph.node(id).def->output_types) {
      if (dtype == DType::kResource || IsRef(dtype)) return true;
    }
  }
  return false;
}

// Tells a task of Leat where the groups of collectives form.
void SetGroupLeader(const PlanSession& session,
                    pb::RegisterGraphRequest& request) {
  if (session.config == nullptr) return;
  const std::string& leader =
      session.config->experimental().collective_group_leader();
  if (leader.empty()) return;
  request.mutable_config_proto()
      ->mutable_experimental()
      ->set_collective_group_leader(leader);
}

absl::StatusOr<PartRequest> MakePartRequest(Partition partition,
                                            const StepSignature& signature,
                                            const PlanSession& session) {
  Graph& graph = partition.graph;
  PartRequest result;
  TaskPart& part = result.part;
  part.task = std::move(partition.name);
  part.is_foreign =
      std::find(session.foreign_tasks.begin(), session.foreign_tasks.end(),
                part.task) != session.foreign_tasks.end();
  part.ends_alone =
      !part.is_foreign && !signature.is_partial && !ExchangesTensors(graph);
  part.has_state = HasState(graph);
  LEAT_ASSIGN_OR_RETURN(part.boundary,
                        ArgsToRecvs(signature, session.devices, graph));
  // TensorFlow's workers refuse a graph without a producer version.
  if (graph.producer == 0) graph.producer = kGraphDefVersion;
  pb::RegisterGraphRequest& request = result.request;
  request.set_session_handle(*session.handle);
  request.set_create_worker_session_called(true);
  if (part.is_foreign) {
    RemoveLeatAttrs(graph);
    if (session.config != nullptr) {
      *request.mutable_graph_options() = session.config->graph_options();
      *request.mutable_config_proto() = *session.config;
    }
  } else {
    request.set_request_id(static_cast<int64_t>(RandomId()));
    request.mutable_leat()->set_is_partial(signature.is_partial);
    SetGroupLeader(session, request);
  }
  LEAT_RETURN_IF_ERROR(ExportGraphDef(
      graph, *request.mutable_graph_def(),
      {.assigned_devices = true, .strip_default_attrs = part.is_foreign}));
  const size_t bytes = request.ByteSizeLong();
  if (bytes > static_cast<size_t>(kMaxMessageBytes)) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the graph of ", part.task, " takes ", bytes,
                     " bytes; a message has at most ", kMaxMessageBytes));
  }
  return result;
}

// Calls the session's observer with the plan and the graphs of `requests`.
void Show(const StepPlan& plan, const std::vector<PartRequest>& requests,
          const PlanSession& session) {
  PlanView view{.session = *session.handle, .plan = &plan};
  for (const PartRequest& request : requests) {
    view.graphs.push_back(&request.request.graph_def());
  }
  session.observer->OnPlan(view);
}

// Sets the graph handles of the parts of `plan`. `replies` are in the order of
// the parts. If a task has failed, deregisters the parts of the other tasks and
// returns the error.
absl::StatusOr<RegisteredPlans::Plan> Finish(
    TaskCaller& tasks, const std::string& session_handle, RegisteredPlan plan,
    const std::vector<absl::StatusOr<Payload>>& replies) {
  absl::Status status = FirstError(replies);
  std::vector<TaskPart> registered;
  for (size_t i = 0; i < replies.size(); ++i) {
    if (!replies[i].ok()) continue;
    pb::RegisterGraphResponse response;
    const absl::string_view header = replies[i]->header;
    absl::Status parsed =
        CheckInlineHeader("RegisterGraphResponse", header.size());
    if (parsed.ok()) parsed = ParseMessage(header, kMaxAnswerBytes, response);
    if (!parsed.ok()) {
      status.Update(absl::InternalError(absl::StrCat(
          plan.parts[i].task,
          " sent a malformed RegisterGraphResponse: ", parsed.message())));
      continue;
    }
    SetGraphHandle(session_handle, response.graph_handle(),
                   plan.whole.has_value(), plan.parts[i]);
    registered.push_back(plan.parts[i]);
  }
  if (!status.ok()) {
    DeregisterParts(tasks, session_handle, registered);
    return status;
  }
  return std::make_shared<const RegisteredPlan>(std::move(plan));
}

}  // namespace

absl::StatusOr<std::vector<PartRequest>> MakePartRequests(
    std::vector<Partition> partitions, const StepSignature& signature,
    const PlanSession& session) {
  std::vector<PartRequest> requests;
  requests.reserve(partitions.size());
  for (Partition& partition : partitions) {
    LEAT_ASSIGN_OR_RETURN(
        PartRequest request,
        MakePartRequest(std::move(partition), signature, session));
    requests.push_back(std::move(request));
  }
  return requests;
}

void SetGraphHandle(const std::string& session_handle, std::string graph_handle,
                    bool is_partial, TaskPart& part) {
  part.graph_handle = std::move(graph_handle);
  pb::RunGraphRequest request;
  request.set_session_handle(session_handle);
  request.set_create_worker_session_called(true);
  request.set_graph_handle(part.graph_handle);
  // Asks for errors in the response. If a task of TensorFlow returned an error
  // as the status of the RPC, the message would be truncated and the code might
  // change on the way.
  request.set_store_errors_in_response_body(true);
  request.set_is_partial(is_partial);
  // In a partial run, each call lists its own fetches.
  for (const BoundaryKey& fetch : part.boundary.fetches) {
    if (!is_partial) request.add_recv_key(fetch.key);
  }
  if (part.ends_alone) request.mutable_leat()->set_ends_alone(true);
  request.SerializeToString(&part.run_graph);
}

std::string RunGraphHeader(const TaskPart& part,
                           const pb::RunGraphRequest& call) {
  // Protobuf parses the concatenation of two serialized messages as one message
  // with the fields of both. Fields may come in any order. If a field that is
  // itself a message comes several times, protobuf merges its parts.
  std::string header = part.run_graph;
  call.AppendToString(&header);
  return header;
}

void RegisterPlan(TaskCaller& tasks, StepPlan plan, const PlanSession& session,
                  const CallOptions& options, RegisteredPlans::Done done) {
  std::optional<StepPlan> observed;
  if (session.observer != nullptr) observed = plan;
  const int64_t graph_key = CollectiveGraphKey(plan.partitions);
  absl::StatusOr<std::vector<PartRequest>> requests =
      MakePartRequests(std::move(plan.partitions), plan.signature, session);
  if (!requests.ok()) return std::move(done)(requests.status());
  for (PartRequest& request : *requests) {
    request.request.set_collective_graph_key(graph_key);
  }
  if (observed.has_value()) Show(*observed, *requests, session);
  RegisteredPlan registered{.feeds = {.names = std::move(plan.signature.feeds),
                                      .types = std::move(plan.feed_types),
                                      .shapes = std::move(plan.feed_shapes)},
                            .fetches = std::move(plan.signature.fetches),
                            .collective_graph_key = graph_key};
  if (plan.signature.is_partial) registered.whole = std::move(plan.whole);
  std::vector<TaskCall> calls;
  for (PartRequest& request : *requests) {
    calls.push_back({request.part.task, ToPayload(request.request)});
    registered.parts.push_back(std::move(request.part));
    request.request.Clear();  // no longer needed, may be large
  }
  FanOut(tasks, methods::kRegisterGraph, std::move(calls), options,
         [&tasks, handle = *session.handle, plan = std::move(registered),
          done = std::move(done)](
             const std::vector<absl::StatusOr<Payload>>& replies) mutable {
           std::move(done)(Finish(tasks, handle, std::move(plan), replies));
         });
}

void DeregisterParts(TaskCaller& tasks, const std::string& session_handle,
                     absl::Span<const TaskPart> parts) {
  std::vector<TaskCall> calls;
  for (const TaskPart& part : parts) {
    pb::DeregisterGraphRequest request;
    request.set_session_handle(session_handle);
    request.set_create_worker_session_called(true);
    request.set_graph_handle(part.graph_handle);
    calls.push_back({part.task, ToPayload(request)});
  }
  FanOut(tasks, methods::kDeregisterGraph, std::move(calls), tasks.ShortCall(),
         [](const std::vector<absl::StatusOr<Payload>>&) {});
}

}  // namespace leat
