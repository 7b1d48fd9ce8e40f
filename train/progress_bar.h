// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ProgressBar: one line on a terminal that follows a loop. Prints nothing when
// standard error is no terminal. Not thread-safe.
#ifndef LEAT_TRAIN_PROGRESS_BAR_H_
#define LEAT_TRAIN_PROGRESS_BAR_H_

#include <chrono>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace leat {

class ProgressBar {
 public:
  // `label` stands before the bar; `total` steps are 100 %.
  ProgressBar(std::string label, int64_t total);
  // Erases the line.
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  // `done` steps are over; `text` stands behind the bar and the time left.
  // Draws at most ten times a second.
  void Update(int64_t done, absl::string_view text);

 private:
  const std::string label_;
  const int64_t total_;
  const bool on_terminal_;
  const std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point drawn_;
};

}  // namespace leat

#endif  // LEAT_TRAIN_PROGRESS_BAR_H_
