// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ParallelStage does work on several elements of another stage at the same
// time, such as calls of a function.
#ifndef LEAT_KERNELS_PIPELINE_PARALLEL_STAGE_H_
#define LEAT_KERNELS_PIPELINE_PARALLEL_STAGE_H_

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>

#include "leat/core/status_macros.h"
#include "leat/kernels/pipeline/dataset.h"
#include "leat/kernels/pipeline/parallel_calls.h"

namespace leat::kernels {

// Keeps a window of runs, which begin in the order of the elements. `Work` says
// what is done:
//
//   struct Work {
//     // Is the work on one element.
//     using Run = ...;
//     void Start(Run& run, const StageContext& context, Element element) const;
//     // Does what FunctionRun::IsDone does.
//     bool IsDone(Run& run) const;
//     // Moves the result to `element`. kEnd ends the sequence.
//     absl::StatusOr<Progress> Finish(Run& run, Element& element) const;
//   };
template <class Work>
class ParallelStage final : public Stage {
 public:
  ParallelStage(std::unique_ptr<Stage> input, Work work,
                const ParallelCalls& parallel, const StageContext& context)
      : input_(std::move(input)),
        work_(std::move(work)),
        parallel_(parallel),
        context_(context) {}

  absl::StatusOr<Progress> Next(Element& element) override {
    FillWindow();
    if (window_.empty()) {
      return has_ended_ ? Progress::kEnd : Progress::kWaiting;
    }
    const auto done = FirstDone();
    if (done == window_.end()) return Progress::kWaiting;
    Slot slot = std::move(*done);
    window_.erase(done);
    if (!slot.input_error.ok()) return slot.input_error;
    // The next run begins before the caller works with this result.
    FillWindow();
    LEAT_ASSIGN_OR_RETURN(const Progress progress,
                          work_.Finish(slot.run, element));
    if (progress == Progress::kEnd) {
      has_ended_ = true;
      window_.clear();
    }
    return progress;
  }

 private:
  // Holds a run, or the error that took the place of an element.
  struct Slot {
    typename Work::Run run = {};
    absl::Status input_error = absl::OkStatus();
  };

  void FillWindow() {
    while (!has_ended_ &&
           static_cast<int64_t>(window_.size()) < parallel_.count) {
      Element element;
      const absl::StatusOr<Progress> progress = input_->Next(element);
      if (progress.ok() && *progress == Progress::kWaiting) return;
      if (progress.ok() && *progress == Progress::kEnd) {
        has_ended_ = true;
        return;
      }
      Slot& slot = window_.emplace_back();
      slot.input_error = progress.status();
      if (progress.ok()) work_.Start(slot.run, context_, std::move(element));
    }
  }

  // Returns the run whose result comes next, or the end of the window if that
  // run is under way.
  typename std::deque<Slot>::iterator FirstDone() {
    const auto is_done = [this](Slot& slot) {
      return !slot.input_error.ok() || work_.IsDone(slot.run);
    };
    const auto end = parallel_.in_order ? window_.begin() + 1 : window_.end();
    const auto found = std::find_if(window_.begin(), end, is_done);
    return found == end ? window_.end() : found;
  }

  const std::unique_ptr<Stage> input_;
  const Work work_;
  const ParallelCalls parallel_;
  const StageContext context_;
  std::deque<Slot> window_;
  bool has_ended_ = false;
};

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_PIPELINE_PARALLEL_STAGE_H_
