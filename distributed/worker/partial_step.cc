// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/worker/partial_step.h"

#include <atomic>
#include <optional>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "leat/core/check.h"
#include "leat/core/devices/rendezvous.h"
#include "leat/core/status_macros.h"
#include "leat/core/status_payloads.h"
#include "leat/core/threads/cancellation.h"
#include "leat/distributed/exchange/remote_rendezvous.h"
#include "leat/distributed/exchange/step_table.h"
#include "leat/distributed/worker/registered_graph.h"
#include "leat/distributed/worker/worker_session.h"
#include "leat/graph/op_registry.h"
#include "leat/runtime/device_set.h"

namespace leat {

namespace {

// A partial run may stay open for a long time, and a session may have many of
// them. So the session is charged for the memory that each run keeps.
absl::StatusOr<BufferRef> ChargeState(const CompiledGraph& graph,
                                      Allocator& allocator) {
  int64_t bytes = 0;
  for (const auto& executor : graph.executors) bytes += executor->step_bytes();
  BufferRef state = allocator.Reserve(bytes);
  if (state != nullptr) return state;
  return absl::ResourceExhaustedError(absl::StrCat(
      "Out of memory when allocating ", bytes,
      " bytes for the state of a partial run by allocator ", allocator.name()));
}

}  // namespace

// A Visit is one call of RunGraph to the step. Several threads bring its
// fetches, and each thread writes a different tensor. The last thread calls
// Settle.
struct PartialStep::Visit {
  explicit Visit(RunGraphCall call) : call(std::move(call)) {}

