// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Functions that write files. core/regular_file.h has the functions that read
// files. Stateless, thread-safe.
#ifndef LEAT_TOOLS_FILES_H_
#define LEAT_TOOLS_FILES_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace google::protobuf {
class Message;
}  // namespace google::protobuf

namespace leat {

// Replaces the contents of the file `path`. PERMISSION_DENIED, naming the file,
// if it cannot be written.
absl::Status WriteFile(const std::string& path, absl::string_view bytes);

// Writes a message: in text format if the path ends in ".pbtxt", or else in
// binary format. INVALID_ARGUMENT if the message is larger than 2 GiB. Also
// returns the errors of WriteFile.
absl::Status WriteMessage(const google::protobuf::Message& message,
                          const std::string& path);

}  // namespace leat

#endif  // LEAT_TOOLS_FILES_H_
