// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/worker/worker_step.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/devices/rendezvous.h"
#include "leat/core/escaped_text.h"
#include "leat/core/status_macros.h"
#include "leat/core/status_payloads.h"
#include "leat/distributed/collectives/cluster_collectives.h"
#include "leat/distributed/exchange/recv_bundles.h"
#include "leat/distributed/exchange/remote_rendezvous.h"
#include "leat/distributed/exchange/step_table.h"
#include "leat/distributed/exchange/traffic.h"
#include "leat/distributed/transport/call_errors.h"
#include "leat/distributed/worker/registered_graph.h"
#include "leat/distributed/worker/worker_session.h"
#include "leat/graph/op_registry.h"
#include "leat/protos/config.pb.h"
#include "leat/runtime/device_set.h"
#include "leat/runtime/executor/step.h"
#include "leat/runtime/executor/step_allocations.h"
#include "leat/runtime/graph_sampler.h"
#include "leat/runtime/step_stats.h"

namespace leat {
namespace {

int64_t Micros(std::chrono::system_clock::time_point time) {
  return std::chrono::duration_cast<std::chrono::microseconds>(
             time.time_since_epoch())
      .count();
}

// Writes the status to the response. Writes the payloads of the status to a
// field of Leat, because TensorFlow's message has no field for them.
void SetStatus(const absl::Status& status, pb::RunGraphResponse& response) {
  response.set_status_code(static_cast<int>(status.code()));
  response.set_status_error_message(EscapedLines(status.message()));
  std::string payloads = EncodePayloads(status);
  if (payloads.empty()) return;
  response.mutable_leat()->set_payloads(std::move(payloads));
}

}  // namespace

void ReplyToRunGraph(RunGraphCall& call, const absl::Status& status,
                     pb::RunGraphResponse response, WireTensors tensors) {
  const bool in_response = call.request.store_errors_in_response_body();
  PeerTraffic* const traffic = std::exchange(call.traffic, nullptr);
  Reply reply = std::move(call.reply);
  if (!status.ok() && !in_response) {
    if (traffic != nullptr) traffic->CountServed(call.received_bytes, 0);
    return std::move(reply)(status);
  }
  Payload payload;
  if (status.ok()) {
    payload.tensors = std::move(tensors);
  } else {
    SetStatus(AsCalleeError(status), response);
  }
  if (!response.SerializeToString(&payload.header)) {
    return std::move(reply)(absl::ResourceExhaustedError(absl::StrCat(
        "The response to RunGraph of step ", call.request.step_id(), " takes ",
        response.ByteSizeLong(), " bytes, more than a message may have")));
  }
  if (traffic != nullptr) {
    traffic->CountServed(call.received_bytes, MessageBytes(payload));
  }
  std::move(reply)(std::move(payload));
}

absl::Status DeadFetch(absl::string_view key) {
  return absl::InvalidArgumentError(
      absl::StrCat("fetch '", ParsedKey(std::string(key)).tensor_name(),
                   "' has no value: it is on a branch that was not taken"));
}

WorkerStep::WorkerStep(const WorkerEnvironment& environment,
                       std::shared_ptr<WorkerSession> session,
                       std::shared_ptr<const RegisteredGraph> graph,
                       RunGraphCall call)
    : environment_(environment),
      session_(std::move(session)),
      graph_(std::move(graph)),
      call_(std::move(call)) {}

WorkerStep::~WorkerStep() = default;

void WorkerStep::Run(const WorkerEnvironment& environment,
                     std::shared_ptr<WorkerSession> session,
                     std::shared_ptr<const RegisteredGraph> graph,
                     RunGraphCall call) {
  auto step = std::make_shared<WorkerStep>(environment, std::move(session),
                                           std::move(graph), std::move(call));
  step->session_->steps().Begin();
  // Joins first, so that peers that wait for the step get the errors of the
  // calls below.
  if (const absl::Status joined = step->Join(); !joined.ok()) {
    step->Fail(joined);
    return step->Leave();
  }
  const std::weak_ptr<WorkerStep> weak = step;
  Cancellation::Token token = 0;
  const bool registered = step->call_.context->cancellation.Register(
      [weak](const absl::Status& why) {
        auto cancelled = weak.lock();
        if (cancelled == nullptr) return;
        cancelled->Fail(AsDerived(absl::CancelledError(absl::StrCat(
            "RunGraph was cancelled by its master: ", why.message()))));
      },
      &token);
  if (registered) {
    step->cancellation_ = token;
  } else {
    step->Fail(AsDerived(
        absl::CancelledError("RunGraph was cancelled before it began")));
  }
  if (step->call_.feeds.IsQuick()) {
    step->Begin();
  } else {
    environment.devices->compute_queue().Add([step] { step->Begin(); });
  }
}

void WorkerStep::Begin() {
  if (const absl::Status status = TryBegin(); !status.ok()) Fail(status);
  Leave();
}

absl::Status WorkerStep::Join() {
  const bool is_shared = call_.request.leat().is_shared();
  RunInputs inputs{.devices = session_->devices(), .is_shared = is_shared};
  // A bundle is sent in one message. If the limit of the message size is too
  // small for a bundle, each tensor is received alone.
  if (environment_.limits.max_message_bytes >= 2 * kBundleLimits.max_bytes) {
    inputs.bundles = graph_->bundles();
  }
  if (call_.request.exec_opts().record_timeline()) {
    inputs.recorder = std::make_shared<StepStatsRecorder>();
  }
  LEAT_ASSIGN_OR_RETURN(std::shared_ptr<StepOutbox> outbox,
                        environment_.steps->Begin(
                            call_.request.step_id(), session_->handle(), this,
                            [weak = weak_from_this()](const absl::Status& why) {
                              if (auto step = weak.lock()) step->Fail(why);
                            },
                            is_shared));
  recorder_ = inputs.recorder;
  rendezvous_ = std::make_unique<RemoteRendezvous>(
      std::move(outbox), *environment_.receiver, std::move(inputs));
  // The session may have been closed, and its steps ended, before this run was
  // in the step table.
  return session_->CheckOpen();
}

absl::Status WorkerStep::TryBegin() {
  {
    // The step may have failed while Begin waited for a thread of the pool.
    MutexLock lock(mutex_);
    LEAT_RETURN_IF_ERROR(early_);
  }
  LEAT_RETURN_IF_ERROR(TakeFeeds());
  LEAT_ASSIGN_OR_RETURN(Step* const step, MakeStep());
  StartTimer();
  Enter();  // for the graph, which may have ended before Start returns
  session_->runner().Start(
      graph_->compiled(), *step,
      [self = shared_from_this()](const absl::Status&) { self->Leave(); });
  return absl::OkStatus();
}

absl::Status WorkerStep::TakeFeeds() {
  LEAT_RETURN_IF_ERROR(call_.feeds.Materialize(
      session_->host_allocator(), &environment_.ops->variants(),
      environment_.limits.max_message_bytes));
  LEAT_ASSIGN_OR_RETURN(arguments_,
                        graph_->Arguments(std::move(call_.feeds.tensors)));
  const auto& keys = call_.request.recv_key();
  LEAT_ASSIGN_OR_RETURN(
      fetched_,
      graph_->Returns({keys.data(), static_cast<size_t>(keys.size())}));
  returns_.resize(graph_->num_returns());
  return absl::OkStatus();
}

absl::StatusOr<Step*> WorkerStep::MakeStep() {
  MutexLock lock(mutex_);
  LEAT_RETURN_IF_ERROR(early_);
  if (call_.request.exec_opts().report_tensor_allocations_upon_oom()) {
    allocations_ = std::make_unique<StepAllocations>();
  }
  StepObserver* observer = recorder_.get();
  if (graph_->compiled()->sampler != nullptr) {
    sample_ = std::make_unique<StepSample>(graph_->compiled()->sampler.get(),
                                           call_.request.step_id(), observer);
    observer = sample_->observer();
  }
  step_ = std::make_unique<Step>(call_.request.step_id(), *rendezvous_,
                                 arguments_, absl::MakeSpan(returns_), observer,
                                 allocations_.get(), StepCall(),
                                 graph_->collectives().get());
  return step_.get();
}

void WorkerStep::StartTimer() {
  if (!call_.context->deadline.has_value()) return;
  timer_ = environment_.timers->At(
      *call_.context->deadline,
      [weak = weak_from_this(), id = call_.request.step_id()] {
        auto step = weak.lock();
        if (step == nullptr) return;
        step->Fail(absl::DeadlineExceededError(absl::StrCat(
            "step ", id, " ran longer than the time that its master gave it")));
      });
}

bool WorkerStep::Enter() {
  MutexLock lock(mutex_);
  if (users_ == 0) return false;
  ++users_;
  return true;
}

void WorkerStep::Leave() {
  {
    MutexLock lock(mutex_);
    if (--users_ > 0) return;
  }
  if (!CompletesSlowly()) return Complete();
  environment_.devices->compute_queue().Add(
      [self = shared_from_this()] { self->Complete(); });
}

bool WorkerStep::CompletesSlowly() const {
  const pb::ExecutorOpts& wanted = call_.request.exec_opts();
  return wanted.record_timeline() || wanted.record_partition_graphs() ||
         (sample_ != nullptr && sample_->is_recording()) ||
         !std::all_of(returns_.begin(), returns_.end(), [](const Tensor& t) {
           return !t.IsValid() || IsPlainBytes(t.dtype());
         });
}

void WorkerStep::Fail(const absl::Status& why) {
  if (!Enter()) return;
  Step* step = nullptr;
  {
    MutexLock lock(mutex_);
    step = step_.get();
    // Keeps the same error that a Step would keep: the first one that is not
    // derived.
    if (step == nullptr &&
        (early_.ok() || (IsDerived(early_) && !IsDerived(why)))) {
      early_ = why;
    }
  }
  if (step != nullptr) step->Fail(why);
  Leave();
}

absl::Status WorkerStep::CollectFetches(WireTensors& tensors) {
  for (size_t i = 0; i < fetched_.size(); ++i) {
    const std::string& key = call_.request.recv_key(static_cast<int>(i));
    Tensor& tensor = returns_[static_cast<size_t>(fetched_[i])];
    if (!tensor.IsValid()) return DeadFetch(key);
    tensors.push_back({.name = key, .tensor = std::move(tensor)});
  }
  return absl::OkStatus();
}

absl::Status WorkerStep::Describe(pb::RunGraphResponse& response) {
  const pb::ExecutorOpts& wanted = call_.request.exec_opts();
  if (recorder_ != nullptr) {
    recorder_->Export(*response.mutable_step_stats());
    AddTimelineLabels(*graph_->compiled(), *environment_.ops,
                      *response.mutable_step_stats());
    response.mutable_leat()->set_received_us(Micros(call_.received));
    response.mutable_leat()->set_replied_us(
        Micros(std::chrono::system_clock::now()));
  }
  if (wanted.record_partition_graphs()) {
    pb::RunMetadata metadata;
    LEAT_RETURN_IF_ERROR(ExportPartitionGraphs(*graph_->compiled(),
                                               *environment_.ops, metadata));
    response.mutable_partition_graph()->Swap(
        metadata.mutable_partition_graphs());
  }
  return absl::OkStatus();
}

absl::Status WorkerStep::TakeOutcome() {
  std::unique_ptr<Step> step;  // destroyed here, with its stacks
  MutexLock lock(mutex_);
  step.swap(step_);
  return step != nullptr ? step->status() : early_;
}

void WorkerStep::EndStep(const absl::Status& status) {
  StepTable& steps = *environment_.steps;
  const int64_t id = call_.request.step_id();
  if (rendezvous_ == nullptr) return;  // The run has not begun.
  steps.Finish(id, this, status);
  if (status.ok() && call_.request.leat().ends_alone()) {
    steps.Release(id, session_->handle(),
                  absl::AbortedError(absl::StrCat("step ", id, " has ended")));
  }
}

void WorkerStep::Complete() {
  absl::Status status = TakeOutcome();
  if (sample_ != nullptr) sample_->End(status.ok());
  if (timer_ != 0) environment_.timers->Cancel(timer_);
  if (cancellation_.has_value()) {
    call_.context->cancellation.Deregister(*cancellation_);
  }
  pb::RunGraphResponse response;
  WireTensors tensors;
  if (status.ok()) status = CollectFetches(tensors);
  if (const absl::Status described = Describe(response); status.ok()) {
    status = described;
  }
  if (!status.ok() && graph_->collectives() != nullptr) {
    environment_.collectives->StepHasFailed(call_.request.step_id(), status,
                                            graph_->collectives().get());
  }
  EndStep(status);
  arguments_.clear();
  returns_.clear();
  rendezvous_ = nullptr;
  graph_ = nullptr;
  session_->steps().End(status.ok());
  session_ = nullptr;
  // Does not touch the worker after the reply, because the worker may be
  // destroyed by then.
  RunGraphCall call = std::move(call_);
  ReplyToRunGraph(call, status, std::move(response), std::move(tensors));
}

}  // namespace leat
