// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/quoted_text.h"

#include <cstddef>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace leat {
namespace {

constexpr size_t kMaxBytes = 80;

}  // namespace

std::string QuotedText(absl::string_view text) {
  return absl::StrCat("'", absl::CHexEscape(text.substr(0, kMaxBytes)),
                      text.size() > kMaxBytes ? "...'" : "'");
}

}  // namespace leat
