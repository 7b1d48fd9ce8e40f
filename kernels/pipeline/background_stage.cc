// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/pipeline/background_stage.h"

#include <deque>
#include <optional>
#include <utility>

#include "leat/core/status_macros.h"
#include "leat/core/threads/mutex.h"
#include "leat/kernels/pipeline/element_charge.h"

namespace leat::kernels {
namespace {

// Holds an element, an error, or the end of the sequence.
struct Outcome {
  absl::StatusOr<Progress> progress = Progress::kWaiting;
  Element element = {};
  bool is_charged = true;
};

bool IsEnd(const Outcome& outcome) {
  return outcome.progress.ok() && *outcome.progress == Progress::kEnd;
}

// Fills the buffer.
class Filler final : public Task {
 public:
  Filler(const StageContext& context, int64_t capacity)
      : Task(context.pipeline->queue()),
        pipeline_(context.pipeline),
        consumer_(context.task),
        capacity_(static_cast<size_t>(capacity)),
        charge_(context.pipeline) {}

  absl::Status SetStage(const StageContext& context, NewStageFunction make) {
    StageContext own = context;
    own.task = weak_from_this();
    LEAT_ASSIGN_OR_RETURN(stage_, std::move(make)(own));
    return absl::OkStatus();
  }

  // Takes the next outcome out of the buffer. Returns nothing if the buffer is
  // empty, and wakes the consumer when it is not.
  std::optional<Outcome> Take() {
    std::optional<Outcome> outcome;
    {
      MutexLock lock(mutex_);
      if (buffer_.empty()) {
        is_awaited_ = true;
      } else if (IsEnd(buffer_.front())) {
        // The end stays, because it is the outcome of all later calls.
        return Outcome{.progress = Progress::kEnd};
      } else {
        outcome = std::move(buffer_.front());
        buffer_.pop_front();
        if (outcome->is_charged) charge_.Remove(outcome->element);
      }
    }
    Wake();
    return outcome;
  }

  // Must be called when nobody takes elements any more.
  void Stop() {
    MutexLock lock(mutex_);
    has_ended_ = true;
  }

 private:
  void Advance(Callbacks&) override {
    while (HasRoom()) {
      Outcome outcome;
      outcome.progress = stage_->Next(outcome.element);
      if (outcome.progress.ok() && *outcome.progress == Progress::kWaiting) {
        return;
      }
      Put(std::move(outcome));
    }
  }

  bool HasRoom() const {
    MutexLock lock(mutex_);
    // Nothing is read behind an error until the error has been taken. So
    // errors need no memory without bound.
    return !has_ended_ && buffer_.size() < capacity_ &&
           (buffer_.empty() || buffer_.back().progress.ok());
  }

  void Put(Outcome outcome) {
    bool wakes = false;
    {
      MutexLock lock(mutex_);
      const absl::Status charged = charge_.Add(outcome.element);
      if (!charged.ok()) outcome = {.progress = charged, .is_charged = false};
      if (IsEnd(outcome)) has_ended_ = true;
      buffer_.push_back(std::move(outcome));
      wakes = std::exchange(is_awaited_, false);
    }
    if (!wakes) return;
    if (const std::shared_ptr<Task> consumer = consumer_.lock()) {
      consumer->Wake();
    }
  }

  // Ends last.
  const std::shared_ptr<const Pipeline> pipeline_;
  const std::weak_ptr<Task> consumer_;
  const size_t capacity_;
  std::unique_ptr<Stage> stage_;  // used by Advance only

  mutable Mutex mutex_;
  ElementCharge charge_ ABSL_GUARDED_BY(mutex_);
  std::deque<Outcome> buffer_ ABSL_GUARDED_BY(mutex_);
  bool is_awaited_ ABSL_GUARDED_BY(mutex_) = false;
  bool has_ended_ ABSL_GUARDED_BY(mutex_) = false;
};

class BackgroundStage final : public Stage {
 public:
  explicit BackgroundStage(std::shared_ptr<Filler> filler)
      : filler_(std::move(filler)) {}
  ~BackgroundStage() override { filler_->Stop(); }

  absl::StatusOr<Progress> Next(Element& element) override {
    std::optional<Outcome> outcome = filler_->Take();
    if (!outcome.has_value()) return Progress::kWaiting;
    element = std::move(outcome->element);
    return std::move(outcome->progress);
  }

 private:
  const std::shared_ptr<Filler> filler_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Stage>> NewBackgroundStage(
    const StageContext& context, int64_t capacity, Begins begins,
    NewStageFunction make) {
  auto filler = std::make_shared<Filler>(context, capacity);
  LEAT_RETURN_IF_ERROR(filler->SetStage(context, std::move(make)));
  if (begins == Begins::kAtOnce) filler->Wake();
  return std::unique_ptr<Stage>(
      std::make_unique<BackgroundStage>(std::move(filler)));
}

}  // namespace leat::kernels
