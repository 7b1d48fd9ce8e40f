// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/summary/event_writer.h"

#include <unistd.h>

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "leat/core/files/descriptor_limit.h"
#include "leat/core/files/output_file.h"
#include "leat/core/files/system_error.h"
#include "leat/core/random_id.h"
#include "leat/core/status_macros.h"
#include "leat/summary/records.h"
#include "leat/summary/values.h"

namespace leat {
namespace {

// A process that serves clients needs descriptors for other things, too.
constexpr int64_t kSpareDescriptors = 64;

std::string HostName() {
  char name[256] = {};
  // The last byte stays 0, also if the name is cut off.
  if (gethostname(name, sizeof(name) - 1) != 0) return "localhost";
  return name;
}

std::string NewPath(const std::string& folder, absl::string_view suffix) {
  const absl::string_view separator = absl::StartsWith(suffix, ".") ? "" : ".";
  return absl::StrFormat("%s%sevents.out.tfevents.%010d.%s.%d.%d%s%s", folder,
                         absl::EndsWith(folder, "/") ? "" : "/",
                         absl::ToUnixSeconds(absl::Now()), HostName(), getpid(),
                         RandomId(), suffix.empty() ? "" : separator, suffix);
}

}  // namespace

pb::Event NewEvent(int64_t step) {
  pb::Event event;
  event.set_wall_time(absl::ToDoubleSeconds(absl::Now() - absl::UnixEpoch()));
  event.set_step(step);
  return event;
}

absl::StatusOr<std::unique_ptr<EventWriter>> EventWriter::Create(
    const FileAccess& files, const std::string& folder,
    EventWriterOptions options) {
  if (folder.empty()) {
    return absl::InvalidArgumentError("the folder of event files has no name");
  }
  LEAT_RETURN_IF_ERROR(files.MakeFolders(folder));
  const std::string path = NewPath(folder, options.suffix);
  LEAT_RETURN_IF_ERROR(CheckFreeDescriptors(kSpareDescriptors,
                                            absl::StrCat("file '", path, "'")));
  LEAT_ASSIGN_OR_RETURN(FileDescriptor file, files.Create(path, path));
  auto writer = std::unique_ptr<EventWriter>(
      new EventWriter(path, std::move(file), std::move(options)));
  pb::Event first = NewEvent(/*step=*/0);
  first.set_file_version("brain.Event:2");
  first.mutable_source_metadata()->set_writer("leat.summary.event_writer");
  absl::Status status = writer->Write(first);
  if (status.ok()) status = writer->Flush();
  if (status.ok()) return writer;
  files.RemoveFile(path).IgnoreError();  // it has no complete event
  return status;
}

EventWriter::~EventWriter() {
  MutexLock lock(mutex_);
  if (file_.is_open()) FlushLocked().IgnoreError();
}

absl::Status EventWriter::Write(const pb::Event& event) {
  absl::StatusOr<std::string> bytes = SerializeBounded(event);
  if (!bytes.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("file '", path_, "': ", bytes.status().message()));
  }
  MutexLock lock(mutex_);
  return Append(*bytes);
}

absl::Status EventWriter::Append(absl::string_view event) {
  LEAT_RETURN_IF_ERROR(damaged_);
  if (!file_.is_open()) {
    return absl::FailedPreconditionError(
        absl::StrCat("file '", path_, "' has been closed"));
  }
  AppendRecord(event, pending_);
  ++num_pending_;
  if (num_pending_ <= options_.max_queue &&
      pending_.size() <= kMaxPendingBytes &&
      absl::Now() - last_flush_ <= absl::FromChrono(options_.flush_every)) {
    return absl::OkStatus();
  }
  return FlushLocked();
}

absl::Status EventWriter::Flush() {
  MutexLock lock(mutex_);
  return file_.is_open() ? FlushLocked() : damaged_;
}

absl::Status EventWriter::FlushLocked() {
  last_flush_ = absl::Now();
  const std::string bytes = std::exchange(pending_, "");
  const int64_t num_events = std::exchange(num_pending_, 0);
  const absl::Status status = WriteAll(file_.number(), path_, bytes);
  if (status.ok()) {
    size_ += static_cast<int64_t>(bytes.size());
    return status;
  }
  // A record that is cut off would make all later records unreadable.
  const bool is_cut = ftruncate(file_.number(), size_) == 0 &&
                      lseek(file_.number(), size_, SEEK_SET) == size_;
  const absl::Status lost(
      status.code(),
      absl::StrCat(status.message(), "; ", num_events, " events are lost"));
  if (is_cut) return lost;
  file_.Close();
  damaged_ = lost;
  return lost;
}

absl::Status EventWriter::Close() {
  MutexLock lock(mutex_);
  if (!file_.is_open()) return damaged_;
  absl::Status status = FlushLocked();
  if (!file_.is_open()) return status;
  const bool is_synced = fsync(file_.number()) == 0;
  if (!is_synced) status.Update(SystemError(path_, "cannot sync"));
  // Some file systems report only now that the disk is full.
  const bool is_closed = close(file_.Release()) == 0;
  if (!is_closed) status.Update(SystemError(path_, "cannot close"));
  return status;
}

}  // namespace leat
