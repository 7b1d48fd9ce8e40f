// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/master/master.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "leat/core/devices/device_name.h"
#include "leat/core/escaped_text.h"
#include "leat/core/quoted_text.h"
#include "leat/core/status_macros.h"
#include "leat/distributed/cluster/device_attributes.h"
#include "leat/distributed/master/cluster_devices.h"
#include "leat/distributed/master/create_master_session.h"
#include "leat/distributed/shown_status.h"
#include "leat/distributed/tasks/end_notices.h"
#include "leat/distributed/tasks/fan_out.h"
#include "leat/distributed/wire/messages.h"
#include "leat/graph/op_registry.h"
#include "leat/protos/master.pb.h"
#include "leat/protos/status.pb.h"
#include "leat/protos/worker.pb.h"

namespace leat {
namespace {

using SessionPtr = std::shared_ptr<MasterSession>;

// Returns TensorFlow's message for an unknown session `handle`. `why` is a
// possible reason, which the message has at its end.
std::string NoSession(absl::string_view handle, absl::string_view why) {
  return absl::StrCat("Session ", handle.substr(0, 80), " is not found.", why);
}
// kRestarted is TensorFlow's reason in the errors of CloseSession and
// ListDevices. TensorFlow gives no reason in the errors of the calls that get
// kRestartedOrIdle.
constexpr char kRestarted[] = " Possibly, this master has restarted.";
constexpr char kRestartedOrIdle[] =
    "\n\tPossibly, this master has restarted, or nobody used it for too long "
    "(--session-idle, --session-idle-when-full).";

// Limits the number of calls of ListClusterDevices that may be under way at the
// same time.
constexpr int kMaxListings = 100;

absl::Status ClosedByClient() {
  return absl::CancelledError(
      "Step was cancelled by an explicit call to `Session::Close()`.");
}

// While this object exists, it cancels `cancellation()` when the client's call
// is cancelled or the master stops.
class EarlyEnd {
 public:
  // `stopping` is cancelled when the master stops.
  EarlyEnd(std::shared_ptr<CallContext> call,
           std::shared_ptr<Cancellation> stopping)
      : call_(std::move(call)), stopping_(std::move(stopping)) {
    const auto cancel = [ends = cancellation_](const absl::Status& why) {
      ends->Cancel(why);
    };
    Cancellation& client = call_->cancellation;
    if (!client.Register(cancel, &of_call_)) cancel(client.status());
    if (!stopping_->Register(cancel, &of_master_)) cancel(stopping_->status());
  }
  ~EarlyEnd() {
    call_->cancellation.Deregister(of_call_);
    stopping_->Deregister(of_master_);
  }
  EarlyEnd(const EarlyEnd&) = delete;
  EarlyEnd& operator=(const EarlyEnd&) = delete;

  const std::shared_ptr<Cancellation>& cancellation() const {
    return cancellation_;
  }

 private:
  const std::shared_ptr<CallContext> call_;
  const std::shared_ptr<Cancellation> stopping_;
  const std::shared_ptr<Cancellation> cancellation_ =
      std::make_shared<Cancellation>();
  Cancellation::Token of_call_ = 0;
  Cancellation::Token of_master_ = 0;
};

// Returns `response` as a payload, or RESOURCE_EXHAUSTED if `response` is too
// large to be sent.
absl::StatusOr<Payload> Message(const google::protobuf::MessageLite& response) {
  const size_t bytes = response.ByteSizeLong();
  if (bytes > static_cast<size_t>(INT32_MAX)) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the response takes ", bytes,
                     " bytes, but a message may have at most ", INT32_MAX));
  }
  return ToPayload(response);
}

// Returns a Reply that passes its response to `reply`. The returned Reply owns
// `memory` until it is destroyed.
Reply Holding(MemoryReservation memory, Reply reply) {
  return [memory = std::move(memory),
          reply = std::move(reply)](absl::StatusOr<Payload> response) mutable {
    std::move(reply)(std::move(response));
  };
}

}  // namespace

Master::Master(MasterEnvironment environment)
    : environment_(std::move(environment)),
      requests_(environment_.task, *environment_.blocking,
                environment_.limits.max_transport_bytes),
      request_ids_(environment_.limits.max_request_ids),
      unused_options_(environment_.log),
      sessions_(std::make_shared<MasterSessions>(
          environment_.task, environment_.limits,
          environment_.intervals.look_for_idle, *environment_.timers)) {
  sessions_->StartSweeping();
}

