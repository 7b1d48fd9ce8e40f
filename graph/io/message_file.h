// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Reads and writes files that hold one message, binary or text. Trusts nothing
// in the files. The functions of this header are stateless and thread-safe.
//
//   LEAT_ASSIGN_OR_RETURN(const std::string content, ReadMessageFile(path));
//   if (!ParseBinary(content, message)) return FileError(path, "is no graph");
#ifndef LEAT_GRAPH_IO_MESSAGE_FILE_H_
#define LEAT_GRAPH_IO_MESSAGE_FILE_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace google::protobuf {
class Message;
}  // namespace google::protobuf

namespace leat {

// Returns an INVALID_ARGUMENT error such as "file 'a.pb' is empty", where "is
// empty" is `message`.
absl::Status FileError(const std::string& path, absl::string_view message);

// Returns the content of a file that holds a message. Fails as ReadRegularFile
// (core/files/regular_file.h) does, with a size limit of 2 GiB, and with
// INVALID_ARGUMENT if the file is empty.
absl::StatusOr<std::string> ReadMessageFile(const std::string& path);

// Returns true if `content` is text: it has no control characters except white
// space. A binary graph has other control characters, because the tags of the
// fields in its nodes are control characters.
bool IsText(absl::string_view content);

// Parses a binary message. Returns false if `content` is not such a message, or
// if the message would take too much memory.
bool ParseBinary(const std::string& content,
                 google::protobuf::Message& message);

// Says why a text could not be parsed. `line` is the line of the error, counted
// from 0.
struct TextError {
  int line = 0;
  std::string message = {};  // with the line and column, from 1
};

// Parses a message that was written as text. Returns the first error, if any.
// If `skips_unknown` is set, unknown fields are not an error.
std::optional<TextError> ParseText(const std::string& content,
                                   google::protobuf::Message& message,
                                   bool skips_unknown = false);

// Writes a message, as text if the path ends in ".pbtxt" and otherwise as
// binary. Equal messages make equal files. Returns INVALID_ARGUMENT if the file
// would be above 2 GiB, which is more than a message can hold. Also returns the
// errors of WriteFile (core/files/output_file.h).
absl::Status WriteMessage(const google::protobuf::Message& message,
                          const std::string& path);

}  // namespace leat

#endif  // LEAT_GRAPH_IO_MESSAGE_FILE_H_
