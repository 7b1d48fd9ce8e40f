// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/codecs/text_numbers.h"

#include <algorithm>
#include <system_error>

#include "absl/strings/ascii.h"
#include "absl/strings/charconv.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"

namespace leat {
namespace {

constexpr size_t kMaxFloatText = 31;

template <class T>
bool ParseInt(absl::string_view text, T& value) {
  const absl::string_view digits = absl::StripAsciiWhitespace(text);
  return !absl::StartsWith(digits, "+") && absl::SimpleAtoi(digits, &value);
}

// Reads the digits of "0x1f", which come after the "0x".
template <class T>
bool ParseHex(absl::string_view digits, T& value) {
  if (digits.empty() || !std::all_of(digits.begin(), digits.end(), [](char c) {
        return absl::ascii_isxdigit(static_cast<unsigned char>(c));
      })) {
    return false;
  }
  const char* const end = digits.data() + digits.size();
  return absl::from_chars(digits.data(), end, value, absl::chars_format::hex)
             .ec == std::errc();
}

inline bool ParseDecimal(absl::string_view text, float& value) {
  return absl::SimpleAtof(text, &value);
}
inline bool ParseDecimal(absl::string_view text, double& value) {
  return absl::SimpleAtod(text, &value);
}

template <class T>
bool ParseFloat(absl::string_view text, T& value) {
  if (text.empty() || text.size() > kMaxFloatText) return false;
  text = absl::StripAsciiWhitespace(text);
  if (text.empty()) {
    value = 0;
    return true;
  }
  absl::string_view magnitude = text;
  const bool is_negative = absl::ConsumePrefix(&magnitude, "-");
  if (!is_negative) absl::ConsumePrefix(&magnitude, "+");
  if (absl::StartsWithIgnoreCase(magnitude, "0x")) {
    if (!ParseHex(magnitude.substr(2), value)) return false;
  } else {
    const bool is_word = absl::EqualsIgnoreCase(magnitude, "inf") ||
                         absl::EqualsIgnoreCase(magnitude, "nan");
    const bool begins_number =
        !magnitude.empty() &&
        (absl::ascii_isdigit(static_cast<unsigned char>(magnitude[0])) ||
         magnitude[0] == '.');
    if (!is_word && !begins_number) return false;
    if (!ParseDecimal(magnitude, value)) return false;
  }
  if (is_negative) value = -value;
  return true;
}

}  // namespace

bool ParseNumber(absl::string_view text, int32_t& value) {
  return ParseInt(text, value);
}
bool ParseNumber(absl::string_view text, int64_t& value) {
  return ParseInt(text, value);
}
bool ParseNumber(absl::string_view text, float& value) {
  return ParseFloat(text, value);
}
bool ParseNumber(absl::string_view text, double& value) {
  return ParseFloat(text, value);
}

}  // namespace leat
