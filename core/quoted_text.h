// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// QuotedText quotes untrusted text in error messages. It is stateless and
// thread-safe.
#ifndef LEAT_CORE_QUOTED_TEXT_H_
#define LEAT_CORE_QUOTED_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace leat {

// Returns `text` in single quotes, on one line. Bytes that are not printable
// ASCII are escaped. If `text` has more than 80 bytes, the rest is replaced by
// "...".
std::string QuotedText(absl::string_view text);

}  // namespace leat

#endif  // LEAT_CORE_QUOTED_TEXT_H_
