// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// AppendRecord frames bytes as a record of a TFRecord file, the format of event
// files. A record is
//
//   uint64 length, uint32 masked CRC-32C of the length,
//   length bytes,  uint32 masked CRC-32C of the bytes
//
// with all numbers in little-endian order. RecordReader (record_reader.h) reads
// such files. The functions are stateless and thread-safe.
#ifndef LEAT_SUMMARY_RECORDS_H_
#define LEAT_SUMMARY_RECORDS_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace leat {

inline constexpr size_t kRecordHeaderBytes = 12;  // before the bytes
inline constexpr size_t kRecordFooterBytes = 4;   // behind the bytes
// Is the greatest number of bytes in a record that is written or read.
inline constexpr int64_t kMaxRecordBytes = INT32_MAX;

// Appends the record with these bytes to `to`. REQUIRES: there are at most
// kMaxRecordBytes bytes.
void AppendRecord(absl::string_view bytes, std::string& to);

}  // namespace leat

#endif  // LEAT_SUMMARY_RECORDS_H_
