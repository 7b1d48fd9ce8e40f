// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/master/remote_step.h"

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
#include "leat/distributed/master/step_deadline.h"
#include "leat/distributed/requests/parse_message.h"
#include "leat/distributed/requests/request_queue.h"
#include "leat/distributed/tasks/fan_out.h"
#include "leat/distributed/trace/rpc_logs.h"
#include "leat/protos/leat_worker.pb.h"

namespace leat {
namespace {

// Returns 0 for a number that cannot be a time, since a peer may send any
// number.
int64_t NanosOf(int64_t micros) {
  return micros > 0 && micros < INT64_MAX / 1000 ? micros * 1000 : 0;
}

}  // namespace

std::shared_ptr<RemoteStep> RemoteStep::Start(
    const StepEnvironment& environment, StepRequest request, Done done,
    Ended ended) {
  const absl::Status checked = CheckFeeds(request.plan->feeds, request.feeds);
  std::shared_ptr<RemoteStep> step(new RemoteStep(
      environment, std::move(request), std::move(done), std::move(ended)));
  if (!checked.ok()) {
    step->Refuse(checked);
    return step;
  }
  step->SetDeadline();
  step->ListenToClient();
  step->Begin();
  return step;
}

void RemoteStep::Refuse(const absl::Status& why) {
  {
    MutexLock lock(mutex_);
    statuses_.push_back({.status = why});
    missing_ = 0;
    is_sent_ = false;
  }
  feeds_.clear();
  Answer();
  CleanUp();
}

RemoteStep::RemoteStep(const StepEnvironment& environment, StepRequest request,
                       Done done, Ended ended)
    : environment_(environment),
      feeds_(std::move(request.feeds)),
      request_(std::move(request)),
      step_id_(RandomStepId()),
      parts_(std::make_shared<Cancellation>()),
      wall_clock_offset_(request_.trace ? WallClockOffset()
                                        : std::chrono::nanoseconds(0)),
      done_(std::move(done)),
      ended_(std::move(ended)),
      missing_(request_.plan->parts.size()),
      fetches_(request_.plan->fetches.size()),
      responses_(request_.plan->parts.size()),
      times_(request_.trace ? request_.plan->parts.size() : 0) {}

int64_t RemoteStep::WallTime() const {
  const auto now = std::chrono::steady_clock::now();
  return std::chrono::nanoseconds(now.time_since_epoch() + wall_clock_offset_)
      .count();
}

void RemoteStep::SetDeadline() {
  if (!request_.deadline.has_value()) return;
  MutexLock lock(mutex_);
  timers_.push_back(
      environment_.timers->At(request_.deadline->at, [weak = weak_from_this()] {
        const auto self = weak.lock();
        if (self == nullptr) return;
        self->Cancel(RanTooLong(*self->request_.deadline));
      }));
}

void RemoteStep::ListenToClient() {
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

std::vector<std::string> RemoteStep::ForeignTasks() const {
  std::vector<std::string> tasks;
  for (const TaskPart& part : request_.plan->parts) {
    if (part.is_foreign) tasks.push_back(part.task);
  }
  return tasks;
}

void RemoteStep::Begin() {
  if (!request_.trace) return Send();
  const std::vector<std::string> foreign = ForeignTasks();
  if (foreign.empty()) return Send();
  {
    MutexLock lock(mutex_);
    is_logged_ = true;
  }
  StartRpcLogs(*environment_.tasks, foreign, parts_,
               [self = shared_from_this()] { self->Send(); });
}

void RemoteStep::FetchLogs() {
  EndRpcLogs(*environment_.tasks, ForeignTasks(), step_id_,
             *environment_.compute,
             [self = shared_from_this()](std::vector<pb::StepStats> logs) {
               self->KeepLogs(std::move(logs));
             });
}

void RemoteStep::KeepLogs(std::vector<pb::StepStats> logs) {
  {
    MutexLock lock(mutex_);
    size_t next = 0;
    for (size_t i = 0; i < responses_.size(); ++i) {
      if (!request_.plan->parts[i].is_foreign) continue;
      responses_[i].mutable_step_stats()->MergeFrom(logs[next++]);
    }
    missing_ = 0;
  }
  Finish();
}

void RemoteStep::Send() {
  const std::vector<TaskPart>& parts = request_.plan->parts;
  pb::ExecutorOpts options;
  options.set_record_timeline(request_.trace);
  options.set_record_partition_graphs(request_.partition_graphs);
  for (size_t i = 0; i < parts.size(); ++i) {
    std::vector<int64_t> cleanups;
    if (environment_.cleanups != nullptr && !parts[i].is_foreign) {
      cleanups = environment_.cleanups->Take(parts[i].task);
    }
    Payload request{.header = RunGraphHeader(parts[i], step_id_,
                                             static_cast<int64_t>(RandomId()),
                                             options, cleanups),
                    .tensors = FeedsOf(parts[i])};
    // The feeds are charged to the session, whose next step may come as soon as
    // this one has been answered, so they are released now.
    if (i + 1 == parts.size()) feeds_.clear();
    if (request_.trace) {
      MutexLock lock(mutex_);
      times_[i].called = WallTime();
    }
    environment_.tasks->Call(
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
  Answer();
  CleanUp();
}

void RemoteStep::GiveBack(size_t part, const std::vector<int64_t>& cleanups) {
  for (const int64_t step_id : cleanups) {
    // Defer returns false once Cleanups was stopped. The tasks then end these
    // steps together with their sessions.
    static_cast<void>(
        environment_.cleanups->Defer(request_.plan->parts[part].task, step_id));
  }
}

bool RemoteStep::DeferCleanup(const TaskPart& part) const {
  return environment_.cleanups != nullptr && !part.is_foreign &&
         environment_.cleanups->Defer(part.task, step_id_);
}

WireTensors RemoteStep::FeedsOf(const TaskPart& part) const {
  WireTensors tensors;
  for (const BoundaryKey& feed : part.boundary.feeds) {
    tensors.push_back({feed.key, feeds_[feed.index]});
  }
  return tensors;
}

void RemoteStep::Receive(size_t part, absl::StatusOr<Payload> reply) {
  if (request_.trace) {
    MutexLock lock(mutex_);
    times_[part].answered = WallTime();
  }
  if (!reply.ok()) return Record(part, reply.status());
  const auto header_bytes = static_cast<int64_t>(reply->header.size());
  if (header_bytes <= kMaxInlineBytes && reply->IsQuick()) {
    return Record(part, Read(part, *std::move(reply)));
  }
  environment_.compute->Add(
      [self = shared_from_this(), part, reply = *std::move(reply)]() mutable {
        self->Record(part, self->Read(part, std::move(reply)));
      });
}

absl::Status RemoteStep::Read(size_t part, Payload reply) {
  const TaskPart& of = request_.plan->parts[part];
  pb::RunGraphResponse response;
  if (const absl::Status status =
          ParseMessage(reply.header, kMaxAnswerBytes, response);
      !status.ok()) {
    return absl::InternalError(
        absl::StrCat("malformed RunGraphResponse: ", status.message()));
  }
  if (response.status_code() != 0) {
    absl::Status status(static_cast<absl::StatusCode>(response.status_code()),
                        response.status_error_message());
    DecodePayloads(response.leat().payloads(), status);
    MutexLock lock(mutex_);
    responses_[part] = std::move(response);  // for what was recorded until then
    return status;
  }
  LEAT_RETURN_IF_ERROR(reply.Materialize(*environment_.allocator,
                                         environment_.decoders,
                                         environment_.max_message_bytes));
  LEAT_RETURN_IF_ERROR(KeepFetches(of, std::move(reply.tensors)));
  MutexLock lock(mutex_);
  responses_[part] = std::move(response);
  return absl::OkStatus();
}

absl::Status RemoteStep::KeepFetches(const TaskPart& part,
                                     WireTensors tensors) {
  absl::flat_hash_map<absl::string_view, const BoundaryKey*> keys;
  for (const BoundaryKey& fetch : part.boundary.fetches) {
    keys.emplace(fetch.key, &fetch);
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
      return absl::InternalError(absl::StrCat(
          "fetch '", request_.plan->fetches[fetch.index], "' is ",
          Name(received.tensor.dtype()), "; planned was ", Name(fetch.dtype)));
    }
    fetches_[fetch.index] = std::move(received.tensor);
    keys.erase(found);
  }
  if (keys.empty()) return absl::OkStatus();
  return absl::InternalError(
      absl::StrCat("RunGraph did not return '",
                   request_.plan->fetches[keys.begin()->second->index], "'"));
}

void RemoteStep::Record(size_t part, const absl::Status& status) {
  const std::string& task = request_.plan->parts[part].task;
  bool must_cancel = false;
  bool is_last = false;
  bool has_logs = false;  // There are logs to fetch.
  bool awaits_logs = false;
  {
    MutexLock lock(mutex_);
    if (!status.ok()) {
      statuses_.push_back({task, status, cancelled_});
      const bool may_wait = MayBeEcho(statuses_.back()) && missing_ > 1;
      must_cancel = !cancelled_ && !may_wait;
      if (!cancelled_ && may_wait) {
        timers_.push_back(
            environment_.timers->At(DeadlineAfter(environment_.wait_for_cause),
                                    [weak = weak_from_this(), status] {
                                      if (const auto self = weak.lock())
                                        self->CancelParts(status);
                                    }));
      }
    }
    has_logs = missing_ == 1 && std::exchange(is_logged_, false);
    lacks_logs_ = has_logs;
    awaits_logs = has_logs && !cancelled_;
    is_last = !has_logs && --missing_ == 0;
  }
  if (has_logs) FetchLogs();
  if (awaits_logs) return;
  if (has_logs || is_last) {
    Finish();
  } else if (must_cancel) {
    CancelParts(status);
  }
}

void RemoteStep::Cancel(const absl::Status& why) {
  {
    MutexLock lock(mutex_);
    if (done_ == nullptr) return;
    statuses_.push_back({.status = why});
  }
  CancelParts(why);
}

void RemoteStep::CancelParts(const absl::Status& why) {
  bool lacks_logs = false;
  {
    MutexLock lock(mutex_);
    if (cancelled_ || missing_ == 0) return;
    cancelled_ = true;
    lacks_logs = lacks_logs_;
    timers_.push_back(
        environment_.timers->At(DeadlineAfter(environment_.wait_for_replies),
                                [weak = weak_from_this()] {
                                  const auto self = weak.lock();
                                  if (self != nullptr) self->Finish();
                                }));
  }
  parts_->Cancel(AsDerived(why));
  if (lacks_logs) Finish();
}

StepResult RemoteStep::Result() {
  StepResult result{.status = CauseOf(statuses_)};
  if (result.status.ok()) result.fetches = std::move(fetches_);
  for (pb::RunGraphResponse& response : responses_) {
    for (pb::GraphDef& graph : *response.mutable_partition_graph()) {
      *result.metadata.add_partition_graphs() = std::move(graph);
    }
  }
  return result;
}

std::vector<TaskStepStats> RemoteStep::Recorded() {
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

void RemoteStep::Finish() {
  if (!request_.trace) {
    Answer();
    return CleanUp();
  }
  // Merging what the tasks have recorded may take a while.
  environment_.compute->Add([self = shared_from_this()] {
    self->Answer();
    self->CleanUp();
  });
}

void RemoteStep::Answer() {
  Done done;
  StepResult result;
  std::vector<TaskStepStats> recorded;
  std::vector<TimerQueue::Id> timers;
  std::optional<Cancellation::Token> token;
  {
    MutexLock lock(mutex_);
    if (done_ == nullptr) return;
    done = std::exchange(done_, nullptr);
    result = Result();
    recorded = Recorded();
    timers.swap(timers_);
    token = std::exchange(client_token_, std::nullopt);
  }
  for (const TimerQueue::Id timer : timers) environment_.timers->Cancel(timer);
  if (token.has_value()) request_.call->cancellation.Deregister(*token);
  if (request_.trace) {
    *result.metadata.mutable_step_stats() = MergeStepStats(std::move(recorded));
  }
  std::move(done)(std::move(result));
  MutexLock lock(mutex_);
  answered_ = true;
}

void RemoteStep::CleanUp() {
  Ended ended;
  bool is_sent = true;
  bool has_failed = false;
  {
    MutexLock lock(mutex_);
    if (missing_ > 0 || !answered_ || ended_ == nullptr) return;
    ended = std::exchange(ended_, nullptr);
    is_sent = is_sent_;
    has_failed = !statuses_.empty();
  }
  pb::CleanupGraphRequest request;
  request.set_step_id(step_id_);
  std::vector<TaskCall> calls;
  for (const TaskPart& part : request_.plan->parts) {
    if (part.ends_alone || !is_sent) continue;
    if (!has_failed && DeferCleanup(part)) continue;
    calls.push_back({part.task, ToPayload(request)});
  }
  FanOut(*environment_.tasks, methods::kCleanupGraph, std::move(calls),
         {.deadline = DeadlineAfter(environment_.cleanup_timeout)},
         [ended = std::move(ended)](
             const std::vector<absl::StatusOr<Payload>>&) mutable {
           std::move(ended)();
         });
}

}  // namespace leat