Master::~Master() = default;

absl::Status Master::Materialize(MasterSession& session,
                                 Payload& payload) const {
  return payload.Materialize(session.allocator(), &environment_.ops->variants(),
                             environment_.limits.max_message_bytes);
}

template <class Request>
absl::StatusOr<SessionPtr> Master::SessionOf(const Request& request,
                                             absl::string_view method) {
  LEAT_RETURN_IF_ERROR(request_ids_.Add(request.request_id(), method));
  SessionPtr session = sessions_->Find(request.session_handle());
  if (session == nullptr) {
    return absl::AbortedError(
        NoSession(request.session_handle(), kRestartedOrIdle));
  }
  return session;
}

template <class Request>
void Master::Serve(const leat::Method& method, Method<Request> handler,
                   MethodTable& methods, Thread thread) {
  methods.Add(method, [self = shared_from_this(), handler, thread](
                          std::shared_ptr<CallContext> context, Payload payload,
                          Reply reply) {
    const Thread where = payload.IsQuick() ? thread : Thread::kBlocking;
    self->requests_.Take(
        where, std::move(payload), std::move(reply),
        [self, handler, context = std::move(context),
         begun = self->environment_.timers->clock().Now()](
            Payload message, Reply answer) mutable {
          Request request;
          if constexpr (kHasGraph<Request>) {
            auto memory = ReserveForGraph(message.header, request);
            if (!memory.ok()) {
              return std::move(answer)(memory.status());
            }
            answer = Holding(*std::move(memory), std::move(answer));
          }
          const absl::Status status =
              self->requests_.Parse(message.header, request);
          if (!status.ok()) return std::move(answer)(status);
          message.header = std::string();
          ((*self).*handler)({.context = std::move(context),
                              .begun = begun,
                              .payload = std::move(message)},
                             std::move(request), std::move(answer));
        });
  });
}

void Master::AddMethods(MethodTable& methods) {
  Serve(methods::kCreateSession, &Master::CreateSession, methods,
        Thread::kBlocking);
  Serve(methods::kExtendSession, &Master::ExtendSession, methods,
        Thread::kBlocking);
  Serve(methods::kCloseSession, &Master::CloseSession, methods);
  Serve(methods::kListDevices, &Master::ListDevices, methods,
        Thread::kBlocking);
  Serve(methods::kReset, &Master::Reset, methods);
  Serve(methods::kMakeCallable, &Master::MakeCallable, methods);
  Serve(methods::kReleaseCallable, &Master::ReleaseCallable, methods);
  Serve(methods::kPartialRunSetup, &Master::PartialRunSetup, methods);
  Serve(methods::kRunStep, &Master::RunStep, methods);
  Serve(methods::kRunCallable, &Master::RunCallable, methods);
}

void Master::CreateSession(Call call, pb::CreateSessionRequest request,
                           Reply reply) {
  const absl::Status is_new =
      request_ids_.Add(request.request_id(), "CreateSession (Master)");
  if (!is_new.ok()) return std::move(reply)(is_new);
  absl::StatusOr<MasterSessions::UnderWay> under_way = sessions_->Begin();
  if (!under_way.ok()) return std::move(reply)(under_way.status());
  unused_options_.Note(request.config());
  auto early_end = std::make_unique<EarlyEnd>(call.context, stopping_);
  const std::shared_ptr<Cancellation> cancellation = early_end->cancellation();
  CreateMasterSession(
      environment_, std::move(request), cancellation, *under_way,
      [self = shared_from_this(), context = call.context,
       early_end = std::move(early_end), under_way = *under_way,
       reply = std::move(reply)](absl::StatusOr<SessionPtr> session) mutable {
        early_end = nullptr;
        if (!session.ok()) return std::move(reply)(session.status());
        pb::CreateSessionResponse response;
        response.set_session_handle((*session)->handle());
        response.set_graph_version((*session)->graph_version());
        response.mutable_leat()->set_version(kLeatPeerVersion);
        const absl::Status added = self->sessions_->Add(
            *std::move(session), *context, std::move(under_way));
        if (!added.ok()) return std::move(reply)(added);
        std::move(reply)(Message(response));
      },
      call.context->deadline);
}

