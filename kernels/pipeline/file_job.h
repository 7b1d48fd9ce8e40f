// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// FileJob is work of a stage with files, which may wait for the disk and so
// runs on a thread for files.
//
//   job.Start(context, [writer](const FileAccess&) {
//     return writer->Finish();
//   });
#ifndef LEAT_KERNELS_PIPELINE_FILE_JOB_H_
#define LEAT_KERNELS_PIPELINE_FILE_JOB_H_

#include <memory>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "leat/core/files/file_access.h"
#include "leat/kernels/pipeline/dataset.h"

namespace leat::kernels {

// Holds no job or one job. One thread uses it at a time. If it is destroyed
// while a job runs, the job goes on to its end.
class FileJob {
 public:
  // `files` says which files the work may use.
  using Work = absl::AnyInvocable<absl::Status(const FileAccess& files) &&>;

  // Starts to run `work`, and destroys it before the job is done. `context` is
  // the context of the stage. REQUIRES: !IsActive().
  void Start(const StageContext& context, Work work);

  // Returns true from Start until Take.
  bool IsActive() const { return state_ != nullptr; }
  // Returns true if the job is done. Otherwise it wakes the task when it is.
  // REQUIRES: IsActive().
  bool IsDone();
  // Returns what the work has returned. Returns PERMISSION_DENIED if the device
  // has no files. REQUIRES: IsDone() has returned true.
  absl::Status Take();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_PIPELINE_FILE_JOB_H_
