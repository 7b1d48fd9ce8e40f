// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tests/system_calls/recorded_calls.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <csignal>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "leat/core/threads/mutex.h"

namespace leat::testing {
namespace {

struct Recording {
  Mutex mutex;
  bool is_on ABSL_GUARDED_BY(mutex) = false;
  std::vector<FileCall> calls ABSL_GUARDED_BY(mutex);
};
// The object is never destroyed, because threads may use it until the process
// ends.
Recording& TheRecording() {
  static Recording* const recording = new Recording;
  return *recording;
}

// Returns the number of calls until this process is killed, or 0 if KillAt was
// not called.
std::atomic<int64_t>& CallsLeft() {
  static std::atomic<int64_t> left{0};
  return left;
}

std::atomic<bool>& Skipping() {
  static std::atomic<bool> skipping{false};
  return skipping;
}

}  // namespace

RecordedCalls::RecordedCalls() {
  MutexLock lock(TheRecording().mutex);
  TheRecording().is_on = true;
  TheRecording().calls.clear();
}

RecordedCalls::~RecordedCalls() {
  MutexLock lock(TheRecording().mutex);
  TheRecording().is_on = false;
}

std::vector<FileCall> RecordedCalls::calls() const {
  MutexLock lock(TheRecording().mutex);
  return TheRecording().calls;
}

void SkipSyncs() { Skipping() = true; }

void KillAt(int64_t n) {
  SkipSyncs();
  CallsLeft() = n;
}

bool BeginFileCall() { return CallsLeft() > 0 && --CallsLeft() == 0; }

void EndProcess() {
  kill(getpid(), SIGKILL);
  std::abort();  // not reached
}

void EndFileCall(const FileCall& call) {
  MutexLock lock(TheRecording().mutex);
  if (TheRecording().is_on) TheRecording().calls.push_back(call);
}

bool SyncsAreSkipped() { return Skipping(); }

std::string PathOf(int file) {
  char path[PATH_MAX];
  const std::string link = absl::StrCat("/proc/self/fd/", file);
  const ssize_t size = readlink(link.c_str(), path, sizeof(path));
  return size < 0 ? "" : std::string(path, static_cast<size_t>(size));
}

std::string PathIn(int folder, const char* name) {
  return folder == AT_FDCWD || name[0] == '/'
             ? name
             : absl::StrCat(PathOf(folder), "/", name);
}

}  // namespace leat::testing
