// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ProgressBar is one line on a terminal that shows how far a loop is. It prints
// nothing if standard error is not a terminal.
//
//   ProgressBar bar("epoch 1", 100);
//   for (int64_t i = 0; i < 100; ++i) {
//     bar.Update(i + 1, absl::StrCat("batch ", i + 1));
//   }
#ifndef LEAT_TRAIN_PROGRESS_BAR_H_
#define LEAT_TRAIN_PROGRESS_BAR_H_

#include <chrono>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace leat {

// A ProgressBar is a bar that stays on the screen until the object is
// destroyed. It is not thread-safe.
class ProgressBar {
 public:
  // Begins a bar with the text `label` before it. `total` steps are 100 %.
  ProgressBar(std::string label, int64_t total);
  // Erases the line.
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  // Shows the number of steps that are done, an estimate of the time that is
  // left, and `text`. Draws at most ten times a second until `done` reaches the
  // total.
  void Update(int64_t done, absl::string_view text);

 private:
  const std::string label_;
  const int64_t total_;     // at least 1
  const bool on_terminal_;  // standard error is a terminal
  const std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point drawn_;  // time of the last drawing
};

}  // namespace leat

#endif  // LEAT_TRAIN_PROGRESS_BAR_H_
