// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Reads the fuzzer's bytes as an event file in two ways: first the bytes are
// the whole file, then they are the event in a record with correct checksums.
#include <fcntl.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "leat/core/check.h"
#include "leat/core/files/file_descriptor.h"
#include "leat/core/files/output_file.h"
#include "leat/protos/event.pb.h"
#include "leat/summary/event_reader.h"
#include "leat/summary/records.h"
#include "leat/summary/values.h"

namespace {

std::string MakePath() {
  std::string folder = "/tmp/leat_event_file_fuzz_XXXXXX";
  LEAT_CHECK(mkdtemp(folder.data()) != nullptr);
  return folder + "/events";
}

// Reads all events of a file with these bytes. It must be possible to serialize
// each event that is read.
void ReadFile(absl::string_view bytes) {
  static const std::string* const path = new std::string(MakePath());
  const leat::FileDescriptor file(
      open(path->c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  LEAT_CHECK(leat::WriteAll(file.number(), *path, bytes).ok());
  auto reader = leat::EventReader::Open(*path);
  LEAT_CHECK(reader.ok());
  leat::pb::Event event;
  while (reader->has_next()) {
    if (!reader->Read(event).ok()) return;
    LEAT_CHECK(leat::SerializeBounded(event).ok());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  ReadFile(bytes);
  std::string record;
  leat::AppendRecord(bytes, record);
  ReadFile(record);
  return 0;
}
