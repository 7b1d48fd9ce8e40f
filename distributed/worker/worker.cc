// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/worker/worker.h"

#include <chrono>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/core/quoted_text.h"
#include "leat/core/random_id.h"
#include "leat/core/status_macros.h"
#include "leat/distributed/cluster/device_attributes.h"
#include "leat/distributed/exchange/peers.h"
#include "leat/distributed/exchange/recv_call.h"
#include "leat/distributed/exchange/step_outbox.h"
#include "leat/distributed/exchange/step_table.h"
#include "leat/distributed/shown_status.h"
#include "leat/distributed/tasks/end_notices.h"
#include "leat/distributed/wire/messages.h"
#include "leat/distributed/wire/recv_tensor.h"
#include "leat/distributed/worker/registered_graph.h"
#include "leat/graph/op_registry.h"
#include "leat/kernels/collectives/collective_key.h"
#include "leat/protos/status.pb.h"
#include "leat/protos/worker.pb.h"
#include "leat/runtime/device_set.h"

namespace leat {
namespace {

absl::Status GraphNotFound(absl::string_view handle, absl::string_view rest) {
  constexpr size_t kMaxShownBytes = 1024;
  return absl::AbortedError(absl::StrCat(
      "Graph handle is not found: ", handle.substr(0, kMaxShownBytes), rest));
}

// Returns an error if the graph was registered for partial runs and the call is
// not part of one, or the reverse.
absl::Status CheckUse(const RegisteredGraph& graph,
                      const pb::RunGraphRequest& request) {
  const bool is_partial = graph.use() == RegisteredGraph::Use::kPartialRuns;
  if (graph.use() == RegisteredGraph::Use::kUnknown ||
      request.is_partial() == is_partial) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "RunGraph of step ", request.step_id(), is_partial ? " is not" : " is",
      " partial, but the graph is ", is_partial ? "" : "not ",
      "one of partial runs"));
}

// Returns how the master will use the graph, according to its request.
RegisteredGraph::Use UseOf(const pb::RegisterGraphRequest& request) {
  if (!request.has_leat()) return RegisteredGraph::Use::kUnknown;
  return request.leat().is_partial() ? RegisteredGraph::Use::kPartialRuns
                                     : RegisteredGraph::Use::kWholeSteps;
}

// Returns the error of what still waits for a step that its master has ended.
absl::Status CleanupError(int64_t step_id) {
  return absl::AbortedError(absl::StrCat("Cleanup ", step_id));
}

}  // namespace

Worker::Worker(WorkerEnvironment environment)
    : environment_(std::move(environment)),
      traffic_(environment_.peers->traffic()),
      incarnation_(RandomId()),
      requests_(environment_.task, *environment_.blocking,
                environment_.limits.max_transport_bytes),
      sessions_(environment_.task, *environment_.devices, *environment_.kernels,
                environment_.limits, environment_.functions,
                environment_.timers->clock()),
      partial_steps_(environment_),
      create_ids_(environment_.limits.max_request_ids),
      register_ids_(environment_.limits.max_request_ids),
      run_ids_(environment_.limits.max_request_ids),
      recv_ids_(environment_.limits.max_request_ids) {}

Worker::~Worker() = default;

std::vector<MasterProcess> Worker::IdleMasters(
    std::chrono::nanoseconds idle) const {
  return sessions_.IdleMasters(idle);
}

void Worker::EndIdleSessions(const MasterProcess& master,
                             std::chrono::nanoseconds idle,
                             absl::string_view why) {
  EndSessions(sessions_.RemoveIdle(master, idle), why);
}

Worker::Counters Worker::counters() const {
  return {.sessions = sessions_.num_sessions(),
          .graphs = sessions_.num_graphs(),
          .running = environment_.steps->num_runs()};
}

void Worker::Report(const StatusListing& listing,
                    pb::TaskStatusResponse& status) const {
  status.set_incarnation(incarnation_);
  environment_.steps->Report(listing, status);
  sessions_.Report(listing, status);
}

// ---------------------------------------------------------------------------
// Methods

template <class Request, class Response>
void Worker::Add(const Method& method, Thread thread,
                 Function<Request, Response> function, MethodTable& methods) {
  methods.Add(
      method, [this, thread, function](std::shared_ptr<CallContext> context,
                                       Payload payload, Reply reply) {
        requests_.Take(
            thread, std::move(payload), std::move(reply),
            [this, function, context = std::move(context)](Payload message,
                                                           Reply answer) {
              std::move(answer)(Answer(function, *context, std::move(message)));
            });
      });
}