void Master::ExtendSession(Call call, pb::ExtendSessionRequest request,
                           Reply reply) {
  const absl::StatusOr<SessionPtr> session =
      SessionOf(request, "ExtendSession (Master)");
  if (!session.ok()) return std::move(reply)(session.status());
  (*session)->Extend(
      std::move(*request.mutable_graph_def()), request.current_graph_version(),
      std::move(call.context),
      [reply = std::move(reply)](absl::StatusOr<int64_t> version) mutable {
        if (!version.ok()) return std::move(reply)(version.status());
        pb::ExtendSessionResponse response;
        response.set_new_graph_version(*version);
        std::move(reply)(Message(response));
      });
}

void Master::RunStep(Call call, pb::RunStepRequest request, Reply reply) {
  StepSignature signature{
      .feeds = {},
      .fetches = {request.fetch().begin(), request.fetch().end()},
      .targets = {request.target().begin(), request.target().end()}};
  auto answer = [in_body = request.store_errors_in_response_body(),
                 fetches = signature.fetches,
                 reply = std::move(reply)](StepResult result) mutable {
    if (!result.status.ok() && !in_body) {
      return std::move(reply)(std::move(result.status));
    }
    pb::RunStepResponse response;
    response.mutable_metadata()->Swap(&result.metadata);
    if (!result.status.ok()) {
      response.set_status_code(static_cast<int>(result.status.code()));
      response.set_status_error_message(EscapedLines(result.status.message()));
    }
    absl::StatusOr<Payload> message = Message(response);
    if (message.ok() && result.status.ok()) {
      for (size_t i = 0; i < fetches.size(); ++i) {
        message->tensors.push_back(
            {.name = fetches[i], .tensor = std::move(result.fetches[i])});
      }
    }
    std::move(reply)(std::move(message));
  };
  const absl::StatusOr<SessionPtr> session =
      SessionOf(request, "RunStep (Master)");
  absl::Status status = session.status();
  if (status.ok()) status = Materialize(**session, call.payload);
  if (!status.ok()) return answer({.status = std::move(status)});
  if (request.has_options()) unused_options_.Note(request.options());
  MasterSession::StepArgs args{.options = std::move(*request.mutable_options()),
                               .begun = call.begun,
                               .call = std::move(call.context)};
  for (WireTensor& feed : call.payload.tensors) {
    signature.feeds.push_back(std::move(feed.name));
    args.feeds.push_back(std::move(feed.tensor));
  }
  if (request.partial_run_handle().empty()) {
    return (*session)->Run(signature, std::move(args), std::move(answer));
  }
  if (request.leat().ends_partial_run()) {
    return (*session)->EndPartialRun(
        request.partial_run_handle(),
        absl::CancelledError("the partial run was finished"),
        [answer = std::move(answer)]() mutable { std::move(answer)({}); });
  }
  // Looks through the graph for the feeds that the fetches need.
  environment_.blocking->Add([session = *session, request = std::move(request),
                              signature = std::move(signature),
                              args = std::move(args),
                              answer = std::move(answer)]() mutable {
    session->RunPartial(request.partial_run_handle(), signature.feeds,
                        signature.fetches, std::move(args), std::move(answer));
  });
}

void Master::RunCallable(Call call, pb::RunCallableRequest request,
                         Reply reply) {
  const absl::StatusOr<SessionPtr> session =
      SessionOf(request, "RunCallable (Master)");
  absl::Status status = session.status();
  if (status.ok()) status = Materialize(**session, call.payload);
  if (!status.ok()) return std::move(reply)(std::move(status));
  MasterSession::StepArgs args{.begun = call.begun,
                               .call = std::move(call.context)};
  for (WireTensor& feed : call.payload.tensors) {
    args.feeds.push_back(std::move(feed.tensor));
  }
  (*session)->RunCallable(
      request.handle(), std::move(args),
      [reply = std::move(reply)](StepResult result) mutable {
        if (!result.status.ok()) {
          return std::move(reply)(std::move(result.status));
        }
        pb::RunCallableResponse response;
        response.mutable_metadata()->Swap(&result.metadata);
        absl::StatusOr<Payload> message = Message(response);
        if (message.ok()) {
          for (Tensor& fetch : result.fetches) {
            message->tensors.push_back({.tensor = std::move(fetch)});
          }
        }
        std::move(reply)(std::move(message));
      });
}

