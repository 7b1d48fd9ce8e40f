// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// EventReader reads the events of an event file from its start to its end.
//
//   LEAT_ASSIGN_OR_RETURN(EventReader reader, EventReader::Open(path));
//   pb::Event event;
//   while (reader.has_next()) {
//     LEAT_RETURN_IF_ERROR(reader.Read(event));
//   }
#ifndef LEAT_SUMMARY_EVENT_READER_H_
#define LEAT_SUMMARY_EVENT_READER_H_

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/files/file_access.h"
#include "leat/summary/record_reader.h"

namespace leat::pb {
class Event;
}  // namespace leat::pb

namespace leat {

// Is not thread-safe. All errors name the file. Events that a writer appends
// after Open are not read.
class EventReader {
 public:
  // Fails as RecordReader::Open does.
  static absl::StatusOr<EventReader> Open(
      const std::string& path,
      const FileAccess& files = FileAccess::Unrestricted());

  // Returns true if bytes are left.
  bool has_next() const { return records_.has_next(); }

  // Overwrites `event` with the next event. Fails as RecordReader::Read does.
  // Also returns DATA_LOSS, with the record's offset, if the record is not an
  // event or would take more than 2 GiB of memory. After an error the reader
  // cannot be used any more. REQUIRES: has_next().
  absl::Status Read(pb::Event& event);

 private:
  EventReader(std::string path, RecordReader records)
      : path_(std::move(path)), records_(std::move(records)) {}

  std::string path_;
  RecordReader records_;
  std::string record_;
};

}  // namespace leat

#endif  // LEAT_SUMMARY_EVENT_READER_H_
