// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/client/remote_session.h"

#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "leat/core/quoted_text.h"
#include "leat/core/random_id.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/clock.h"
#include "leat/core/threads/mutex.h"
#include "leat/distributed/client/export_session.h"
#include "leat/distributed/client/master_client.h"
#include "leat/distributed/client/remote_partial_run.h"
#include "leat/distributed/cluster/device_attributes.h"
#include "leat/distributed/transport/call_errors.h"
#include "leat/graph/merge.h"
#include "leat/graph/op_registry.h"
#include "leat/protos/config.pb.h"
#include "leat/protos/master.pb.h"
#include "leat/runtime/step_deadline.h"

namespace leat {
namespace {

using std::chrono::nanoseconds;

int64_t RequestId() { return static_cast<int64_t>(RandomId() >> 1); }

// If the timeout is not positive, returns the error that a local session
// returns for such a timeout.
absl::Status CheckTimeout(const RunOptions& options) {
  if (!options.timeout.has_value() || *options.timeout > nanoseconds(0)) {
    return absl::OkStatus();
  }
  return TooLateToBegin({.timeout = *options.timeout});
}

absl::Status CheckObserver(const RunOptions& options) {
  if (options.observer == nullptr) return absl::OkStatus();
  return absl::UnimplementedError(
      "RunOptions::observer is set, but an observer watches only steps that "
      "run in this process; set trace_level to record those of a cluster");
}

ConnectWait ConnectWaitOf(const RemoteSessionOptions& options) {
  return {.timeout = options.connect_timeout,
          .cancellation = options.cancellation,
          .on_waiting = options.on_waiting};
}

class RemoteSession final : public Session,
                            public MasterSteps,
                            public std::enable_shared_from_this<RemoteSession> {
 public:
  RemoteSession(std::unique_ptr<MasterClient> master, const Graph& graph,
                const RemoteSessionOptions& options)
      : master_(std::move(master)),
        ops_(graph.ops()),
        max_message_bytes_(options.max_message_bytes),
        answer_grace_(options.answer_grace),
        close_timeout_(options.close_timeout),
        graph_(graph) {}

  ~RemoteSession() override { Close().IgnoreError(); }

  absl::Status Create(absl::string_view target,
                      const RemoteSessionOptions& options);

  using Session::Run;
  absl::StatusOr<std::vector<Tensor>> Run(const RunArgs& args,
                                          pb::RunMetadata* metadata) override;
  absl::StatusOr<Callable> MakeCallable(const CallableArgs& args) override;
  absl::StatusOr<PartialRun> StartPartialRun(
      const PartialRunArgs& args) override;
  absl::Status Extend(const Graph& graph) override;
  std::vector<DeviceInfo> ListDevices() const override;
  absl::Status Close() override;

  // Runs a callable and returns its `num_fetches` tensors, in order.
  absl::StatusOr<std::vector<Tensor>> RunCallable(
      int64_t callable, size_t num_fetches, const RunOptions& options,
      absl::Span<const Tensor> feeds, pb::RunMetadata* metadata);
  void ReleaseCallable(int64_t callable);

  absl::StatusOr<std::vector<Tensor>> RunStep(
      pb::RunStepRequest request, const std::vector<Feed>& feeds,
      const std::vector<TensorName>& fetches, const RunOptions& options,
      pb::RunMetadata* metadata) override;
  void NotifyStep(pb::RunStepRequest request) override;
  bool ends_partial_runs() const override { return is_leat_; }

 private:
  // Counts a call as running from Begin until this object is destroyed. Close
  // waits until no call is running. Begin fails when the session is closed.
  class Running {
   public:
    explicit Running(RemoteSession& session) : session_(session) {}
    ~Running() {
      if (!begun_) return;
      MutexLock lock(session_.mutex_);
      --session_.num_running_;
      session_.ended_.NotifyAll();
    }
    absl::Status Begin() {
      MutexLock lock(session_.mutex_);
      if (session_.closed_) {
        return absl::FailedPreconditionError("Session is closed.");
      }
      ++session_.num_running_;
      begun_ = true;
      return absl::OkStatus();
    }

   private:
    RemoteSession& session_;
    bool begun_ = false;
  };

  // Sends the nodes of the graph from `first` on to the master.
  absl::Status SendAddition(NodeId first)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(extending_);
  CallOptions StepCall(const RunOptions& options) const;
  absl::Status Materialize(Payload& response) const;

  const std::unique_ptr<MasterClient> master_;
  const OpRegistry& ops_;
  const int64_t max_message_bytes_;
  const nanoseconds answer_grace_;
  const nanoseconds close_timeout_;
  // Is set by Create.
  std::string handle_;
  bool is_leat_ = false;  // the master is a task of Leat
  // Ends the calls under way when the session is closed.
  const std::shared_ptr<Cancellation> cancellation_ =
      std::make_shared<Cancellation>();

  Mutex extending_;  // held during Extend, including its call to the master
  Graph graph_ ABSL_GUARDED_BY(extending_);
  int64_t version_ ABSL_GUARDED_BY(extending_) = 0;

  mutable Mutex mutex_;
  CondVar ended_;
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
  int num_running_ ABSL_GUARDED_BY(mutex_) = 0;
  mutable std::vector<DeviceInfo> devices_ ABSL_GUARDED_BY(mutex_);
};

class RemoteCallable final : public Callable::Implementation {
 public:
  RemoteCallable(std::shared_ptr<RemoteSession> session, int64_t handle,
                 const CallableArgs& args)
      : session_(std::move(session)),
        handle_(handle),
        num_feeds_(args.feeds.size()),
        num_fetches_(args.fetches.size()),
        options_(args.options) {}
  ~RemoteCallable() override { session_->ReleaseCallable(handle_); }

