// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/files.h"

#include <google/protobuf/message.h>
#include <google/protobuf/text_format.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "leat/core/files/output_file.h"

namespace leat {

absl::Status WriteMessage(const google::protobuf::Message& message,
                          const std::string& path) {
  std::string bytes;
  const bool done =
      absl::EndsWith(path, ".pbtxt")
          ? google::protobuf::TextFormat::PrintToString(message, &bytes)
          : message.SerializeToString(&bytes);
  if (!done) {
    return absl::InvalidArgumentError(
        absl::StrCat("the file '", path,
                     "' cannot be written: the message is larger than 2 GiB"));
  }
  return WriteFile(path, bytes);
}

}  // namespace leat
