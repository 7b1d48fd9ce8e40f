// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/cuda/completions.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/threads/spin.h"

namespace leat {
namespace {

// Between two checks of an event, the thread sleeps for this part of the time
// that it has already waited, within these limits. So a step takes hardly
// longer than the work of the GPU: with a sixteenth it took up to 6 % longer.
constexpr int kPartOfWait = 256;
constexpr std::chrono::microseconds kShortestPause{10};
constexpr std::chrono::microseconds kLongestPause{1000};

}  // namespace

Completions::Completions(const CompletionsOptions& options)
    : options_(options),
      thread_(absl::StrCat("leat-gpu-", options.ordinal), [this] { Run(); }) {}

Completions::~Completions() {
  {
    MutexLock lock(mutex_);
    is_ending_ = true;
  }
  changed_.NotifyOne();
}

void Completions::Add(CudaEvent event, std::vector<BufferRef> kept, Done done) {
  {
    MutexLock lock(mutex_);
    pending_.push_back({event, std::move(kept), std::move(done)});
  }
  num_pending_.fetch_add(1);
  changed_.NotifyOne();
}

void Completions::Run() {
  options_.health.Note(options_.api.SetDevice(options_.ordinal)).IgnoreError();
  while (WaitForEntry()) {
    CudaEvent event;
    {
      MutexLock lock(mutex_);
      event = pending_.front().event;
    }
    Complete(WaitFor(event));
  }
}

bool Completions::WaitForEntry() {
  SpinUntil([this] { return num_pending_.load() > 0; });
  MutexLock lock(mutex_);
  while (pending_.empty() && !is_ending_) changed_.Wait(mutex_);
  return !pending_.empty();
}

absl::Status Completions::WaitFor(CudaEvent event) {
  absl::Status status;
  const auto is_over = [&] {
    status = options_.health.status();
    if (!status.ok()) return true;
    const absl::StatusOr<bool> is_passed = options_.api.IsPassed(event);
    status = options_.health.Note(is_passed.status());
    return !status.ok() || *is_passed;
  };
  if (SpinUntil(is_over)) return status;
  std::chrono::microseconds waited = IdleSpin::kLongest;
  while (!is_over()) {
    const auto pause =
        std::clamp(waited / kPartOfWait, kShortestPause, kLongestPause);
    options_.clock.Sleep(pause);
    waited += pause;
  }
  return status;
}

void Completions::Complete(const absl::Status& status) {
  Entry entry;
  {
    MutexLock lock(mutex_);
    entry = std::move(pending_.front());
    pending_.pop_front();
  }
  num_pending_.fetch_sub(1);
  entry.kept.clear();
  options_.events.Return(entry.event);
  if (entry.done == nullptr) {
    options_.health.Defer(status);
    return;
  }
  options_.queue.Add([done = std::move(entry.done), status]() mutable {
    std::move(done)(status);
  });
}

}  // namespace leat