  absl::StatusOr<std::vector<Tensor>> Run(absl::Span<const Tensor> feeds,
                                          pb::RunMetadata* metadata) override {
    if (metadata != nullptr) metadata->Clear();
    if (feeds.size() != num_feeds_) {
      return absl::InvalidArgumentError(
          absl::StrCat("the step takes ", num_feeds_, " feeds but was given ",
                       feeds.size()));
    }
    return session_->RunCallable(handle_, num_fetches_, options_, feeds,
                                 metadata);
  }

 private:
  const std::shared_ptr<RemoteSession> session_;
  const int64_t handle_;
  const size_t num_feeds_;
  const size_t num_fetches_;
  const RunOptions options_;
};

absl::Status RemoteSession::Create(absl::string_view target,
                                   const RemoteSessionOptions& options) {
  pb::CreateSessionRequest request;
  {
    MutexLock lock(extending_);
    LEAT_ASSIGN_OR_RETURN(*request.mutable_graph_def(),
                          ExportForMaster(graph_));
  }
  ExportConfig(options, *request.mutable_config());
  request.set_target(std::string(target));
  request.set_request_id(RequestId());
  pb::CreateSessionResponse response;
  LEAT_RETURN_IF_ERROR(master_->CallPatiently(
      methods::kCreateSession, request, response, ConnectWaitOf(options)));
  // From now on the transport notices when the master falls silent, and ends
  // the calls that wait for the master.
  is_leat_ = response.has_leat();
  if (is_leat_) master_->Watch();
  handle_ = response.session_handle();
  MutexLock lock(extending_);
  version_ = response.graph_version();
  return absl::OkStatus();
}

CallOptions RemoteSession::StepCall(const RunOptions& options) const {
  CallOptions call{.cancellation = cancellation_};
  if (options.timeout.has_value()) {
    const Clock::time_point deadline = master_->clock().After(*options.timeout);
    if (deadline < Clock::time_point::max() - answer_grace_) {
      call.deadline = deadline + answer_grace_;
    }
  }
  return call;
}

absl::Status RemoteSession::Materialize(Payload& response) const {
  return response.Materialize(HostAllocator(), &ops_.variants(),
                              max_message_bytes_);
}

absl::StatusOr<std::vector<Tensor>> RemoteSession::Run(
    const RunArgs& args, pb::RunMetadata* metadata) {
  if (metadata != nullptr) metadata->Clear();
  LEAT_RETURN_IF_ERROR(CheckObserver(args.options));
  LEAT_RETURN_IF_ERROR(CheckTimeout(args.options));
  pb::RunStepRequest request;
  for (const TensorName& target : args.targets) request.add_target(target.text);
  return RunStep(std::move(request), args.feeds, args.fetches, args.options,
                 metadata);
}

absl::StatusOr<std::vector<Tensor>> RemoteSession::RunStep(
    pb::RunStepRequest request, const std::vector<Feed>& feeds,
    const std::vector<TensorName>& fetches, const RunOptions& options,
    pb::RunMetadata* metadata) {
  Running running(*this);
  LEAT_RETURN_IF_ERROR(running.Begin());
  request.set_session_handle(handle_);
  request.set_store_errors_in_response_body(true);
  request.set_request_id(RequestId());
  ExportRunOptions(options, *request.mutable_options());
  WireTensors fed;
  for (const Feed& feed : feeds) {
    fed.push_back({.name = feed.name.text, .tensor = feed.value});
  }
  // A master returns each name once, so each name is requested once.
  absl::flat_hash_map<absl::string_view, Tensor> fetched;
  for (const TensorName& fetch : fetches) {
    if (fetched.try_emplace(fetch.text).second) request.add_fetch(fetch.text);
  }

  LEAT_ASSIGN_OR_RETURN(
      Payload payload, master_->Call(methods::kRunStep, request, std::move(fed),
                                     StepCall(options)));
  pb::RunStepResponse response;
  LEAT_RETURN_IF_ERROR(ParseHeader(methods::kRunStep, payload, response));
  if (metadata != nullptr) metadata->Swap(response.mutable_metadata());
  if (response.status_code() != 0) {
    return absl::Status(static_cast<absl::StatusCode>(response.status_code()),
                        response.status_error_message());
  }
  LEAT_RETURN_IF_ERROR(Materialize(payload));
  for (WireTensor& wire : payload.tensors) {
    const auto found = fetched.find(wire.name);
    if (found != fetched.end()) found->second = std::move(wire.tensor);
  }
  std::vector<Tensor> result;
  result.reserve(fetches.size());
  for (const TensorName& fetch : fetches) {
    const Tensor& tensor = fetched[fetch.text];
    if (!tensor.IsValid()) {
      return absl::InternalError(absl::StrCat(
          "the master's response has no value of fetch '", fetch.text, "'"));
    }
    result.push_back(tensor);
  }
  return result;
}

absl::StatusOr<Callable> RemoteSession::MakeCallable(const CallableArgs& args) {
  LEAT_RETURN_IF_ERROR(CheckObserver(args.options));
  Running running(*this);
  LEAT_RETURN_IF_ERROR(running.Begin());
  pb::MakeCallableRequest request;
  request.set_session_handle(handle_);
  request.set_request_id(RequestId());
  pb::CallableOptions& options = *request.mutable_options();
  for (const TensorName& feed : args.feeds) options.add_feed(feed.text);
  for (const TensorName& fetch : args.fetches) options.add_fetch(fetch.text);
  for (const TensorName& target : args.targets) options.add_target(target.text);
  for (const Connection& connection : args.connections) {
    pb::TensorConnection& added = *options.add_tensor_connection();
    added.set_from_tensor(connection.from.text);
    added.set_to_tensor(connection.to.text);
  }
  ExportRunOptions(args.options, *options.mutable_run_options());
  pb::MakeCallableResponse response;
  LEAT_RETURN_IF_ERROR(master_->Call(methods::kMakeCallable, request, response,
                                     {.cancellation = cancellation_}));
  return Callable(std::make_shared<RemoteCallable>(shared_from_this(),
                                                   response.handle(), args));
}

absl::StatusOr<std::vector<Tensor>> RemoteSession::RunCallable(
    int64_t callable, size_t num_fetches, const RunOptions& options,
    absl::Span<const Tensor> feeds, pb::RunMetadata* metadata) {
  LEAT_RETURN_IF_ERROR(CheckTimeout(options));
  Running running(*this);
  LEAT_RETURN_IF_ERROR(running.Begin());
  pb::RunCallableRequest request;
  request.set_session_handle(handle_);
  request.set_handle(callable);
  request.set_request_id(RequestId());
  WireTensors sent;
  for (const Tensor& feed : feeds) sent.push_back({.tensor = feed});
  LEAT_ASSIGN_OR_RETURN(Payload payload,
                        master_->Call(methods::kRunCallable, request,
                                      std::move(sent), StepCall(options)));
  pb::RunCallableResponse response;
  LEAT_RETURN_IF_ERROR(ParseHeader(methods::kRunCallable, payload, response));
  if (metadata != nullptr) metadata->Swap(response.mutable_metadata());
  LEAT_RETURN_IF_ERROR(Materialize(payload));
  if (payload.tensors.size() != num_fetches) {
    return absl::InternalError(
        absl::StrCat("the master's response has ", payload.tensors.size(),
                     " tensors instead of ", num_fetches));
  }
  std::vector<Tensor> result;
  result.reserve(num_fetches);
  for (WireTensor& wire : payload.tensors) {
    result.push_back(std::move(wire.tensor));
  }
  return result;
}

void RemoteSession::ReleaseCallable(int64_t callable) {
  pb::ReleaseCallableRequest request;
  request.set_session_handle(handle_);
  request.set_handle(callable);
  master_->Notify(methods::kReleaseCallable, request);
}

absl::StatusOr<PartialRun> RemoteSession::StartPartialRun(
    const PartialRunArgs& args) {
  LEAT_RETURN_IF_ERROR(CheckObserver(args.options));
  LEAT_RETURN_IF_ERROR(CheckTimeout(args.options));
  Running running(*this);
  LEAT_RETURN_IF_ERROR(running.Begin());
  pb::PartialRunSetupRequest request;
  request.set_session_handle(handle_);
  request.set_request_id(RequestId());
  for (const TensorName& feed : args.feeds) request.add_feed(feed.text);
  for (const TensorName& fetch : args.fetches) request.add_fetch(fetch.text);
  for (const TensorName& target : args.targets) request.add_target(target.text);
  pb::PartialRunSetupResponse response;
  LEAT_RETURN_IF_ERROR(master_->Call(methods::kPartialRunSetup, request,
                                     response,
                                     {.cancellation = cancellation_}));
  return PartialRun(std::make_shared<RemotePartialRun>(
      shared_from_this(), response.partial_run_handle(), args));
}

void RemoteSession::NotifyStep(pb::RunStepRequest request) {
  Running running(*this);
  if (!running.Begin().ok()) return;
  request.set_session_handle(handle_);
  request.set_request_id(RequestId());
  master_->Notify(methods::kRunStep, request);
}

absl::Status RemoteSession::Extend(const Graph& graph) {
  Running running(*this);
  LEAT_RETURN_IF_ERROR(running.Begin());
  MutexLock lock(extending_);
  LEAT_ASSIGN_OR_RETURN(const GraphAddition addition,
                        MergeGraph(graph, graph_));
  const absl::Status status = SendAddition(addition.first);
  if (!status.ok()) addition.Undo(graph_);
  return status;
}

absl::Status RemoteSession::SendAddition(NodeId first) {
  pb::ExtendSessionRequest request;
  request.set_session_handle(handle_);
  request.set_current_graph_version(version_);
  request.set_request_id(RequestId());
  LEAT_ASSIGN_OR_RETURN(*request.mutable_graph_def(),
                        ExportForMaster(graph_, first));
  pb::ExtendSessionResponse response;
  LEAT_RETURN_IF_ERROR(master_->Call(methods::kExtendSession, request, response,
                                     {.cancellation = cancellation_}));
  version_ = response.new_graph_version();
  return absl::OkStatus();
}

std::vector<DeviceInfo> RemoteSession::ListDevices() const {
  pb::ListDevicesRequest request;
  request.set_session_handle(handle_);
  pb::ListDevicesResponse response;
  std::vector<DeviceInfo> devices;
  const absl::Status status =
      master_->Call(methods::kListDevices, request, response,
                    {.cancellation = cancellation_});
  if (status.ok()) {
    for (const auto& list :
         {&response.local_device(), &response.remote_device()}) {
      for (const pb::DeviceAttributes& attributes : *list) {
        absl::StatusOr<DeviceInfo> device = ImportDevice(attributes);
        if (device.ok()) devices.push_back(*std::move(device));
      }
    }
  }
  MutexLock lock(mutex_);
  if (status.ok()) devices_ = std::move(devices);
  return devices_;
}

absl::Status RemoteSession::Close() {
  bool first = false;
  {
    MutexLock lock(mutex_);
    first = !std::exchange(closed_, true);
  }
  absl::Status status;
  if (first && !handle_.empty()) {
    pb::CloseSessionRequest request;
    request.set_session_handle(handle_);
    pb::CloseSessionResponse response;
    status =
        master_->Call(methods::kCloseSession, request, response,
                      {.deadline = master_->clock().After(close_timeout_)});
  }
  cancellation_->Cancel(absl::CancelledError("the session was closed"));
  MutexLock lock(mutex_);
  while (num_running_ > 0) ended_.Wait(mutex_);
  return status;
}

absl::StatusOr<std::unique_ptr<MasterClient>> Connect(
    absl::string_view target, const RemoteSessionOptions& options) {
  LEAT_ASSIGN_OR_RETURN(MasterTarget master, ParseTarget(target));
  const TransportRegistry& transports =
      options.transports != nullptr ? *options.transports : BuiltinTransports();
  absl::StatusOr<std::unique_ptr<Transport>> transport = transports.Create(
      master.transport, {.max_message_bytes = options.max_message_bytes});
  if (absl::IsNotFound(transport.status())) {
    return absl::InvalidArgumentError(absl::StrCat(
        "target ", QuotedText(target), ": ", transport.status().message(),
        "; a target is grpc://host:port or unix:///path"));
  }
  LEAT_RETURN_IF_ERROR(transport.status());
  return std::make_unique<MasterClient>(*std::move(transport),
                                        std::move(master.address));
}

}  // namespace

absl::StatusOr<std::shared_ptr<Session>> NewRemoteSession(
    const Graph& graph, absl::string_view target,
    const RemoteSessionOptions& options) {
  LEAT_ASSIGN_OR_RETURN(std::unique_ptr<MasterClient> master,
                        Connect(target, options));
  auto session =
      std::make_shared<RemoteSession>(std::move(master), graph, options);
  LEAT_RETURN_IF_ERROR(session->Create(target, options));
  return std::shared_ptr<Session>(std::move(session));
}

absl::Status ResetTasks(absl::string_view target,
                        const RemoteSessionOptions& options,
                        absl::Span<const std::string> containers) {
  LEAT_ASSIGN_OR_RETURN(const std::unique_ptr<MasterClient> master,
                        Connect(target, options));
  pb::ResetRequest request;
  for (const std::string& filter : options.device_filters) {
    request.add_device_filters(filter);
  }
  for (const std::string& container : containers) {
    request.add_container(container);
  }
  pb::ResetResponse response;
  return master->CallPatiently(methods::kReset, request, response,
                               ConnectWaitOf(options));
}

}  // namespace leat
