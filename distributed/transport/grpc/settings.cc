// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/transport/grpc/settings.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace leat {

std::string EscapedUnixAddress(absl::string_view address) {
  std::string escaped;
  for (const char c : address) {
    if (absl::ascii_isalnum(c) || absl::StrContains(":/-._~", c)) {
      escaped.push_back(c);
    } else {
      absl::StrAppend(
          &escaped, "%",
          absl::Hex(static_cast<unsigned char>(c), absl::kZeroPad2));
    }
  }
  return escaped;
}

int MessageLimit(int64_t max_message_bytes) {
  return static_cast<int>(std::min<int64_t>(max_message_bytes, INT32_MAX));
}

int Milliseconds(std::chrono::milliseconds time) {
  return static_cast<int>(
      std::clamp<std::chrono::milliseconds::rep>(time.count(), 1, INT32_MAX));
}

}  // namespace leat
