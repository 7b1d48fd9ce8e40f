// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// QuotedText: quotes untrusted text in error messages. Stateless, thread-safe.
#ifndef LEAT_CORE_QUOTED_TEXT_H_
#define LEAT_CORE_QUOTED_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace leat {

// Returns `text` in single quotes and on one line: bytes that are not printable
// ASCII are escaped, and a long text is cut after 80 bytes, with "..." behind
// it.
std::string QuotedText(absl::string_view text);

}  // namespace leat

#endif  // LEAT_CORE_QUOTED_TEXT_H_
