// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Files that the command line tools write; core/regular_file.h reads them.
#ifndef LEAT_TOOLS_FILES_H_
#define LEAT_TOOLS_FILES_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace google::protobuf {
class Message;
}  // namespace google::protobuf

namespace leat {

// PERMISSION_DENIED naming a file that cannot be written.
absl::Status WriteFile(const std::string& path, absl::string_view bytes);

// Binary, or text when the path ends in ".pbtxt". INVALID_ARGUMENT for a
// message above 2 GiB; else fails as WriteFile does.
absl::Status WriteMessage(const google::protobuf::Message& message,
                          const std::string& path);

}  // namespace leat

#endif  // LEAT_TOOLS_FILES_H_
