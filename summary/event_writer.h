// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// EventWriter writes an event file, which TensorBoard reads.
//
//   LEAT_ASSIGN_OR_RETURN(const auto writer,
//                         EventWriter::Create(files, "/tmp/logs"));
//   pb::Event event = NewEvent(/*step=*/7);
//   AddScalar("loss", loss, 0, *event.mutable_summary());
//   LEAT_RETURN_IF_ERROR(writer->Write(event));
//   LEAT_RETURN_IF_ERROR(writer->Close());
#ifndef LEAT_SUMMARY_EVENT_WRITER_H_
#define LEAT_SUMMARY_EVENT_WRITER_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "leat/core/files/file_access.h"
#include "leat/core/files/file_descriptor.h"
#include "leat/core/threads/mutex.h"
#include "leat/protos/event.pb.h"

namespace leat {

// Returns an event with the current time and the number of a training step.
pb::Event NewEvent(int64_t step);

struct EventWriterOptions {
  // The name of the file ends with this suffix. If the suffix does not begin
  // with a dot, a dot is put before it.
  std::string suffix = {};
  // A write flushes if more than `max_queue` events wait, or if the last flush
  // is longer ago than `flush_every`. It also flushes if more than a mebibyte
  // waits.
  int64_t max_queue = 10;
  std::chrono::milliseconds flush_every = std::chrono::minutes(2);
};

// Is thread-safe. All errors name the file. Events wait in memory until a
// flush. Flushed bytes outlive the process. Close also writes them to the disk.
// The destructor flushes, but cannot report an error.
//
// If the system cannot write, for example because the disk is full, the events
// that waited are lost, and the error says how many. The file is cut behind the
// last complete event, so that later events can follow.
class EventWriter {
 public:
  // Waiting events are flushed if they have more bytes than this.
  static constexpr size_t kMaxPendingBytes = size_t{1} << 20;

  // Makes the folder `folder` if there is none, and creates a file
  // "events.out.tfevents.SECONDS.HOST.PID.NUMBER.SUFFIX" in it. Writes the
  // first event of every event file, which has the version of the format.
  // Returns INVALID_ARGUMENT if `folder` is "". Returns RESOURCE_EXHAUSTED if
  // this process may open only a few more files.
  static absl::StatusOr<std::unique_ptr<EventWriter>> Create(
      const FileAccess& files, const std::string& folder,
      EventWriterOptions options = {});
  ~EventWriter();

  // Returns the path of the file.
  const std::string& path() const { return path_; }

  // Appends an event. Returns INVALID_ARGUMENT if it has more than 2 GiB, and
  // FAILED_PRECONDITION after Close.
  absl::Status Write(const pb::Event& event);
  absl::Status Flush();
  // Flushes and closes the file. Does nothing if it is closed already.
  absl::Status Close();

 private:
  EventWriter(std::string path, FileDescriptor file, EventWriterOptions options)
      : path_(std::move(path)),
        options_(std::move(options)),
        file_(std::move(file)) {}

  absl::Status Append(absl::string_view event)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status FlushLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::string path_;
  const EventWriterOptions options_;
  Mutex mutex_;
  FileDescriptor file_ ABSL_GUARDED_BY(mutex_);
  // If the file could not be cut behind its last complete event and was closed,
  // this is the error. Otherwise it is OK.
  absl::Status damaged_ ABSL_GUARDED_BY(mutex_);
  int64_t size_ ABSL_GUARDED_BY(mutex_) = 0;  // of the complete events in it
  std::string pending_ ABSL_GUARDED_BY(mutex_);
  int64_t num_pending_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::Time last_flush_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
};

}  // namespace leat

#endif  // LEAT_SUMMARY_EVENT_WRITER_H_