  RunGraphCall call;
  WireTensors fetched = {};
  std::atomic<int> num_missing = 0;
  std::optional<Cancellation::Token> cancellation = {};
  TimerQueue::Id timer = 0;
  bool ends_step = false;  // set by Settle
  Mutex mutex;
  absl::Status status ABSL_GUARDED_BY(mutex);
};

PartialStep::PartialStep(const WorkerEnvironment& environment,
                         PartialSteps& table,
                         const pb::RunGraphRequest& request,
                         std::shared_ptr<WorkerSession> session,
                         std::shared_ptr<const RegisteredGraph> graph)
    : environment_(environment),
      table_(table),
      step_id_(request.step_id()),
      session_handle_(session->handle()),
      graph_handle_(request.graph_handle()),
      session_(std::move(session)),
      graph_(std::move(graph)),
      allocations_(request.exec_opts().report_tensor_allocations_upon_oom()
                       ? std::make_unique<StepAllocations>()
                       : nullptr) {}

PartialStep::~PartialStep() = default;

absl::Status PartialStep::Join() {
  LEAT_ASSIGN_OR_RETURN(
      state_, ChargeState(*graph_->compiled(), session_->host_allocator()));
  LEAT_ASSIGN_OR_RETURN(std::shared_ptr<StepOutbox> outbox,
                        environment_.steps->Begin(
                            step_id_, session_->handle(), this,
                            [weak = weak_from_this()](const absl::Status& why) {
                              const auto step = weak.lock();
                              if (step != nullptr)
                                step->Fail(why, /*ends_step=*/true);
                            }));
  // Each tensor is received alone, because a bundle is sent only when all of
  // its tensors exist. Some of them may depend on feeds of later calls.
  rendezvous_ = std::make_unique<RemoteRendezvous>(
      std::move(outbox), *environment_.receiver,
      RunInputs{.devices = session_->devices()});
  step_ =
      std::make_unique<Step>(step_id_, *rendezvous_, absl::Span<const Tensor>(),
                             absl::Span<Tensor>(), nullptr, allocations_.get());
  absl::Status early;
  {
    MutexLock lock(mutex_);
    is_joined_ = true;
    early = early_;
  }
  if (!early.ok()) step_->Fail(early);
  return absl::OkStatus();
}

void PartialStep::Start() {
  // The session may have been closed, and its steps ended, before this run was
  // in the step table.
  const absl::Status open = session_->CheckOpen();
  if (!open.ok()) Fail(open, /*ends_step=*/true);
  session_->runner().Start(graph_->compiled(), *step_,
                           [self = shared_from_this()](const absl::Status&) {
                             self->GraphHasEnded();
                           });
}

void PartialStep::Serve(RunGraphCall call) {
  bool takes_calls = false;
  {
    MutexLock lock(mutex_);
    takes_calls = takes_calls_;
    if (takes_calls) ++users_;
  }
  if (!takes_calls) {
    return ReplyToRunGraph(
        call, AsDerived(absl::AbortedError(absl::StrCat(
                  "step ", step_id_, " has ended on ", environment_.task))));
  }
  session_->steps().Begin();
  const auto visit = std::make_shared<Visit>(std::move(call));
  Watch(visit);
  if (visit->call.feeds.IsQuick()) return Exchange(visit);
  environment_.devices->compute_queue().Add(
      [self = shared_from_this(), visit] { self->Exchange(visit); });
}

void PartialStep::Watch(const std::shared_ptr<Visit>& visit) {
  const CallContext& context = *visit->call.context;
  Cancellation::Token token = 0;
  const auto fail = [weak = weak_from_this()](const absl::Status& why) {
    const auto step = weak.lock();
    if (step != nullptr) step->Fail(why, /*ends_step=*/false);
  };
  const bool registered = visit->call.context->cancellation.Register(
      [fail](const absl::Status& why) {
        fail(AsDerived(absl::CancelledError(absl::StrCat(
            "RunGraph was cancelled by its master: ", why.message()))));
      },
      &token);
  if (registered) {
    visit->cancellation = token;
  } else {
    fail(AsDerived(
        absl::CancelledError("RunGraph was cancelled before it began")));
  }
  if (!context.deadline.has_value()) return;
  visit->timer =
      environment_.timers->At(*context.deadline, [fail, id = step_id_] {
        fail(absl::DeadlineExceededError(absl::StrCat(
            "step ", id, " ran longer than the time that its master gave it")));
      });
}

absl::Status PartialStep::Feed(Visit& visit) {
  Payload& feeds = visit.call.feeds;
  LEAT_RETURN_IF_ERROR(feeds.Materialize(
      session_->host_allocator(), &environment_.ops->variants(),
      environment_.limits.max_message_bytes));
  for (WireTensor& feed : feeds.tensors) {
    LEAT_RETURN_IF_ERROR(graph_->CheckFeed(feed));
    LEAT_RETURN_IF_ERROR(rendezvous_->Send(ParsedKey(std::move(feed.name)),
                                           std::move(feed.tensor),
                                           /*is_dead=*/false));
  }
  feeds.tensors.clear();
  const auto& keys = visit.call.request.recv_key();
  return graph_->Returns({keys.data(), static_cast<size_t>(keys.size())})
      .status();
}

void PartialStep::Exchange(const std::shared_ptr<Visit>& visit) {
  const auto& keys = visit->call.request.recv_key();
  const absl::Status fed = Feed(*visit);
  if (!fed.ok() || keys.empty()) return Settle(visit, fed);
  visit->num_missing = keys.size();
  for (const std::string& key : keys) visit->fetched.push_back({.name = key});
  for (int i = 0; i < keys.size(); ++i) {
    ParsedKey key(keys[i]);
    rendezvous_->RecvAsync(
        key, [self = shared_from_this(), visit, i](
                 const absl::Status& status, Tensor tensor, bool is_dead) {
          WireTensor& fetched = visit->fetched[static_cast<size_t>(i)];
          fetched.tensor = std::move(tensor);
          {
            MutexLock lock(visit->mutex);
            visit->status.Update(
                status.ok() && is_dead ? DeadFetch(fetched.name) : status);
          }
          if (visit->num_missing.fetch_sub(1) > 1) return;
          absl::Status all;
          {
            MutexLock lock(visit->mutex);
            all = visit->status;
          }
          self->Settle(visit, all);
        });
  }
}

void PartialStep::Settle(const std::shared_ptr<Visit>& visit,
                         const absl::Status& status) {
  visit->ends_step = !status.ok() || visit->call.request.is_last_partial_run();
  if (!status.ok()) step_->Fail(status);
  if (visit->ends_step) {
    MutexLock lock(mutex_);
    takes_calls_ = false;
    if (!graph_has_ended_) {
      waiting_.push_back(visit);
      return;
    }
  }
  Answer(*visit);
}

void PartialStep::Answer(Visit& visit) {
  if (visit.timer != 0) environment_.timers->Cancel(visit.timer);
  if (visit.cancellation.has_value()) {
    visit.call.context->cancellation.Deregister(*visit.cancellation);
  }
  const absl::Status status =
      visit.ends_step ? step_->status() : absl::OkStatus();
  session_->steps().End(status.ok());
  // Does not touch the worker after the reply, because the worker may be
  // destroyed by then.
  RunGraphCall call = std::move(visit.call);
  WireTensors fetched = std::move(visit.fetched);
  Leave();
  ReplyToRunGraph(call, status, {}, std::move(fetched));
}

void PartialStep::Fail(const absl::Status& why, bool ends_step) {
  {
    MutexLock lock(mutex_);
    if (has_ended_) return;
    if (ends_step) takes_calls_ = false;
    if (!is_joined_) {
      early_.Update(why);
      return;
    }
    ++users_;
  }
  step_->Fail(why);
  Leave();
}

void PartialStep::GraphHasEnded() {
  std::vector<std::shared_ptr<Visit>> waiting;
  {
    MutexLock lock(mutex_);
    graph_has_ended_ = true;
    waiting.swap(waiting_);
  }
  for (const std::shared_ptr<Visit>& visit : waiting) Answer(*visit);
  Leave();
}

void PartialStep::Leave() {
  {
    MutexLock lock(mutex_);
    if (--users_ > 0 || takes_calls_) return;
    has_ended_ = true;
  }
  End();
}

void PartialStep::End() {
  environment_.steps->Finish(step_id_, this, step_->status());
  step_ = nullptr;
  state_ = nullptr;
  allocations_ = nullptr;
  rendezvous_ = nullptr;
  graph_ = nullptr;
  session_ = nullptr;
  table_.HasEnded(step_id_);
}

PartialSteps::~PartialSteps() {
  MutexLock lock(mutex_);
  LEAT_CHECK(steps_.empty());
}

absl::StatusOr<std::shared_ptr<PartialStep>> PartialSteps::FindOrBegin(
    const pb::RunGraphRequest& request, std::shared_ptr<WorkerSession> session,
    std::shared_ptr<const RegisteredGraph> graph, bool& is_new) {
  MutexLock lock(mutex_);
  const auto found = steps_.find(request.step_id());
  if (found != steps_.end()) {
    if (found->second->Runs(session->handle(), request.graph_handle())) {
      return found->second;
    }
    return absl::InvalidArgumentError(
        absl::StrCat("the partial step ", request.step_id(), " on ",
                     environment_.task, " runs another graph"));
  }
  if (absl::c_linear_search(ended_, request.step_id())) {
    return AsDerived(
        absl::AbortedError(absl::StrCat("the partial step ", request.step_id(),
                                        " has ended on ", environment_.task)));
  }
  if (steps_.size() >= kMaxSteps) {
    return absl::ResourceExhaustedError(
        absl::StrCat(environment_.task, " has at most ", kMaxSteps,
                     " steps of partial runs that have not ended"));
  }
  auto step = std::make_shared<PartialStep>(
      environment_, *this, request, std::move(session), std::move(graph));
  LEAT_RETURN_IF_ERROR(step->Join());
  steps_.emplace(request.step_id(), step);
  is_new = true;
  return step;
}

void PartialSteps::Run(std::shared_ptr<WorkerSession> session,
                       std::shared_ptr<const RegisteredGraph> graph,
                       RunGraphCall call) {
  bool is_new = false;
  const absl::StatusOr<std::shared_ptr<PartialStep>> step =
      FindOrBegin(call.request, std::move(session), std::move(graph), is_new);
  if (!step.ok()) return ReplyToRunGraph(call, step.status());
  if (is_new) (*step)->Start();
  (*step)->Serve(std::move(call));
}

void PartialSteps::EndRunsOf(const WorkerSession& session,
                             absl::string_view graph_handle) {
  std::vector<std::shared_ptr<PartialStep>> ended;
  {
    MutexLock lock(mutex_);
    for (const auto& [id, step] : steps_) {
      if (step->Runs(session.handle(), graph_handle)) ended.push_back(step);
    }
  }
  for (const std::shared_ptr<PartialStep>& step : ended) {
    step->Fail(AsDerived(absl::AbortedError(absl::StrCat(
                   "the graph of the partial run was deregistered on ",
                   environment_.task))),
               /*ends_step=*/true);
  }
}

void PartialSteps::HasEnded(int64_t step_id) {
  std::shared_ptr<PartialStep> erased;  // outlives the lock
  MutexLock lock(mutex_);
  ended_[next_ended_] = step_id;
  next_ended_ = (next_ended_ + 1) % ended_.size();
  const auto found = steps_.find(step_id);
  if (found == steps_.end()) return;
  erased = std::move(found->second);
  steps_.erase(found);
  erased_.NotifyAll();
}

void PartialSteps::WaitUntilEmpty() {
  MutexLock lock(mutex_);
  while (!steps_.empty()) erased_.Wait(mutex_);
}

}  // namespace leat
