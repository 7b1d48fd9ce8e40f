// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/pipeline/file_job.h"

#include <utility>

#include "leat/core/files/file_service.h"
#include "leat/kernels/pipeline/completion.h"

namespace leat::kernels {

struct FileJob::State {
  Completion completion = {};
  absl::Status status = absl::OkStatus();

  void End(absl::Status outcome) {
    status = std::move(outcome);
    completion.End();
  }
};

void FileJob::Start(const StageContext& context, Work work) {
  state_ = std::make_shared<State>();
  state_->completion.Begin(context);
  FileService* const files = context.pipeline->step().device->files();
  if (files == nullptr) {
    return state_->End(
        absl::PermissionDeniedError("this device has no files for graphs"));
  }
  absl::Status started =
      files->Run([files, state = state_, work = std::move(work)]() mutable {
        absl::Status outcome = std::move(work)(files->access());
        work = nullptr;
        state->End(std::move(outcome));
      });
  if (!started.ok()) state_->End(std::move(started));
}

bool FileJob::IsDone() { return state_->completion.IsDone(); }

absl::Status FileJob::Take() {
  absl::Status status = std::move(state_->status);
  state_.reset();
  return status;
}

}  // namespace leat::kernels
