// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// WriteMessage writes a message to a file. Stateless, thread-safe.
#ifndef LEAT_TOOLS_FILES_H_
#define LEAT_TOOLS_FILES_H_

#include <string>

#include "absl/status/status.h"

namespace google::protobuf {
class Message;
}  // namespace google::protobuf

namespace leat {

// Writes a message. The format is text if the path ends in ".pbtxt", and binary
// otherwise. Returns INVALID_ARGUMENT if the message is larger than 2 GiB. Also
// returns the errors of WriteFile (core/files/output_file.h).
absl::Status WriteMessage(const google::protobuf::Message& message,
                          const std::string& path);

}  // namespace leat

#endif  // LEAT_TOOLS_FILES_H_