template <class Request, class Response>
absl::StatusOr<Payload> Worker::Answer(Function<Request, Response> function,
                                       const CallContext& context,
                                       Payload message) {
  Request request;
  MemoryReservation memory;
  if constexpr (kHasGraph<Request>) {
    LEAT_ASSIGN_OR_RETURN(memory, ReserveForGraph(message.header, request));
  }
  LEAT_RETURN_IF_ERROR(requests_.Parse(message.header, request));
  message.header = std::string();
  LEAT_ASSIGN_OR_RETURN(const Response response,
                        (this->*function)(context, std::move(request)));
  return ToPayload(response);
}

void Worker::AddMethods(MethodTable& methods) {
  Add(methods::kGetStatus, Thread::kTransport, &Worker::GetStatus, methods);
  Add(methods::kCreateWorkerSession, Thread::kBlocking,
      &Worker::CreateWorkerSession, methods);
  Add(methods::kDeleteWorkerSession, Thread::kBlocking,
      &Worker::DeleteWorkerSession, methods);
  Add(methods::kRegisterGraph, Thread::kBlocking, &Worker::RegisterGraph,
      methods);
  Add(methods::kDeregisterGraph, Thread::kBlocking, &Worker::DeregisterGraph,
      methods);
  Add(methods::kCleanupGraph, Thread::kTransport, &Worker::CleanupGraph,
      methods);
  Add(methods::kCleanupAll, Thread::kBlocking, &Worker::CleanupAll, methods);
  Add(methods::kMarkRecvFinished, Thread::kTransport, &Worker::MarkRecvFinished,
      methods);
  Add(methods::kLogging, Thread::kTransport, &Worker::Logging, methods);
  Add(methods::kTracing, Thread::kTransport, &Worker::Tracing, methods);
  methods.Add(methods::kRunGraph, [this](std::shared_ptr<CallContext> context,
                                         Payload payload, Reply reply) {
    RunGraph(std::move(context), std::move(payload), std::move(reply));
  });
  for (const RecvForm form :
       {RecvForm::kOne, RecvForm::kList, RecvForm::kBuffer}) {
    methods.Add(MethodOf(form),
                [this, form](std::shared_ptr<CallContext> context,
                             const Payload& payload, Reply reply) {
                  Recv(form, std::move(context), payload, std::move(reply));
                });
  }
  methods.Add(
      methods::kFetchChunk, [this](const std::shared_ptr<CallContext>&,
                                   const Payload& payload, Reply reply) {
        std::move(reply)(ChunkForPeer(*environment_.steps, payload.header));
      });
}

absl::StatusOr<pb::GetStatusResponse> Worker::GetStatus(
    const CallContext&, pb::GetStatusRequest request) {
  if (request.has_leat()) {
    LEAT_RETURN_IF_ERROR(CheckPeerVersion(
        "the caller", request.leat().version(), environment_.task));
  }
  pb::GetStatusResponse response;
  for (const auto& device : environment_.devices->devices()) {
    ExportDevice(device->info(), *response.add_device_attributes());
  }
  response.mutable_leat()->set_version(kLeatPeerVersion);
  response.mutable_leat()->set_incarnation(incarnation_);
  response.mutable_leat()->set_max_chunk_bytes(kMaxChunkBytes);
  response.mutable_leat()->set_ticket(sessions_.NewTicket());
  return response;
}

absl::StatusOr<pb::MarkRecvFinishedResponse> Worker::MarkRecvFinished(
    const CallContext&, pb::MarkRecvFinishedRequest) {
  return pb::MarkRecvFinishedResponse();
}

absl::StatusOr<pb::LoggingResponse> Worker::Logging(const CallContext&,
                                                    pb::LoggingRequest) {
  return pb::LoggingResponse();
}

absl::StatusOr<pb::TracingResponse> Worker::Tracing(const CallContext&,
                                                    pb::TracingRequest) {
  return absl::UnimplementedError("Tracing");
}

// ---------------------------------------------------------------------------
// Sessions and graphs

void Worker::EndSessions(const WorkerSessions::Ended& ended,
                         absl::string_view why) {
  for (const std::shared_ptr<WorkerSession>& session : ended) {
    // Closes the session first, so that a step that begins now finds the
    // session closed (worker_step.cc).
    session->Close();
    environment_.steps->EndOf(
        session->handle(),
        absl::AbortedError(absl::StrCat(
            "Session ", ShownHandle(session->handle()), " ", why)));
  }
}

