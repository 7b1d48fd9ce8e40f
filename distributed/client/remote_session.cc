// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/client/remote_session.h"

#include <algorithm>
#include <atomic>
#include <climits>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "leat/core/quoted_text.h"
#include "leat/core/random_id.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/clock.h"
#include "leat/core/threads/mutex.h"
#include "leat/distributed/client/master_client.h"
#include "leat/distributed/cluster/device_attributes.h"
#include "leat/distributed/transport/call_errors.h"
#include "leat/graph/io/graph_def.h"
#include "leat/graph/merge.h"
#include "leat/graph/op_registry.h"
#include "leat/protos/config.pb.h"
#include "leat/protos/master.pb.h"
#include "leat/runtime/step_deadline.h"

namespace leat {
namespace {

using std::chrono::nanoseconds;

int64_t RequestId() { return static_cast<int64_t>(RandomId() >> 1); }

// Returns `timeout` in milliseconds, at least 1, because 0 would mean no
// timeout.
int64_t Milliseconds(nanoseconds timeout) {
  return std::max<int64_t>(
      1, std::chrono::ceil<std::chrono::milliseconds>(timeout).count());
}

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

void ExportRunOptions(const RunOptions& options, pb::RunOptions& sent) {
  static_assert(static_cast<int>(TraceLevel::kFull) ==
                pb::RunOptions::FULL_TRACE);
  sent.set_trace_level(
      static_cast<pb::RunOptions::TraceLevel>(options.trace_level));
  sent.set_output_partition_graphs(options.output_partition_graphs);
  sent.set_report_tensor_allocations_upon_oom(
      options.report_tensor_allocations_upon_oom);
  if (options.timeout.has_value()) {
    sent.set_timeout_in_ms(Milliseconds(*options.timeout));
  }
}

// Returns RESOURCE_EXHAUSTED if the graph is too large for a message. The error
// names the largest node, because usually a large constant is the cause.
absl::Status CheckSize(const pb::GraphDef& graph) {
  if (graph.ByteSizeLong() <= INT_MAX) return absl::OkStatus();
  const pb::NodeDef* largest = nullptr;
  for (const pb::NodeDef& node : graph.node()) {
    if (largest == nullptr || node.ByteSizeLong() > largest->ByteSizeLong()) {
      largest = &node;
    }
  }
  return absl::ResourceExhaustedError(absl::StrCat(
      "the graph takes ", graph.ByteSizeLong(), " bytes, but a message may ",
      "have at most ", INT_MAX,
      largest == nullptr
          ? ""
          : absl::StrCat(" (its largest node is '", largest->name(), "' with ",
                         largest->ByteSizeLong(), " bytes)")));
}

absl::StatusOr<pb::GraphDef> Export(const Graph& graph) {
  pb::GraphDef exported;
  LEAT_RETURN_IF_ERROR(ExportGraphDef(graph, exported));
  LEAT_RETURN_IF_ERROR(CheckSize(exported));
  return exported;
}

void ExportConfig(const RemoteSessionOptions& options,
                  pb::ConfigProto& config) {
  for (const std::string& filter : options.device_filters) {
    config.add_device_filters(filter);
  }
  config.set_isolate_session_state(options.isolate_state);
  config.set_allow_soft_placement(options.allow_soft_placement);
  config.set_log_device_placement(options.log_device_placement);
  ExportOptimizerOptions(options.optimizer, *config.mutable_graph_options());
}

ConnectWait ConnectWaitOf(const RemoteSessionOptions& options) {
  return {.timeout = options.connect_timeout,
          .cancellation = options.cancellation,
          .on_waiting = options.on_waiting};
}

class RemoteSession final : public Session,
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

  // Makes a call of the partial run `handle`.
  absl::StatusOr<std::vector<Tensor>> RunPartial(
      const std::string& handle, const RunOptions& options,
      const std::vector<Feed>& feeds, const std::vector<TensorName>& fetches);
  // Tells the master that the client does not use the partial run any more.
  absl::Status EndPartialRun(const std::string& handle);
  // Does the same, but does not wait for the answer.
  void AbandonPartialRun(const std::string& handle);

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

  // Calls RunStep with `feeds`, and returns the values of `fetches`, in order.
  absl::StatusOr<std::vector<Tensor>> RunStep(
      pb::RunStepRequest request, const std::vector<Feed>& feeds,
      const std::vector<TensorName>& fetches, const RunOptions& options,
      pb::RunMetadata* metadata);
  // Returns the request that ends a partial run.
  pb::RunStepRequest EndOf(const std::string& handle) const;
  CallOptions StepCall(const RunOptions& options) const;
  absl::Status Materialize(Payload& response) const;

