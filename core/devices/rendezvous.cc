// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/devices/rendezvous.h"

#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "leat/core/devices/device_name.h"

namespace leat {
namespace {

// Returns true for 1 to 16 hexadecimal digits. Abseil's parsers would also take
// signs and spaces.
bool IsHex(absl::string_view text) {
  for (const char c : text) {
    if (!absl::ascii_isxdigit(c)) return false;
  }
  return !text.empty() && text.size() <= 16;
}

bool IsDecimal(absl::string_view text) {
  for (const char c : text) {
    if (!absl::ascii_isdigit(c)) return false;
  }
  return !text.empty();
}

// Parses "frame:iteration".
bool ParseFrame(absl::string_view text, RendezvousKey& key) {
  const std::vector<absl::string_view> parts = absl::StrSplit(text, ':');
  return parts.size() == 2 && IsDecimal(parts[0]) && IsDecimal(parts[1]) &&
         absl::SimpleAtoi(parts[0], &key.frame) &&
         absl::SimpleAtoi(parts[1], &key.iteration);
}

}  // namespace

std::string RendezvousKey::ToString() const {
  return absl::StrCat(
      send_device, ";", absl::Hex(send_incarnation, absl::kZeroPad16), ";",
      recv_device, ";", tensor_name, ";", frame, ":", iteration);
}

absl::StatusOr<RendezvousKey> RendezvousKey::Parse(absl::string_view text) {
  const std::vector<absl::string_view> parts = absl::StrSplit(text, ';');
  RendezvousKey key;
  if (parts.size() != 5 || parts[0].empty() ||
      !DeviceName::Parse(parts[0]).ok() || !IsHex(parts[1]) ||
      !absl::SimpleHexAtoi(parts[1], &key.send_incarnation) ||
      parts[2].empty() || !DeviceName::Parse(parts[2]).ok() ||
      parts[3].empty() || !ParseFrame(parts[4], key)) {
    return absl::InvalidArgumentError(
        absl::StrCat("Invalid rendezvous key: ", absl::CHexEscape(text)));
  }
  key.send_device = std::string(parts[0]);
  key.recv_device = std::string(parts[2]);
  key.tensor_name = std::string(parts[3]);
  return key;
}

}  // namespace leat
