// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/pipeline/element_stream.h"

#include <utility>

#include "leat/core/status_macros.h"

namespace leat::kernels {
namespace {

absl::Status IsGone() {
  return absl::CancelledError("the iterator has been deleted");
}

}  // namespace

absl::StatusOr<std::shared_ptr<ElementStream>> ElementStream::Create(
    DatasetPtr dataset, const SessionServices& services, int call_depth) {
  LEAT_ASSIGN_OR_RETURN(auto pipeline, Pipeline::Create(services, call_depth));
  std::shared_ptr<ElementStream> stream(
      new ElementStream(std::move(dataset), std::move(pipeline)));
  LEAT_ASSIGN_OR_RETURN(
      stream->stage_,
      MakeStage(*stream->dataset_,
                {.pipeline = stream->pipeline_, .task = stream}));
  return stream;
}

ElementStream::ElementStream(DatasetPtr dataset,
                             std::shared_ptr<Pipeline> pipeline)
    : Task(pipeline->queue()),
      pipeline_(std::move(pipeline)),
      dataset_(std::move(dataset)) {}

ElementStream::~ElementStream() { pipeline_->Cancel(); }

void ElementStream::GetNext(Cancellation& cancellation, Done done) {
  if (cancellation.IsCancelled()) return std::move(done)(cancellation.status());
  int64_t id = 0;
  bool is_closed = false;
  {
    MutexLock lock(mutex_);
    id = next_id_++;
    is_closed = is_closed_;
    if (!is_closed) callers_[id].done = std::move(done);
  }
  if (is_closed) return std::move(done)(IsGone());
  // This may serve the call at once. The step, with its cancellation, may then
  // have ended.
  const std::shared_ptr<Task> self = shared_from_this();
  WakeHere();
  std::optional<Done> cancelled;
  {
    MutexLock lock(mutex_);
    const auto waiting = callers_.find(id);
    if (waiting == callers_.end()) return;
    auto cancel = [weak = weak_from_this(), id](const absl::Status& reason) {
      const std::shared_ptr<Task> stream = weak.lock();
      if (stream == nullptr) return;
      static_cast<ElementStream&>(*stream).Cancel(id, reason);
    };
    if (cancellation.Register(std::move(cancel), &waiting->second.token)) {
      waiting->second.cancellation = &cancellation;
    } else {
      cancelled = std::move(waiting->second.done);
      callers_.erase(waiting);
    }
  }
  if (cancelled.has_value()) std::move (*cancelled)(cancellation.status());
}

void ElementStream::Close() {
  pipeline_->Cancel();
  std::map<int64_t, Caller> callers;
  {
    MutexLock lock(mutex_);
    is_closed_ = true;
    callers.swap(callers_);
  }
  for (auto& [id, caller] : callers) {
    if (caller.cancellation != nullptr) {
      caller.cancellation->Deregister(caller.token);
    }
    std::move(caller.done)(IsGone());
  }
}

void ElementStream::Cancel(int64_t id, const absl::Status& reason) {
  Done done;
  {
    MutexLock lock(mutex_);
    const auto waiting = callers_.find(id);
    if (waiting == callers_.end()) return;  // The call has been served.
    done = std::move(waiting->second.done);
    callers_.erase(waiting);
  }
  std::move(done)(reason);
}

bool ElementStream::HasCaller() const {
  MutexLock lock(mutex_);
  return !callers_.empty();
}

void ElementStream::Advance(Callbacks& callbacks) {
  while (HasCaller()) {
    std::optional<Result> result = Produce();
    if (!result.has_value()) return;
    Serve(*std::move(result), callbacks);
  }
}

std::optional<ElementStream::Result> ElementStream::Produce() {
  if (kept_.has_value()) return std::exchange(kept_, std::nullopt);
  Element element;
  const absl::StatusOr<Progress> progress = stage_->Next(element);
  if (!progress.ok()) return progress.status();
  switch (*progress) {
    case Progress::kElement:
      return Result(std::move(element));
    case Progress::kEnd:
      return Result(std::nullopt);
    case Progress::kWaiting:
      break;
  }
  return std::nullopt;
}

void ElementStream::Serve(Result result, Callbacks& callbacks) {
  MutexLock lock(mutex_);
  if (callers_.empty()) {
    kept_ = std::move(result);
    return;
  }
  callbacks.push_back([caller = std::move(callers_.begin()->second),
                       result = std::move(result)]() mutable {
    if (caller.cancellation != nullptr) {
      caller.cancellation->Deregister(caller.token);
    }
    std::move(caller.done)(std::move(result));
  });
  callers_.erase(callers_.begin());
}

}  // namespace leat::kernels