  const std::unique_ptr<MasterClient> master_;
  const OpRegistry& ops_;
  const int64_t max_message_bytes_;
  const nanoseconds answer_grace_;
  const nanoseconds close_timeout_;
  std::string handle_;  // set by Create
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

class RemotePartialRun final : public PartialRun::Implementation {
 public:
  RemotePartialRun(std::shared_ptr<RemoteSession> session, std::string handle,
                   const PartialRunArgs& args)
      : session_(std::move(session)),
        handle_(std::move(handle)),
        options_(args.options),
        num_left_(args.feeds.size() + NumDistinct(args.fetches)) {}
  ~RemotePartialRun() override {
    if (!has_ended_) session_->AbandonPartialRun(handle_);
  }

  absl::StatusOr<std::vector<Tensor>> Run(
      const std::vector<Feed>& feeds,
      const std::vector<TensorName>& fetches) override {
    auto fetched = session_->RunPartial(handle_, options_, feeds, fetches);
    if (fetched.ok() &&
        (num_left_ -= feeds.size() + NumDistinct(fetches)) == 0) {
      has_ended_ = true;
    }
    return fetched;
  }

  absl::Status Finish() override {
    if (has_ended_.exchange(true)) return absl::OkStatus();
    return session_->EndPartialRun(handle_);
  }

 private:
  static size_t NumDistinct(const std::vector<TensorName>& names) {
    absl::flat_hash_set<absl::string_view> distinct;
    for (const TensorName& name : names) distinct.insert(name.text);
    return distinct.size();
  }

  const std::shared_ptr<RemoteSession> session_;
  const std::string handle_;
  const RunOptions options_;
  // The number of feeds and fetches that have not been used.
  std::atomic<size_t> num_left_;
  std::atomic<bool> has_ended_ = false;
};

absl::Status RemoteSession::Create(absl::string_view target,
                                   const RemoteSessionOptions& options) {
  pb::CreateSessionRequest request;
  {
    MutexLock lock(extending_);
    LEAT_ASSIGN_OR_RETURN(*request.mutable_graph_def(), Export(graph_));
  }
  ExportConfig(options, *request.mutable_config());
  request.set_target(std::string(target));
  request.set_request_id(RequestId());
  pb::CreateSessionResponse response;
  LEAT_RETURN_IF_ERROR(master_->CallPatiently(
      methods::kCreateSession, request, response, ConnectWaitOf(options)));
  // From now on the transport notices when the master falls silent, and ends
  // the calls that wait for the master.
  if (response.has_leat()) master_->Watch();
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

absl::StatusOr<std::vector<Tensor>> RemoteSession::RunPartial(
    const std::string& handle, const RunOptions& options,
    const std::vector<Feed>& feeds, const std::vector<TensorName>& fetches) {
  pb::RunStepRequest request;
  request.set_partial_run_handle(handle);
  return RunStep(std::move(request), feeds, fetches, options, nullptr);
}

pb::RunStepRequest RemoteSession::EndOf(const std::string& handle) const {
  pb::RunStepRequest request;
  request.set_session_handle(handle_);
  request.set_partial_run_handle(handle);
  request.mutable_leat()->set_ends_partial_run(true);
  request.set_store_errors_in_response_body(true);
  request.set_request_id(RequestId());
  return request;
}

absl::Status RemoteSession::EndPartialRun(const std::string& handle) {
  Running running(*this);
  LEAT_RETURN_IF_ERROR(running.Begin());
  pb::RunStepResponse response;
  return master_->Call(methods::kRunStep, EndOf(handle), response,
                       {.cancellation = cancellation_});
}

void RemoteSession::AbandonPartialRun(const std::string& handle) {
  Running running(*this);
  if (!running.Begin().ok()) return;
  master_->Notify(methods::kRunStep, EndOf(handle));
}

absl::Status RemoteSession::Extend(const Graph& graph) {
  Running running(*this);
  LEAT_RETURN_IF_ERROR(running.Begin());
  MutexLock lock(extending_);
  LEAT_ASSIGN_OR_RETURN(Graph merged, MergeGraphs(graph_, graph));
  LEAT_ASSIGN_OR_RETURN(pb::GraphDef exported, Export(merged));
  pb::ExtendSessionRequest request;
  request.set_session_handle(handle_);
  request.set_current_graph_version(version_);
  request.set_request_id(RequestId());
  // The master must get each node only once, so only the new nodes are sent.
  pb::GraphDef& addition = *request.mutable_graph_def();
  for (pb::NodeDef& node : *exported.mutable_node()) {
    if (graph_.Find(node.name()) == kNoNode) addition.add_node()->Swap(&node);
  }
  addition.mutable_library()->Swap(exported.mutable_library());
  addition.mutable_versions()->Swap(exported.mutable_versions());
  pb::ExtendSessionResponse response;
  LEAT_RETURN_IF_ERROR(master_->Call(methods::kExtendSession, request, response,
                                     {.cancellation = cancellation_}));
  version_ = response.new_graph_version();
  graph_ = std::move(merged);
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