absl::StatusOr<pb::CreateWorkerSessionResponse> Worker::CreateWorkerSession(
    const CallContext&, pb::CreateWorkerSessionRequest request) {
  LEAT_RETURN_IF_ERROR(
      create_ids_.Add(request.request_id(), "CreateWorkerSession (Worker)"));
  if (request.server_def().cluster().job_size() > 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("Session ", QuotedText(request.session_handle()),
                     " brings a cluster of its own, which ", environment_.task,
                     " does not support"));
  }
  WorkerSessions::Ended ended;
  const absl::Status status = sessions_.Create(
      {.handle = std::move(*request.mutable_session_handle()),
       .master = {.task = std::move(*request.mutable_master_task()),
                  .incarnation = request.master_incarnation()},
       .ticket = request.ticket(),
       .isolated = request.isolate_session_state()},
      &ended);
  EndSessions(ended, "is over: its master was restarted");
  if (!status.ok()) return status;
  return pb::CreateWorkerSessionResponse();
}

absl::StatusOr<pb::DeleteWorkerSessionResponse> Worker::DeleteWorkerSession(
    const CallContext&, pb::DeleteWorkerSessionRequest request) {
  auto session = sessions_.Remove(request.session_handle());
  if (session != nullptr) {
    EndSessions({std::move(session)}, "was deleted by its master");
  }
  return pb::DeleteWorkerSessionResponse();
}

absl::StatusOr<pb::RegisterGraphResponse> Worker::RegisterGraph(
    const CallContext& context, pb::RegisterGraphRequest request) {
  LEAT_RETURN_IF_ERROR(
      register_ids_.Add(request.request_id(), "RegisterGraph (Worker)"));
  LEAT_ASSIGN_OR_RETURN(const std::shared_ptr<WorkerSession> session,
                        sessions_.Find(request.session_handle(),
                                       request.create_worker_session_called()));
  LEAT_RETURN_IF_ERROR(session->CheckRoom());
  std::shared_ptr<SessionCollectives> collectives;
  if (environment_.collectives != nullptr) {
    collectives = session->Collectives(
        *environment_.collectives,
        request.config_proto().experimental().collective_group_leader());
  }
  LEAT_ASSIGN_OR_RETURN(
      std::shared_ptr<const RegisteredGraph> graph,
      RegisteredGraph::Create(request.graph_def(), *environment_.ops,
                              environment_.limits.import, environment_.task,
                              session->runner(), UseOf(request),
                              std::move(collectives)));
  // Calls Peer::Meet for each sender, so that this task itself notices when a
  // sender falls silent.
  for (const std::string& sender : graph->senders()) {
    const absl::StatusOr<Peers::PeerRef> peer =
        environment_.peers->Find(sender);
    if (peer.ok()) (*peer)->Meet();
  }
  pb::RegisterGraphResponse response;
  LEAT_ASSIGN_OR_RETURN(*response.mutable_graph_handle(),
                        session->Add(std::move(graph)));
  if (!context.cancellation.IsCancelled()) return response;
  // The caller has cancelled the call, so nobody gets the handle.
  session->Remove(response.graph_handle());
  return context.cancellation.status();
}

absl::StatusOr<pb::DeregisterGraphResponse> Worker::DeregisterGraph(
    const CallContext&, pb::DeregisterGraphRequest request) {
  LEAT_ASSIGN_OR_RETURN(const std::shared_ptr<WorkerSession> session,
                        sessions_.Find(request.session_handle(),
                                       request.create_worker_session_called()));
  if (session->Remove(request.graph_handle()) == nullptr) {
    return GraphNotFound(request.graph_handle(),
                         ". Possibly, this worker just restarted.");
  }
  // Ends the partial runs that clients of a TensorFlow master did not finish.
  // Such a master does not end them in any other way.
  partial_steps_.EndRunsOf(*session, request.graph_handle());
  return pb::DeregisterGraphResponse();
}

// ---------------------------------------------------------------------------
// Steps

void Worker::Forget(int64_t step_id) {
  environment_.steps->End(step_id, CleanupError(step_id));
}

absl::Status Worker::ForgetAll(
    const google::protobuf::RepeatedField<int64_t>& steps) {
  if (static_cast<size_t>(steps.size()) > kMaxCleanupSteps) {
    return absl::InvalidArgumentError(
        absl::StrCat("a message tells of ", steps.size(),
                     " ended steps, more than ", kMaxCleanupSteps));
  }
  for (const int64_t step_id : steps) Forget(step_id);
  return absl::OkStatus();
}

