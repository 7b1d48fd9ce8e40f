// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/master/master_step.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "leat/core/random_id.h"
#include "leat/core/status_macros.h"
#include "leat/core/status_payloads.h"
#include "leat/core/threads/clock.h"
#include "leat/distributed/master/master_environment.h"
#include "leat/distributed/tasks/end_notices.h"
#include "leat/distributed/tasks/fan_out.h"
#include "leat/distributed/trace/rpc_logs.h"
#include "leat/distributed/wire/messages.h"
#include "leat/distributed/wire/payload.h"
#include "leat/graph/op_registry.h"
#include "leat/protos/leat_worker.pb.h"
#include "leat/runtime/step_deadline.h"

namespace leat {
namespace {

// Returns `micros` in nanoseconds. Returns 0 for a number that cannot be a
// time, because a peer may send any number.
int64_t NanosOf(int64_t micros) {
  return micros > 0 && micros < INT64_MAX / 1000 ? micros * 1000 : 0;
}

}  // namespace

std::shared_ptr<MasterStep> MasterStep::Start(
    std::shared_ptr<const MasterEnvironment> environment, Allocator& allocator,
    StepRequest request, Done done, Ended ended) {
  const absl::Status checked =
      request.partial.has_value()
          ? absl::OkStatus()
          : CheckFeeds(request.plan->feeds, request.feeds);
  std::shared_ptr<MasterStep> step(
      new MasterStep(std::move(environment), allocator, std::move(request),
                     std::move(done), std::move(ended)));
  if (!checked.ok()) {
    step->Refuse(checked);
    return step;
  }
  step->SetDeadline();
  step->ListenToClient();
  step->Begin();
  return step;
}

void MasterStep::Refuse(const absl::Status& why) {
  Ended ended;
  {
    MutexLock lock(mutex_);
    statuses_.push_back({.status = why});
    owed_ = Owed::kNothing;
    ended = std::exchange(ended_, nullptr);
  }
  feeds_.clear();
  GiveAnswer();
  std::move(ended)();
}

MasterStep::MasterStep(std::shared_ptr<const MasterEnvironment> environment,
                       Allocator& allocator, StepRequest request, Done done,
                       Ended ended)
    : environment_(std::move(environment)),
      allocator_(allocator),
      feeds_(std::move(request.feeds)),
      request_(std::move(request)),
      logged_(ForeignTasks(request_)),
      step_id_(request_.partial.has_value()  ? request_.partial->step_id
               : request_.shared.has_value() ? request_.shared->id
                                             : RandomStepId()),
      parts_(std::make_shared<Cancellation>()),
      wall_clock_offset_(request_.trace ? WallClockOffset()
                                        : std::chrono::nanoseconds(0)),
      done_(std::move(done)),
      ended_(std::move(ended)),
      owed_(request_.plan->parts.empty() ? Owed::kNothing : Owed::kReplies),
      missing_(request_.plan->parts.size()),
      fetches_(request_.plan->fetches.size()),
      responses_(request_.plan->parts.size()),
      times_(request_.trace ? request_.plan->parts.size() : 0) {}

MasterStep::~MasterStep() = default;

int64_t MasterStep::WallTime() const {
  return std::chrono::nanoseconds(RealClock().Now().time_since_epoch() +
                                  wall_clock_offset_)
      .count();
}

void MasterStep::SetDeadline() {
  if (!request_.deadline.has_value()) return;
  MutexLock lock(mutex_);
  timers_.push_back(environment_->timers->At(
      request_.deadline->at, [weak = weak_from_this()] {
        const auto self = weak.lock();
        if (self == nullptr) return;
        self->Cancel(RanTooLong(*self->request_.deadline));
      }));
}

void MasterStep::ListenToClient() {
  if (request_.call == nullptr) return;
  Cancellation& client = request_.call->cancellation;
  Cancellation::Token token;
  const bool registered = client.Register(
      [weak = weak_from_this()](const absl::Status& why) {
        if (const auto self = weak.lock()) self->Cancel(why);
      },
      &token);
  if (!registered) return Cancel(client.status());
  MutexLock lock(mutex_);
  client_token_ = token;
}

std::vector<std::string> MasterStep::ForeignTasks(const StepRequest& request) {
  std::vector<std::string> tasks;
  if (!request.trace) return tasks;
  for (const TaskPart& part : request.plan->parts) {
    if (part.is_foreign) tasks.push_back(part.task);
  }
  return tasks;
}

void MasterStep::Begin() {
  if (logged_.empty()) return Send();
  StartRpcLogs(*environment_->tasks, logged_,
               environment_->intervals.wait_for_logs, parts_,
               [self = shared_from_this()] { self->Send(); });
}

void MasterStep::FetchLogs() {
  EndRpcLogs(*environment_->tasks, logged_,
             environment_->intervals.wait_for_logs, step_id_,
             *environment_->blocking,
             [self = shared_from_this()](std::vector<pb::StepStats> logs) {
               self->KeepLogs(std::move(logs));
             });
}

void MasterStep::KeepLogs(std::vector<pb::StepStats> logs) {
  {
    MutexLock lock(mutex_);
    size_t next = 0;
    for (size_t i = 0; i < responses_.size(); ++i) {
      if (!request_.plan->parts[i].is_foreign) continue;
      responses_[i].mutable_step_stats()->MergeFrom(logs[next++]);
    }
    owed_ = Owed::kNothing;
  }
  Finish();
}

void MasterStep::Send() {
  const std::vector<TaskPart>& parts = request_.plan->parts;
  for (size_t i = 0; i < parts.size(); ++i) {
    std::vector<int64_t> cleanups;
    if (!parts[i].is_foreign) {
      cleanups = environment_->notices->TakeSteps(parts[i].task);
    }
    Payload request{
        .header = RunGraphHeader(parts[i], CallOf(parts[i], cleanups)),
        .tensors = FeedsOf(parts[i])};
    // Releases the feeds now. Their memory is charged to the session, and the
    // session's next step may come as soon as this step is answered.
    if (i + 1 == parts.size()) feeds_.clear();
    if (request_.trace) {
      MutexLock lock(mutex_);
      times_[i].called = WallTime();
    }
    environment_->tasks->Call(
        parts[i].task, methods::kRunGraph, std::move(request),
        {.cancellation = parts_},
        [self = shared_from_this(), i,
         cleanups = std::move(cleanups)](absl::StatusOr<Payload> reply) {
          if (!reply.ok()) self->GiveBack(i, cleanups);
          self->Receive(i, std::move(reply));
        });
  }
  if (!parts.empty()) return;
  feeds_.clear();
  GiveAnswer();
  CleanUp();
}

void MasterStep::GiveBack(size_t part, const std::vector<int64_t>& cleanups) {
  for (const int64_t step_id : cleanups) {
    // DeferStep returns false after EndNotices::Stop. The tasks then end these
    // steps together with their sessions.
    static_cast<void>(environment_->notices->DeferStep(
        request_.plan->parts[part].task, step_id));
  }
}

bool MasterStep::DeferCleanup(const TaskPart& part) const {
  // A notice does not name the session, so it cannot end a shared step.
  return !part.is_foreign && !request_.shared.has_value() &&
         environment_->notices->DeferStep(part.task, step_id_);
}

pb::RunGraphRequest MasterStep::CallOf(
    const TaskPart& part, const std::vector<int64_t>& cleanups) const {
  pb::RunGraphRequest call;
  call.set_step_id(step_id_);
  call.set_request_id(static_cast<int64_t>(RandomId()));
  if (request_.trace) call.mutable_exec_opts()->set_record_timeline(true);
  if (request_.partition_graphs) {
    call.mutable_exec_opts()->set_record_partition_graphs(true);
  }
  if (request_.allocations_upon_oom) {
    call.mutable_exec_opts()->set_report_tensor_allocations_upon_oom(true);
  }
  if (request_.shared.has_value() && !part.is_foreign) {
    call.mutable_leat()->set_is_shared(true);
  }
  for (const int64_t ended : cleanups) {
    call.mutable_leat()->add_cleanup_steps(ended);
  }
  if (!request_.partial.has_value()) return call;
  call.set_is_last_partial_run(request_.partial->is_last);
  for (const BoundaryKey& fetch : part.boundary.fetches) {
    if (Takes(fetch)) call.add_recv_key(fetch.key);
  }
  return call;
}

WireTensors MasterStep::FeedsOf(const TaskPart& part) const {
  WireTensors tensors;
  for (const BoundaryKey& feed : part.boundary.feeds) {
    const Tensor& tensor = feeds_[feed.index];
    if (tensor.IsValid()) tensors.push_back({feed.key, tensor});
  }
  return tensors;
}

void MasterStep::Receive(size_t part, absl::StatusOr<Payload> reply) {
  if (request_.trace) {
    MutexLock lock(mutex_);
    times_[part].answered = WallTime();
  }
  if (!reply.ok()) return Record(part, reply.status());
  const auto header_bytes = static_cast<int64_t>(reply->header.size());
  if (header_bytes <= kMaxInlineBytes && reply->IsQuick()) {
    return Record(part, Read(part, *std::move(reply)));
  }
  environment_->blocking->Add(
      [self = shared_from_this(), part, reply = *std::move(reply)]() mutable {
        self->Record(part, self->Read(part, std::move(reply)));
      });
}

absl::Status MasterStep::Read(size_t part, Payload reply) {
  const TaskPart& of = request_.plan->parts[part];
  pb::RunGraphResponse response;
  if (const absl::Status status =
          ParseMessage(reply.header, kMaxAnswerBytes, response);
      !status.ok()) {
    return absl::InternalError(
        absl::StrCat("the RunGraphResponse is malformed: ", status.message()));
  }
  if (response.status_code() != 0) {
    absl::Status status(static_cast<absl::StatusCode>(response.status_code()),
                        response.status_error_message());
    DecodePayloads(response.leat().payloads(), status);
    MutexLock lock(mutex_);
    responses_[part] = std::move(response);  // keeps what was recorded
    return status;
  }
  LEAT_RETURN_IF_ERROR(
      reply.Materialize(allocator_, &environment_->ops->variants(),
                        environment_->limits.max_message_bytes));
  LEAT_RETURN_IF_ERROR(KeepFetches(of, std::move(reply.tensors)));
  MutexLock lock(mutex_);
  responses_[part] = std::move(response);
  return absl::OkStatus();
}

absl::Status MasterStep::KeepFetches(const TaskPart& part,
                                     WireTensors tensors) {
  absl::flat_hash_map<absl::string_view, const BoundaryKey*> keys;
  for (const BoundaryKey& fetch : part.boundary.fetches) {
    if (Takes(fetch)) keys.emplace(fetch.key, &fetch);
  }
  MutexLock lock(mutex_);
  for (WireTensor& received : tensors) {
    const auto found = keys.find(received.name);
    if (found == keys.end()) {
      return absl::InternalError(
          absl::StrCat("RunGraph returned '", received.name,
                       "', which was not asked for, or returned it twice"));
    }
    const BoundaryKey& fetch = *found->second;
    if (received.tensor.dtype() != fetch.dtype) {
      return absl::InternalError(
          absl::StrCat("fetch '", request_.plan->fetches[fetch.index],
                       "' has type ", Name(received.tensor.dtype()),
                       ", but its plan says ", Name(fetch.dtype)));
    }
    fetches_[fetch.index] = std::move(received.tensor);
    keys.erase(found);
  }
  if (keys.empty()) return absl::OkStatus();
  return absl::InternalError(
      absl::StrCat("RunGraph did not return '",
                   request_.plan->fetches[keys.begin()->second->index], "'"));
}

void MasterStep::Record(size_t part, const absl::Status& status) {
  bool must_cancel = false;
  bool is_last = false;
  bool is_cancelled = false;
  {
    MutexLock lock(mutex_);
    if (!status.ok()) must_cancel = KeepError(part, status);
    is_last = --missing_ == 0;
    is_cancelled = is_cancelled_;
    if (is_last) owed_ = logged_.empty() ? Owed::kNothing : Owed::kLogs;
  }
  if (!is_last) {
    if (must_cancel) CancelParts(status);
    return;
  }
  if (!logged_.empty()) FetchLogs();
  // A step that was cancelled is answered without the logs.
  if (logged_.empty() || is_cancelled) Finish();
}

bool MasterStep::KeepError(size_t part, const absl::Status& status) {
  statuses_.push_back({request_.plan->parts[part].task, status, is_cancelled_});
  if (is_cancelled_) return false;
  if (!MayBeEcho(statuses_.back()) || missing_ <= 1) return true;
  const std::chrono::nanoseconds wait = environment_->intervals.wait_for_cause;
  timers_.push_back(
      environment_->timers->After(wait, [weak = weak_from_this(), status] {
        if (const auto self = weak.lock()) self->CancelParts(status);
      }));
  return false;
}

void MasterStep::Cancel(const absl::Status& why) {
  {
    MutexLock lock(mutex_);
    if (answer_ != Answer::kToGive) return;
    statuses_.push_back({.status = why});
  }
  CancelParts(why);
}

void MasterStep::CancelParts(const absl::Status& why) {
  bool lacks_logs = false;
  {
    MutexLock lock(mutex_);
    if (is_cancelled_ || owed_ == Owed::kNothing) return;
    is_cancelled_ = true;
    lacks_logs = owed_ == Owed::kLogs;
    timers_.push_back(environment_->timers->After(
        environment_->intervals.wait_for_replies, [weak = weak_from_this()] {
          const auto self = weak.lock();
          if (self != nullptr) self->Finish();
        }));
  }
  parts_->Cancel(AsDerived(why));
  if (lacks_logs) Finish();
}

StepResult MasterStep::Result() {
  StepResult result{.status = CauseOf(statuses_)};
  if (result.status.ok()) result.fetches = std::move(fetches_);
  for (pb::RunGraphResponse& response : responses_) {
    for (pb::GraphDef& graph : *response.mutable_partition_graph()) {
      *result.metadata.add_partition_graphs() = std::move(graph);
    }
  }
  return result;
}

std::vector<TaskStepStats> MasterStep::Recorded() {
  if (!request_.trace) return {};
  std::vector<TaskStepStats> tasks(responses_.size());
  for (size_t i = 0; i < responses_.size(); ++i) {
    pb::RunGraphResponse& response = responses_[i];
    tasks[i].times = times_[i];
    tasks[i].times.received = NanosOf(response.leat().received_us());
    tasks[i].times.replied = NanosOf(response.leat().replied_us());
    tasks[i].stats.Swap(response.mutable_step_stats());
  }
  return tasks;
}

void MasterStep::Finish() {
  if (!request_.trace) {
    GiveAnswer();
    return CleanUp();
  }
  // Merging the step stats of the tasks may take a while.
  environment_->blocking->Add([self = shared_from_this()] {
    self->GiveAnswer();
    self->CleanUp();
  });
}

void MasterStep::GiveAnswer() {
  Done done;
  StepResult result;
  std::vector<TaskStepStats> recorded;
  std::vector<TimerQueue::Id> timers;
  std::optional<Cancellation::Token> token;
  {
    MutexLock lock(mutex_);
    if (answer_ != Answer::kToGive) return;
    answer_ = Answer::kBeingGiven;
    done = std::move(done_);
    result = Result();
    recorded = Recorded();
    timers.swap(timers_);
    token = std::exchange(client_token_, std::nullopt);
  }
  for (const TimerQueue::Id timer : timers) environment_->timers->Cancel(timer);
  if (token.has_value()) request_.call->cancellation.Deregister(*token);
  if (request_.trace) {
    *result.metadata.mutable_step_stats() = MergeStepStats(std::move(recorded));
  }
  std::move(done)(std::move(result));
  MutexLock lock(mutex_);
  answer_ = Answer::kGiven;
}

void MasterStep::CleanUp() {
  Ended ended;
  bool has_failed = false;
  {
    MutexLock lock(mutex_);
    if (owed_ != Owed::kNothing || answer_ != Answer::kGiven) return;
    if (ended_ == nullptr) return;
    ended = std::exchange(ended_, nullptr);
    has_failed = !statuses_.empty();
  }
  const bool goes_on =
      request_.partial.has_value() && !request_.partial->is_last;
  if (goes_on && !has_failed) return std::move(ended)();
  std::vector<std::string> told;
  for (const TaskPart& part : request_.plan->parts) {
    if (part.ends_alone) continue;
    if (!has_failed && DeferCleanup(part)) continue;
    told.push_back(part.task);
  }
  EndOnTasks(*environment_->tasks, told, step_id_, std::move(ended),
             request_.shared.has_value() ? request_.shared->session : "");
}

void EndOnTasks(TaskCaller& caller, absl::Span<const std::string> tasks,
                int64_t step_id, absl::AnyInvocable<void() &&> done,
                const std::string& session) {
  pb::CleanupGraphRequest request;
  request.set_step_id(step_id);
  if (!session.empty()) request.mutable_leat()->set_session_handle(session);
  std::vector<TaskCall> calls;
  for (const std::string& task : tasks) {
    calls.push_back({task, ToPayload(request)});
  }
  FanOut(caller, methods::kCleanupGraph, std::move(calls), caller.ShortCall(),
         [done = std::move(done)](
             const std::vector<absl::StatusOr<Payload>>&) mutable {
           std::move(done)();
         });
}

}  // namespace leat
