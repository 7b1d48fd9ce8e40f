// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/readers/reader.h"

#include <algorithm>

#include "leat/core/saturating.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/callbacks.h"
#include "leat/kernels/pipeline/file_records.h"

namespace leat::kernels {
namespace {

// Returns the string that was taken from a queue, as a scalar.
absl::StatusOr<Tensor> NameIn(absl::StatusOr<Queue::Elements> taken) {
  LEAT_RETURN_IF_ERROR(taken.status());
  const QueueElement& element = taken->front();
  if (element.size() != 1) {
    return absl::InvalidArgumentError("Expected single component queue");
  }
  if (element[0].dtype() != DType::kString) {
    return absl::InvalidArgumentError(
        "Expected queue with single string component");
  }
  if (element[0].num_elements() != 1) {
    return absl::InvalidArgumentError(
        "Expected to dequeue a one-element string tensor");
  }
  return element[0].Reshaped(Shape{});
}

}  // namespace

absl::StatusOr<std::shared_ptr<Reader>> Reader::Create(
    ReaderOptions options, const SessionServices& services, int call_depth) {
  LEAT_ASSIGN_OR_RETURN(auto pipeline, Pipeline::Create(services, call_depth));
  return std::shared_ptr<Reader>(
      new Reader(std::move(options), std::move(pipeline)));
}

Reader::Reader(ReaderOptions options, std::shared_ptr<Pipeline> pipeline)
    : Task(pipeline->queue()),
      pipeline_(std::move(pipeline)),
      options_(std::move(options)),
      records_(pipeline_) {}

Reader::~Reader() { pipeline_->Cancel(); }

void Reader::Read(std::shared_ptr<Queue> queue, int64_t most,
                  Cancellation& cancellation, Done done) {
  if (cancellation.IsCancelled()) return std::move(done)(cancellation.status());
  int64_t id = 0;
  {
    MutexLock lock(mutex_);
    id = callers_.Add(
        {.queue = std::move(queue), .most = most, .done = std::move(done)});
  }
  // This may serve the call at once. The step, with its cancellation, may then
  // have ended.
  const std::shared_ptr<Task> self = shared_from_this();
  WakeHere();
  auto cancel = [weak = weak_from_this(), id](const absl::Status& reason) {
    const std::shared_ptr<Task> reader = weak.lock();
    if (reader == nullptr) return;
    static_cast<Reader&>(*reader).Cancel(id, reason);
  };
  absl::Status cancelled;
  {
    MutexLock lock(mutex_);
    cancelled = callers_.Register(id, cancellation, std::move(cancel));
  }
  if (!cancelled.ok()) Cancel(id, cancelled);
}

void Reader::Cancel(int64_t id, const absl::Status& reason) {
  std::shared_ptr<NameCall> unneeded;
  Callbacks callbacks;
  {
    MutexLock lock(mutex_);
    if (callers_.IsFirst(id)) unneeded.swap(name_call_);
    callers_.Cancel(id, reason, callbacks);
  }
  if (unneeded != nullptr) Drop(*unneeded);
  Wake();  // because the next caller may need a string from another queue
  CallAll(std::move(callbacks));
}

void Reader::Advance(Callbacks& callbacks) {
  while (const std::shared_ptr<WorkUnit> work = ServeCallers(callbacks)) {
    KeyedRecord record;
    const absl::StatusOr<Progress> progress = work->Next(record);
    if (!Keep(*work, progress, std::move(record), callbacks)) return;
    if (!UseRound()) return Wake();  // so that others get their turn
  }
}

std::shared_ptr<WorkUnit> Reader::ServeCallers(Callbacks& callbacks) {
  MutexLock lock(mutex_);
  while (!callers_.empty()) {
    if (HasResult()) {
      ServeRecords(callbacks);
      continue;
    }
    absl::Status status;
    if (work_ == nullptr) {
      if (name_call_ == nullptr) CallQueue(callbacks);
      if (!name_call_->taken.has_value()) return nullptr;
      status = BeginWork();
    }
    if (status.ok()) status = records_.Reserve();
    if (status.ok()) return work_;
    Fail(status, callbacks);
  }
  return nullptr;
}

bool Reader::Keep(const WorkUnit& work,
                  const absl::StatusOr<Progress>& progress, KeyedRecord record,
                  Callbacks& callbacks) {
  MutexLock lock(mutex_);
  if (work_.get() != &work) return true;  // The work was dropped meanwhile.
  const bool has_record = progress.ok() && *progress == Progress::kElement;
  if (!has_record) records_.Unreserve();
  if (!progress.ok()) {
    Fail(progress.status(), callbacks);
    return true;
  }
  const bool has_ended = *progress == Progress::kEnd || record.is_last;
  record.unit = unit_;
  if (has_record) records_.Add(std::move(record));
  if (has_ended) {
    work_.reset();
    counts_.work_finished = counts_.work_started;
  }
  return *progress != Progress::kWaiting;
}

void Reader::Fail(const absl::Status& error, Callbacks& callbacks) {
  if (callers_.empty()) return;  // The next one gets the error.
  if (absl::IsResourceExhausted(error) && !records_.empty()) {
    return ServeRecords(callbacks);
  }
  counts_.records = SaturatingAdd(counts_.records, records_.size());
  records_.Clear();
  if (work_ != nullptr && !work_->CouldBegin()) {
    work_.reset();
    --counts_.work_started;
  }
  Serve(error, callbacks);
}

void Reader::Serve(Result result, Callbacks& callbacks) {
  callers_.ServeFirst(std::move(result), callbacks);
  if (name_call_ == nullptr) return;
  // The caller has got records that have come back, and needs no string.
  callbacks.push_back(
      [call = std::exchange(name_call_, nullptr)] { Drop(*call); });
}

void Reader::ServeRecords(Callbacks& callbacks) {
  Records taken = records_.Take(callers_.first().most);
  counts_.records =
      SaturatingAdd(counts_.records, static_cast<int64_t>(taken.size()));
  Serve(std::move(taken), callbacks);
}

bool Reader::HasResult() const {
  if (records_.empty()) return false;
  return records_.size() >= callers_.first().most || work_ == nullptr ||
         records_.front_unit() != unit_;
}

absl::Status Reader::BeginWork() {
  const std::shared_ptr<NameCall> call = std::exchange(name_call_, nullptr);
  LEAT_ASSIGN_OR_RETURN(current_work_, NameIn(*std::move(call->taken)));
  work_ = options_.new_work(current_work_,
                            {.pipeline = pipeline_, .task = weak_from_this()});
  ++unit_;
  counts_.work_started = SaturatingAdd(counts_.work_started, 1);
  return absl::OkStatus();
}

void Reader::Return(Records taken) {
  {
    MutexLock lock(mutex_);
    const auto count = static_cast<int64_t>(taken.size());
    if (!records_.PutBack(std::move(taken)).ok()) return;
    // A reset may have come in between.
    counts_.records = std::max<int64_t>(counts_.records - count, 0);
  }
  Wake();
}

void Reader::CallQueue(Callbacks& callbacks) {
  current_work_ = Tensor();
  name_call_ = std::make_shared<NameCall>();
  name_call_->queue = callers_.first().queue;
  auto self = std::static_pointer_cast<Reader>(shared_from_this());
  // The queue may call back other steps, which must not keep the reader
  // running.
  callbacks.push_back([self = std::move(self), call = name_call_] {
    call->queue->Dequeue(1, /*up_to=*/false, call->cancellation,
                         [self, call](absl::StatusOr<Queue::Elements> taken) {
                           self->SetName(*call, std::move(taken));
                         });
  });
}

void Reader::SetName(NameCall& call, absl::StatusOr<Queue::Elements> taken) {
  bool is_needed = false;
  {
    MutexLock lock(mutex_);
    is_needed = name_call_.get() == &call;
    if (is_needed) call.taken = std::move(taken);
  }
  if (is_needed) return Wake();
  if (taken.ok()) call.queue->Return(*std::move(taken));
}

void Reader::Drop(NameCall& call) {
  call.cancellation.Cancel(absl::CancelledError("Cancelled"));
  if (!call.taken.has_value() || !call.taken->ok()) return;
  call.queue->Return(**std::move(call.taken));
}

int64_t Reader::num_records() const {
  MutexLock lock(mutex_);
  return counts_.records;
}

int64_t Reader::num_work_units() const {
  MutexLock lock(mutex_);
  return counts_.work_finished;
}

void Reader::Reset() {
  Dropped dropped;
  {
    MutexLock lock(mutex_);
    dropped = ResetLocked();
  }
  Wake();  // because a call may wait for the work that was dropped
}

Reader::Dropped Reader::ResetLocked() {
  counts_ = {};
  current_work_ = Tensor();
  return {.work = std::exchange(work_, nullptr), .records = records_.Clear()};
}

absl::StatusOr<std::string> Reader::SerializeState() const {
  if (!options_.has_state) {
    return absl::UnimplementedError("Reader SerializeState");
  }
  MutexLock lock(mutex_);
  absl::string_view work;
  if (current_work_.IsValid()) work = current_work_.scalar<std::string>();
  return SerializeReaderState(counts_, work);
}

absl::Status Reader::RestoreState(const std::string& bytes) {
  absl::StatusOr<ReaderState> state =
      options_.has_state ? ParseReaderState(bytes, options_.name)
                         : absl::UnimplementedError("Reader RestoreState");
  absl::Status status = state.status();
  Dropped dropped;
  {
    MutexLock lock(mutex_);
    dropped = ResetLocked();
    if (state.ok()) status = Restore(*std::move(state));
  }
  Wake();  // because a call may wait for the work that was dropped
  return status;
}

absl::Status Reader::Restore(ReaderState state) {
  std::string& work = state.current_work;
  LEAT_ASSIGN_OR_RETURN(current_work_, TakeRecord({.view = work, .text = &work},
                                                  pipeline_->allocator()));
  counts_ = state.counts;
  return absl::OkStatus();
}

}  // namespace leat::kernels
