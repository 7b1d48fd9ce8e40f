// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions make text of bytes that may come from anybody: for terminals,
// which would obey some characters, and for messages, whose strings must be
// UTF-8. They are stateless and thread-safe.
#ifndef LEAT_CORE_ESCAPED_TEXT_H_
#define LEAT_CORE_ESCAPED_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace leat {

// Returns `text` without bytes that would control a terminal. Writes control
// characters and bytes that are not UTF-8 as text, such as "\\n" or "\\x1b".
// Does not change backslashes.
std::string Escaped(absl::string_view text);

// EscapedLines is for messages of several lines. It does the same as Escaped,
// but does not change "\n" and "\t".
std::string EscapedLines(absl::string_view text);

}  // namespace leat

#endif  // LEAT_CORE_ESCAPED_TEXT_H_
