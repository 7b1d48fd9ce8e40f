// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/cost_recorder.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/files/file_access.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/thread.h"
#include "leat/partitioner/costs/cost_file.h"

namespace leat {
namespace {

// While another process writes, it holds the lock of the folder. A write looks
// for the lock again at most kMaxWaits times, after kWait each.
constexpr int kMaxWaits = 200;
constexpr std::chrono::milliseconds kWait{10};

absl::StatusOr<FileDescriptor> LockFolder(const std::string& folder,
                                          Clock& clock) {
  const FileAccess files = FileAccess::Unrestricted();
  absl::StatusOr<FileDescriptor> lock = files.LockFolder(folder);
  for (int i = 0; i < kMaxWaits; ++i) {
    if (!absl::IsFailedPrecondition(lock.status())) break;
    clock.Sleep(kWait);
    lock = files.LockFolder(folder);
  }
  return lock;
}

}  // namespace

CostRecorder::CostRecorder(CostRecorderOptions options)
    : options_(std::move(options)),
      clock_(options_.clock != nullptr ? *options_.clock : RealClock()) {}

absl::StatusOr<std::unique_ptr<CostRecorder>> CostRecorder::Create(
    CostRecorderOptions options) {
  auto recorder =
      std::unique_ptr<CostRecorder>(new CostRecorder(std::move(options)));
  const std::string& folder = recorder->options_.folder;
  LEAT_RETURN_IF_ERROR(FileAccess::Unrestricted().MakeFolders(folder));
  LEAT_RETURN_IF_ERROR(ReadCosts(folder, recorder->table_));
  LEAT_RETURN_IF_ERROR(StartThreads([&] {
    recorder->timers_ =
        std::make_unique<TimerQueue>("leat-costs", recorder->clock_);
    return absl::OkStatus();
  }));
  recorder->StartTimer(*recorder->timers_);
  return recorder;
}

CostRecorder::~CostRecorder() {
  timers_.reset();
  Write();
}

void CostRecorder::StartTimer(TimerQueue& timers) {
  // `timers_` may be null while the callback runs, because the destructor then
  // waits for the callback.
  timers.After(options_.write_interval, [this, &timers] {
    Write();
    StartTimer(timers);
  });
}

void CostRecorder::Update(absl::string_view device_kind,
                          absl::FunctionRef<void(DeviceCosts&)> update) {
  table_.Update(device_kind, update);
  MutexLock lock(mutex_);
  changed_.insert(std::string(device_kind));
}

void CostRecorder::Write() {
  MutexLock writing(writing_);
  absl::btree_set<std::string> kinds;
  {
    MutexLock lock(mutex_);
    kinds.swap(changed_);
  }
  if (kinds.empty()) return;
  const absl::Status status = WriteKinds(kinds);
  if (status.ok()) return;
  {
    MutexLock lock(mutex_);
    changed_.merge(kinds);
  }
  if (std::exchange(has_logged_, true) || options_.log == nullptr) return;
  options_.log(absl::StrCat("what steps cost cannot be written to '",
                            options_.folder, "': ", status.message()));
}

absl::Status CostRecorder::WriteKinds(
    const absl::btree_set<std::string>& kinds) {
  LEAT_ASSIGN_OR_RETURN(const FileDescriptor lock,
                        LockFolder(options_.folder, clock_));
  absl::Status status;
  for (const std::string& kind : kinds) {
    status.Update(WriteCosts(options_.folder, kind, table_.Copy(kind)));
  }
  return status;
}

}  // namespace leat