void Master::MakeCallable(Call call, pb::MakeCallableRequest request,
                          Reply reply) {
  const absl::StatusOr<SessionPtr> session =
      SessionOf(request, "MakeCallable (Master)");
  if (!session.ok()) return std::move(reply)(session.status());
  unused_options_.Note(request.options().run_options());
  (*session)->MakeCallable(
      request.options(), std::move(call.context),
      [reply = std::move(reply)](absl::StatusOr<int64_t> handle) mutable {
        if (!handle.ok()) return std::move(reply)(handle.status());
        pb::MakeCallableResponse response;
        response.set_handle(*handle);
        std::move(reply)(Message(response));
      });
}

void Master::ReleaseCallable(Call, pb::ReleaseCallableRequest request,
                             Reply reply) {
  const SessionPtr session = sessions_->Find(request.session_handle());
  const absl::Status status =
      session == nullptr ? absl::AbortedError(NoSession(
                               request.session_handle(), kRestartedOrIdle))
                         : session->ReleaseCallable(request.handle());
  if (!status.ok()) return std::move(reply)(status);
  std::move(reply)(Message(pb::ReleaseCallableResponse()));
}

void Master::PartialRunSetup(Call call, pb::PartialRunSetupRequest request,
                             Reply reply) {
  const absl::StatusOr<SessionPtr> session =
      SessionOf(request, "PartialRunSetup (Master)");
  if (!session.ok()) return std::move(reply)(session.status());
  StepSignature signature{
      .feeds = {request.feed().begin(), request.feed().end()},
      .targets = {request.target().begin(), request.target().end()},
      .is_partial = true};
  absl::flat_hash_set<absl::string_view> fetched;
  for (const std::string& fetch : request.fetch()) {
    if (fetched.insert(fetch).second) signature.fetches.push_back(fetch);
  }
  (*session)->SetUpPartialRun(
      signature, std::move(call.context),
      [reply = std::move(reply)](absl::StatusOr<std::string> handle) mutable {
        if (!handle.ok()) return std::move(reply)(handle.status());
        pb::PartialRunSetupResponse response;
        response.set_partial_run_handle(*std::move(handle));
        std::move(reply)(Message(response));
      });
}

void Master::CloseSession(Call, pb::CloseSessionRequest request, Reply reply) {
  // `answer` is shared with the callback, because Close drops the callback if
  // there is no such session.
  const auto answer = std::make_shared<Reply>(std::move(reply));
  const bool closes = sessions_->Close(
      request.session_handle(), ClosedByClient(),
      [answer] { std::move (*answer)(Message(pb::CloseSessionResponse())); });
  if (!closes) {
    std::move (*answer)(
        absl::AbortedError(NoSession(request.session_handle(), kRestarted)));
  }
}

void Master::ListDevices(Call call, pb::ListDevicesRequest request,
                         Reply reply) {
  const std::string& handle = request.session_handle();
  if (handle.empty()) {
    return ListClusterDevices(std::move(call), std::move(reply));
  }
  const SessionPtr session = sessions_->Find(handle);
  if (session == nullptr) {
    return std::move(reply)(
        absl::InvalidArgumentError(NoSession(handle, kRestarted)));
  }
  std::move(reply)(ListOf(session->devices()));
}

void Master::ListClusterDevices(Call call, Reply reply) {
  absl::StatusOr<MasterSessions::UnderWay> under_way = sessions_->BeginOther();
  if (!under_way.ok()) return std::move(reply)(under_way.status());
  if (num_listings_.fetch_add(1) >= kMaxListings) {
    num_listings_.fetch_sub(1);
    return std::move(reply)(absl::ResourceExhaustedError(absl::StrCat(
        environment_.task, " lists the devices of its cluster for ",
        kMaxListings, " clients already; try again later")));
  }
  auto early_end = std::make_unique<EarlyEnd>(call.context, stopping_);
  const std::shared_ptr<Cancellation> cancellation = early_end->cancellation();
  GetClusterDevices(
      *environment_.tasks, *environment_.timers,
      {.own_task = environment_.task,
       .own_devices = environment_.devices->Infos(),
       .tasks = environment_.cluster,
       .timeout = environment_.limits.answer_timeout,
       .cancellation = cancellation,
       .ask_again = environment_.intervals.ask_again},
      [self = shared_from_this(), early_end = std::move(early_end),
       under_way = *std::move(under_way), reply = std::move(reply)](
          const absl::StatusOr<ClusterDevices>& cluster) mutable {
        self->num_listings_.fetch_sub(1);
        if (!cluster.ok()) return std::move(reply)(cluster.status());
        std::move(reply)(self->ListOf(cluster->devices));
      });
}

