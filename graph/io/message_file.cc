// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/io/message_file.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "leat/core/codec/parsed_bytes.h"
#include "leat/core/files/output_file.h"
#include "leat/core/files/regular_file.h"
#include "leat/core/status_macros.h"

namespace leat {
namespace {

namespace protobuf = google::protobuf;

// Limits the depth to which messages may nest. No graph nests this deep, and
// parsing to this depth does not overflow the stack.
constexpr int kMaxDepth = 100;

// Limits the memory that a message may take. A hostile file can have many small
// messages. Each of them can take a hundred times as many bytes in memory as in
// the file.
constexpr int64_t kMaxParsedBytes = int64_t{16} << 30;

// A message can hold at most 2 GiB.
constexpr int kMaxBytes = std::numeric_limits<int>::max();

// Keeps the first error of a parser.
class FirstError : public protobuf::io::ErrorCollector {
 public:
  void AddError(int line, protobuf::io::ColumnNumber column,
                const std::string& message) override {
    if (error.has_value()) return;
    error = TextError{line, absl::StrCat("line ", line + 1, ", column ",
                                         column + 1, ": ", message)};
  }
  void AddWarning(int, protobuf::io::ColumnNumber,
                  const std::string&) override {}

  std::optional<TextError> error;
};

}  // namespace

absl::Status FileError(const std::string& path, absl::string_view message) {
  return absl::InvalidArgumentError(
      absl::StrCat("file '", path, "' ", message));
}

absl::StatusOr<std::string> ReadMessageFile(const std::string& path) {
  LEAT_ASSIGN_OR_RETURN(std::string content, ReadRegularFile(path, kMaxBytes));
  if (content.empty()) return FileError(path, "is empty");
  return content;
}

bool IsText(absl::string_view content) {
  return std::all_of(content.begin(), content.end(), [](char c) {
    return static_cast<unsigned char>(c) >= ' ' || c == '\n' || c == '\r' ||
           c == '\t';
  });
}

bool ParseBinary(const std::string& content, protobuf::Message& message) {
  if (ParsedBytes(content, *message.GetDescriptor(), kMaxParsedBytes) >
      kMaxParsedBytes) {
    return false;
  }
  // If protobuf cannot read the message, it logs an error. `silencer` prevents
  // this.
  const protobuf::LogSilencer silencer;
  protobuf::io::ArrayInputStream stream(content.data(),
                                        static_cast<int>(content.size()));
  protobuf::io::CodedInputStream coded(&stream);
  coded.SetRecursionLimit(kMaxDepth);
  return message.ParseFromCodedStream(&coded) && coded.ConsumedEntireMessage();
}

std::optional<TextError> ParseText(const std::string& content,
                                   protobuf::Message& message,
                                   bool skips_unknown) {
  FirstError first;
  protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&first);
  parser.SetRecursionLimit(kMaxDepth);
  parser.AllowUnknownField(skips_unknown);
  if (parser.ParseFromString(content, &message)) return std::nullopt;
  return first.error.value_or(TextError());
}

absl::Status WriteMessage(const protobuf::Message& message,
                          const std::string& path) {
  std::string content;
  if (absl::EndsWith(path, ".pbtxt")) {
    if (!protobuf::TextFormat::PrintToString(message, &content)) {
      return FileError(path, "cannot be written as text");
    }
    return WriteFile(path, content);
  }
  const size_t bytes = message.ByteSizeLong();
  if (bytes > static_cast<size_t>(kMaxBytes)) {
    return FileError(
        path, absl::StrCat("cannot be written: the message has ", bytes,
                           " bytes, but a file holds at most ", kMaxBytes));
  }
  content.reserve(bytes);
  protobuf::io::StringOutputStream stream(&content);
  protobuf::io::CodedOutputStream coded(&stream);
  // Writes maps in the order of their keys, so that equal graphs make equal
  // files.
  coded.SetSerializationDeterministic(true);
  if (!message.SerializeToCodedStream(&coded)) {
    return FileError(path, "cannot be serialised");
  }
  coded.Trim();
  return WriteFile(path, content);
}

}  // namespace leat
