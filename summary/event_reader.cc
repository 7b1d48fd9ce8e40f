// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/summary/event_reader.h"

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/protos/event.pb.h"
#include "leat/summary/values.h"

namespace leat {

absl::StatusOr<EventReader> EventReader::Open(const std::string& path,
                                              const FileAccess& files) {
  LEAT_ASSIGN_OR_RETURN(RecordReader records, RecordReader::Open(path, files));
  return EventReader(path, std::move(records));
}

absl::Status EventReader::Read(pb::Event& event) {
  const int64_t offset = records_.offset();
  LEAT_RETURN_IF_ERROR(records_.Read(record_));
  if (ParseBounded(record_, event)) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(
      "file '", path_, "': the record at offset ", offset, " is not an event"));
}

}  // namespace leat