absl::StatusOr<Payload> Master::ListOf(
    absl::Span<const DeviceInfo> devices) const {
  pb::ListDevicesResponse response;
  const std::string own = absl::StrCat(environment_.task, "/");
  for (const DeviceInfo& device : devices) {
    ExportDevice(device, absl::StartsWith(device.name, own)
                             ? *response.add_local_device()
                             : *response.add_remote_device());
  }
  return Message(response);
}

void Master::Reset(Call, pb::ResetRequest request, Reply reply) {
  pb::ConfigProto config;
  *config.mutable_device_filters() = request.device_filters();
  absl::StatusOr<SessionConfig> filters = ReadSessionConfig(config);
  if (!filters.ok()) return std::move(reply)(filters.status());
  // Closes the sessions first, because a running step would create its
  // variables again.
  sessions_->CloseAll(
      absl::AbortedError("the cluster was reset"),
      [self = shared_from_this(), request = std::move(request),
       filters = std::move(filters->device_filters),
       reply = std::move(reply)](MasterSessions::UnderWay under_way) mutable {
        self->CleanUpTasks(request, std::move(filters), std::move(under_way),
                           std::move(reply));
      });
}

void Master::CleanUpTasks(const pb::ResetRequest& request,
                          std::vector<DeviceName> filters,
                          MasterSessions::UnderWay under_way, Reply reply) {
  pb::CleanupAllRequest cleanup;
  *cleanup.mutable_container() = request.container();
  std::vector<TaskCall> calls;
  for (const std::string& task : environment_.cluster) {
    const absl::StatusOr<DeviceName> name = DeviceName::Parse(task);
    if (task != environment_.task &&
        (!name.ok() || !IsAllowed(filters, *name))) {
      continue;
    }
    calls.push_back({task, ToPayload(cleanup)});
  }
  FanOut(*environment_.tasks, methods::kCleanupAll, std::move(calls),
         environment_.tasks->ShortCall(),
         [self = shared_from_this(), under_way = std::move(under_way),
          reply = std::move(reply)](
             const std::vector<absl::StatusOr<Payload>>& replies) mutable {
           absl::Status status = FirstError(replies);
           if (absl::IsCancelled(status) && self->stopping_->IsCancelled()) {
             status = self->stopping_->status();
           }
           if (!status.ok()) return std::move(reply)(std::move(status));
           std::move(reply)(Message(pb::ResetResponse()));
         });
}

void Master::BeginStop() {
  const absl::Status why = absl::UnavailableError(
      absl::StrCat("the master of ", environment_.task, " is stopping"));
  stopping_->Cancel(why);
  sessions_->BeginStop(why);
}

void Master::Stop(Clock::time_point deadline) {
  BeginStop();
  sessions_->WaitUntil(deadline);
  // Cancels all calls to tasks that have no cancellation of their own. If the
  // deadline has passed, sessions may still be waiting for some of these calls.
  environment_.tasks->Stop(stopping_->status());
  sessions_->WaitUntil(Clock::time_point::max());
  environment_.notices->Stop();
}

size_t Master::num_sessions() const { return sessions_->size(); }

void Master::Report(const StatusListing& listing,
                    pb::TaskStatusResponse& status) const {
  status.set_num_client_sessions(static_cast<int64_t>(sessions_->size()));
  std::vector<std::pair<std::chrono::nanoseconds, SessionPtr>> sessions;
  const Clock::time_point now = environment_.timers->clock().Now();
  for (SessionPtr& session : sessions_->List(kMaxReportedSessions)) {
    const Clock::duration idle = now - session->idle_since();
    sessions.emplace_back(std::max(idle, Clock::duration(0)),
                          std::move(session));
  }
  KeepLastUsed(listing.max_listed, sessions);
  for (const auto& [idle, session] : sessions) {
    pb::ClientSessionStatus& shown = *status.add_client_sessions();
    shown.set_handle(ShownHandle(session->handle()));
    shown.set_idle_us(ToMicros(idle));
    ExportSteps(session->steps(), *shown.mutable_steps());
    shown.set_num_plans(static_cast<int64_t>(session->num_plans()));
    shown.set_num_tasks(static_cast<int64_t>(session->num_tasks()));
  }
}

}  // namespace leat
