// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/readers/reader.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "leat/core/saturating.h"
#include "leat/core/status_macros.h"
#include "leat/protos/reader_base.pb.h"

namespace leat::kernels {
namespace {

// Is charged for each record that nobody has yet, besides its tensors.
constexpr auto kRecordBytes = static_cast<int64_t>(sizeof(KeyedRecord));

absl::StatusOr<std::string> NameIn(absl::StatusOr<Queue::Elements> taken) {
  LEAT_RETURN_IF_ERROR(taken.status());
  Tensor& element = taken->front().front();
  if (element.num_elements() == 1) return element.data<std::string>()[0];
  return absl::InvalidArgumentError(
      "Expected to dequeue a one-element string tensor");
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
      charge_(pipeline_) {}

Reader::~Reader() { pipeline_->Cancel(); }

void Reader::Read(std::shared_ptr<Queue> queue, int64_t most,
                  Cancellation& cancellation, Done done) {
  if (cancellation.IsCancelled()) return std::move(done)(cancellation.status());
  int64_t id = 0;
  {
    MutexLock lock(mutex_);
    id = next_id_++;
    callers_[id] = {
        .queue = std::move(queue), .most = most, .done = std::move(done)};
  }
  // This may serve the call at once. The step, with its cancellation, may then
  // have ended.
  const std::shared_ptr<Task> self = shared_from_this();
  WakeHere();
  {
    MutexLock lock(mutex_);
    const auto waiting = callers_.find(id);
    if (waiting == callers_.end()) return;
    auto cancel = [weak = weak_from_this(), id](const absl::Status& reason) {
      const std::shared_ptr<Task> reader = weak.lock();
      if (reader == nullptr) return;
      static_cast<Reader&>(*reader).Cancel(id, reason);
    };
    if (cancellation.Register(std::move(cancel), &waiting->second.token)) {
      waiting->second.cancellation = &cancellation;
      return;
    }
  }
  Cancel(id, cancellation.status());
}

void Reader::Cancel(int64_t id, const absl::Status& reason) {
  Done done;
  std::shared_ptr<NameCall> name_call;
  {
    MutexLock lock(mutex_);
    const auto waiting = callers_.find(id);
    if (waiting == callers_.end()) return;  // The call has been served.
    done = std::move(waiting->second.done);
    // The error of its queue does not concern the next caller.
    const bool is_first = waiting == callers_.begin();
    if (is_first && name_.has_value() && !name_->ok()) name_.reset();
    if (is_first) name_call.swap(name_call_);
    callers_.erase(waiting);
  }
  if (name_call != nullptr) name_call->cancellation.Cancel(reason);
  Wake();  // because the next caller may need a string from another queue
  std::move(done)(reason);
}

void Reader::Advance(Callbacks& callbacks) {
  for (;;) {
    std::shared_ptr<NameCall> name_call;
    {
      MutexLock lock(mutex_);
      name_call = ServeCallers(callbacks);
    }
    if (name_call == nullptr) return;
    StartNameCall(name_call);
  }
}

std::shared_ptr<Reader::NameCall> Reader::ServeCallers(Callbacks& callbacks) {
  while (!callers_.empty()) {
    const auto first = callers_.begin();
    std::optional<Result> result = Produce(first->second.most);
    if (!result.has_value()) {
      const bool has_name = name_call_ != nullptr || name_.has_value();
      if (work_ != nullptr || has_name) return nullptr;
      current_work_.clear();
      name_call_ = std::make_shared<NameCall>();
      name_call_->queue = first->second.queue;
      return name_call_;
    }
    callbacks.push_back([caller = std::move(first->second),
                         result = *std::move(result)]() mutable {
      if (caller.cancellation != nullptr) {
        caller.cancellation->Deregister(caller.token);
      }
      std::move(caller.done)(std::move(result));
    });
    callers_.erase(first);
    DropName(callbacks);
  }
  return nullptr;
}

void Reader::DropName(Callbacks& callbacks) {
  if (name_.has_value() && !name_->ok()) name_.reset();
  if (name_call_ == nullptr) return;
  callbacks.push_back([call = std::exchange(name_call_, nullptr)] {
    call->cancellation.Cancel(absl::CancelledError("Cancelled"));
  });
}

std::optional<Reader::Result> Reader::Produce(int64_t most) {
  while (static_cast<int64_t>(records_.size()) < most) {
    if (!UseRound()) {  // so that the lock is free now and then
      Wake();
      return std::nullopt;
    }
    if (work_ == nullptr) {
      if (!records_.empty()) break;
      if (!name_.has_value()) return std::nullopt;
      if (absl::Status status = BeginWork(); !status.ok()) return status;
    }
    const absl::StatusOr<bool> worked = Work();
    if (!worked.ok()) {
      Fail();
      return worked.status();
    }
    if (!*worked) return std::nullopt;
  }
  return Take(most);
}

absl::Status Reader::BeginWork() {
  absl::StatusOr<std::string> name = *std::exchange(name_, std::nullopt);
  LEAT_RETURN_IF_ERROR(name.status());
  current_work_ = *std::move(name);
  work_ = options_.new_work(current_work_,
                            {.pipeline = pipeline_, .task = weak_from_this()});
  counts_.work_started = SaturatingAdd(counts_.work_started, 1);
  return absl::OkStatus();
}

absl::StatusOr<bool> Reader::Work() {
  KeyedRecord record;
  LEAT_RETURN_IF_ERROR(charge_.AddBytes(kRecordBytes));
  const absl::StatusOr<Progress> progress = work_->Next(record);
  const bool has_record = progress.ok() && *progress == Progress::kElement;
  if (!has_record) charge_.RemoveBytes(kRecordBytes);
  LEAT_RETURN_IF_ERROR(progress.status());
  const bool has_ended = *progress == Progress::kEnd || record.is_last;
  if (has_record) records_.push_back(std::move(record));
  if (has_ended) EndWork();
  return *progress != Progress::kWaiting;
}

void Reader::EndWork() {
  work_.reset();
  counts_.work_finished = counts_.work_started;
}

void Reader::Fail() {
  Take(static_cast<int64_t>(records_.size()));
  if (work_->HasBegun()) return;
  work_.reset();
  --counts_.work_started;
}

Reader::Records Reader::Take(int64_t most) {
  const int64_t count = std::min(most, static_cast<int64_t>(records_.size()));
  Records taken;
  taken.reserve(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    taken.push_back(std::move(records_.front()));
    records_.pop_front();
  }
  charge_.RemoveBytes(count * kRecordBytes);
  counts_.records = SaturatingAdd(counts_.records, count);
  return taken;
}

void Reader::Return(Records taken) {
  {
    MutexLock lock(mutex_);
    const auto count = static_cast<int64_t>(taken.size());
    // Without memory for what the records need here, they are lost.
    if (!charge_.AddBytes(count * kRecordBytes).ok()) return;
    records_.insert(records_.begin(), std::make_move_iterator(taken.begin()),
                    std::make_move_iterator(taken.end()));
    // A reset may have come in between.
    counts_.records = std::max<int64_t>(counts_.records - count, 0);
  }
  Wake();
}

void Reader::StartNameCall(const std::shared_ptr<NameCall>& call) {
  auto self = std::static_pointer_cast<Reader>(shared_from_this());
  call->queue->Dequeue(1, /*up_to=*/false, call->cancellation,
                       [self = std::move(self),
                        call](absl::StatusOr<Queue::Elements> taken) mutable {
                         self->SetName(call, std::move(taken));
                       });
}

void Reader::SetName(const std::shared_ptr<NameCall>& call,
                     absl::StatusOr<Queue::Elements> taken) {
  {
    MutexLock lock(mutex_);
    if (name_call_ == call) {
      name_call_.reset();
      name_ = NameIn(std::move(taken));
      taken = Queue::Elements();
    }
  }
  Wake();
  // The caller has gone, so the string goes back.
  if (taken.ok() && !taken->empty()) call->queue->Return(*std::move(taken));
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
  {
    MutexLock lock(mutex_);
    ResetLocked();
  }
  Wake();  // because a call may wait for the work that was dropped
}

void Reader::ResetLocked() {
  counts_ = {};
  current_work_.clear();
  work_.reset();
  records_.clear();
  charge_.Clear();
}

absl::StatusOr<std::string> Reader::SerializeState() const {
  if (!options_.has_state) {
    return absl::UnimplementedError("Reader SerializeState");
  }
  MutexLock lock(mutex_);
  pb::ReaderBaseState state;
  state.set_work_started(counts_.work_started);
  state.set_work_finished(counts_.work_finished);
  state.set_num_records_produced(counts_.records);
  state.set_current_work(current_work_);
  return state.SerializeAsString();
}

absl::Status Reader::RestoreState(const std::string& bytes) {
  absl::StatusOr<pb::ReaderBaseState> state = ParseState(bytes);
  {
    MutexLock lock(mutex_);
    ResetLocked();
    if (state.ok()) {
      counts_ = {.work_started = state->work_started(),
                 .work_finished = state->work_finished(),
                 .records = state->num_records_produced()};
      current_work_ = state->current_work();
    }
  }
  Wake();  // because a call may wait for the work that was dropped
  return state.status();
}

absl::StatusOr<pb::ReaderBaseState> Reader::ParseState(
    const std::string& bytes) const {
  if (!options_.has_state) {
    return absl::UnimplementedError("Reader RestoreState");
  }
  pb::ReaderBaseState state;
  if (!state.ParseFromString(bytes)) {
    return absl::InvalidArgumentError(absl::StrCat("Could not parse state for ",
                                                   options_.name, ": ",
                                                   absl::CEscape(bytes)));
  }
  if (state.work_started() < 0 || state.work_finished() < 0 ||
      state.num_records_produced() < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("Unexpected negative value when restoring in ",
                     options_.name, ": ", state.DebugString()));
  }
  if (state.work_started() > state.work_finished()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Inconsistent work started vs. finished when restoring in ",
        options_.name, ": ", state.DebugString()));
  }
  return state;
}

}  // namespace leat::kernels
