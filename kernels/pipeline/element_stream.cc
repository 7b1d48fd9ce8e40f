// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/pipeline/element_stream.h"

#include <utility>

#include "leat/core/status_macros.h"
#include "leat/kernels/callbacks.h"

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
    is_closed = is_closed_;
    if (!is_closed) id = callers_.Add({.done = std::move(done)});
  }
  if (is_closed) return std::move(done)(IsGone());
  // This may serve the call at once. The step, with its cancellation, may then
  // have ended.
  const std::shared_ptr<Task> self = shared_from_this();
  WakeHere();
  auto cancel = [weak = weak_from_this(), id](const absl::Status& reason) {
    const std::shared_ptr<Task> stream = weak.lock();
    if (stream == nullptr) return;
    static_cast<ElementStream&>(*stream).Cancel(id, reason);
  };
  absl::Status cancelled;
  {
    MutexLock lock(mutex_);
    cancelled = callers_.Register(id, cancellation, std::move(cancel));
  }
  if (!cancelled.ok()) Cancel(id, cancelled);
}

void ElementStream::Close() {
  pipeline_->Cancel();
  Callbacks callbacks;
  {
    MutexLock lock(mutex_);
    is_closed_ = true;
    while (!callers_.empty()) callers_.ServeFirst(IsGone(), callbacks);
  }
  CallAll(std::move(callbacks));
}

void ElementStream::Cancel(int64_t id, const absl::Status& reason) {
  Callbacks callbacks;
  {
    MutexLock lock(mutex_);
    callers_.Cancel(id, reason, callbacks);
  }
  CallAll(std::move(callbacks));
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
  } else {
    callers_.ServeFirst(std::move(result), callbacks);
  }
}

}  // namespace leat::kernels
