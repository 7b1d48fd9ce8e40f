// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// QuotedText: text of others in a message of ours.
#ifndef LEAT_DISTRIBUTED_QUOTED_TEXT_H_
#define LEAT_DISTRIBUTED_QUOTED_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace leat {

// In quotes and on one line: bytes that are not printable ASCII are escaped,
// and of a long text there are the first 80 bytes and "...".
std::string QuotedText(absl::string_view text);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_QUOTED_TEXT_H_