absl::StatusOr<pb::CleanupGraphResponse> Worker::CleanupGraph(
    const CallContext&, pb::CleanupGraphRequest request) {
  LEAT_RETURN_IF_ERROR(ForgetAll(request.leat().steps()));
  const int64_t step_id = request.step_id();
  const std::string& session = request.leat().session_handle();
  if (session.empty()) {
    Forget(step_id);
  } else {
    environment_.steps->Release(step_id, session, CleanupError(step_id));
  }
  return pb::CleanupGraphResponse();
}

absl::StatusOr<pb::CleanupAllResponse> Worker::CleanupAll(
    const CallContext&, pb::CleanupAllRequest request) {
  environment_.devices->resources().ClearContainers(std::vector<std::string>(
      request.container().begin(), request.container().end()));
  return pb::CleanupAllResponse();
}

void Worker::RunGraph(std::shared_ptr<CallContext> context, Payload payload,
                      Reply reply) {
  const auto received = std::chrono::system_clock::now();
  const int64_t bytes = MessageBytes(payload);
  requests_.Take(Thread::kTransport, std::move(payload), std::move(reply),
                 [this, context = std::move(context), received, bytes](
                     Payload message, Reply answer) {
                   ParseRunGraph({.context = context,
                                  .feeds = std::move(message),
                                  .received = received,
                                  .reply = std::move(answer),
                                  .received_bytes = bytes});
                 });
}

void Worker::ParseRunGraph(RunGraphCall call) {
  absl::Status status = requests_.Parse(call.feeds.header, call.request);
  call.feeds.header = std::string();
  if (status.ok()) status = StartStep(call);
  if (!status.ok()) ReplyToRunGraph(call, status);
}

// Starts a step. Consumes `call` if it succeeds.
absl::Status Worker::StartStep(RunGraphCall& call) {
  const pb::RunGraphRequest& request = call.request;
  LEAT_RETURN_IF_ERROR(run_ids_.Add(request.request_id(), "RunGraph (Worker)"));
  LEAT_RETURN_IF_ERROR(ForgetAll(request.leat().cleanup_steps()));
  LEAT_ASSIGN_OR_RETURN(std::shared_ptr<WorkerSession> session,
                        sessions_.Find(request.session_handle(),
                                       request.create_worker_session_called()));
  call.traffic = &traffic_->Of(session->master().task);
  std::shared_ptr<const RegisteredGraph> graph =
      session->Find(request.graph_handle());
  if (graph == nullptr) return GraphNotFound(request.graph_handle(), "");
  LEAT_RETURN_IF_ERROR(CheckUse(*graph, request));
  if (!request.is_partial()) {
    WorkerStep::Run(environment_, std::move(session), std::move(graph),
                    std::move(call));
  } else if (graph->use() == RegisteredGraph::Use::kPartialRuns) {
    partial_steps_.Run(std::move(session), std::move(graph), std::move(call));
  } else {
    // The first partial run compiles the graph, which may take a long time.
    environment_.blocking->Add([this, session = std::move(session),
                                graph = std::move(graph),
                                call = std::move(call)]() mutable {
      auto partial = graph->ForPartialRuns(session->runner());
      if (!partial.ok()) return ReplyToRunGraph(call, partial.status());
      partial_steps_.Run(std::move(session), *std::move(partial),
                         std::move(call));
    });
  }
  return absl::OkStatus();
}

void Worker::Recv(RecvForm form, std::shared_ptr<CallContext> context,
                  const Payload& payload, Reply reply) {
  absl::StatusOr<RecvRequest> request = DecodeRecvRequest(form, payload.header);
  if (!request.ok()) return std::move(reply)(request.status());
  const std::string method = absl::StrCat(
      NameOf(form), form == RecvForm::kList ? "" : " (GrpcWorker)");
  const absl::Status is_new = recv_ids_.Add(request->request_id, method);
  if (!is_new.ok()) return std::move(reply)(is_new);
  bool is_waiting = false;
  const absl::StatusOr<std::shared_ptr<StepOutbox>> outbox =
      environment_.steps->Await(request->step_id, is_waiting,
                                IsBufferKey(request->keys.all().front()));
  if (!outbox.ok()) return std::move(reply)(outbox.status());
  if (is_waiting) {
    // The step has not begun. StopWaiting removes the step when every caller
    // that waits for it has its reply or has gone.
    reply = [steps = environment_.steps, step_id = request->step_id,
             reply =
                 std::move(reply)](absl::StatusOr<Payload> response) mutable {
      steps->StopWaiting(step_id);
      std::move(reply)(std::move(response));
    };
  }
  ReceiveForPeer(**outbox, *std::move(request),
                 static_cast<int64_t>(payload.header.size()), traffic_,
                 std::move(context), std::move(reply));
}

}  // namespace leat
