// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/launched_task.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "leat/core/files/system_error.h"
#include "leat/core/status_macros.h"

namespace leat {
namespace {

constexpr size_t kReadBytes = 64 << 10;
// Limits the number of reads of one task's output before the next task's output
// is read.
constexpr int kMaxReads = 16;

}  // namespace

absl::Status LaunchedTask::OpenLog() {
  if (options_.log.empty()) return absl::OkStatus();
  // Without O_NONBLOCK, opening a named pipe would wait for a reader.
  log_ = FileDescriptor(
      open(options_.log.c_str(),
           O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK | O_CLOEXEC, 0666));
  if (!log_.is_open()) return SystemError(options_.log, "cannot write");
  struct stat info = {};
  if (fstat(log_.number(), &info) != 0 || !S_ISREG(info.st_mode)) {
    return absl::InvalidArgumentError(
        absl::StrCat("file '", options_.log, "' is no regular file"));
  }
  if (ftruncate(log_.number(), 0) != 0) {
    return SystemError(options_.log, "cannot empty");
  }
  return absl::OkStatus();
}

absl::Status LaunchedTask::Start() {
  ReadOutput();  // output of the previous process
  LEAT_ASSIGN_OR_RETURN(ChildProcess child,
                        StartChild(options_.command, options_.environment));
  pid_ = child.pid;
  output_ = std::move(child.output);
  due_.reset();
  if (has_started_) ++restarts_;
  has_started_ = true;
  return absl::OkStatus();
}

void LaunchedTask::Signal(int signal) const {
  if (pid_ >= 0) kill(-pid_, signal);
}

void LaunchedTask::Ended(const EndedChild& child, bool whole) {
  if (whole) kill(-child.pid, SIGKILL);
  ReadOutput();
  pid_ = -1;
}

void LaunchedTask::ReadOutput() {
  char bytes[kReadBytes];
  for (int i = 0; output_.is_open() && i < kMaxReads; ++i) {
    const ssize_t count = read(output_.number(), bytes, sizeof(bytes));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) {
      view_->EndLine(options_.place);
      output_.Close();
      return;
    }
    const absl::string_view text(bytes, static_cast<size_t>(count));
    WriteLog(text);
    view_->Show(options_.place, text);
  }
}

void LaunchedTask::Note(absl::string_view text) {
  const std::string note = absl::StrCat(options_.name, " ", text);
  WriteLog(absl::StrCat("[leat] ", note, "\n"));
  view_->EndLine(options_.place);
  view_->Note(note);
}

void LaunchedTask::WriteLog(absl::string_view bytes) {
  while (log_.is_open() && !bytes.empty()) {
    const ssize_t count = write(log_.number(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      view_->Note(SystemError(options_.log, "cannot write").message());
      log_.Close();
      return;
    }
    bytes.remove_prefix(static_cast<size_t>(count));
  }
}

}  // namespace leat
