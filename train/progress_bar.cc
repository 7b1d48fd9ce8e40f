// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/train/progress_bar.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace leat {
namespace {

// Is the width of the bar, in characters.
constexpr int kWidth = 24;
constexpr std::chrono::milliseconds kBetweenDraws(100);
constexpr char kEraseLine[] = "\r\033[K";

// Returns a duration in minutes and seconds, such as "1:05".
std::string Duration(double seconds) {
  const int64_t whole = static_cast<int64_t>(seconds + 0.5);
  return absl::StrFormat("%d:%02d", whole / 60, whole % 60);
}

}  // namespace

ProgressBar::ProgressBar(std::string label, int64_t total)
    : label_(std::move(label)),
      total_(std::max<int64_t>(total, 1)),
      on_terminal_(isatty(STDERR_FILENO) != 0),
      start_(std::chrono::steady_clock::now()) {}

ProgressBar::~ProgressBar() {
  if (on_terminal_) std::fputs(kEraseLine, stderr);
}

void ProgressBar::Update(int64_t done, absl::string_view text) {
  const auto now = std::chrono::steady_clock::now();
  if (!on_terminal_ || (now - drawn_ < kBetweenDraws && done < total_)) return;
  drawn_ = now;
  done = std::clamp<int64_t>(done, 0, total_);
  const int filled = static_cast<int>(done * kWidth / total_);
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const std::string left =
      done == 0 ? "" : Duration(elapsed * (total_ - done) / done);
  const std::string line =
      absl::StrCat(kEraseLine, label_, " [", std::string(filled, '#'),
                   std::string(kWidth - filled, '.'), "] ", done, "/", total_,
                   " left ", left, "  ", text);
  std::fputs(line.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace leat
