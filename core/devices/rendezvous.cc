// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/devices/rendezvous.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "leat/core/devices/device_name.h"

namespace leat {
namespace {

// Parses 1 to 16 hexadecimal digits. Abseil's parsers would also take signs and
// spaces.
bool ParseHex(absl::string_view text, uint64_t& number) {
  for (const char c : text) {
    if (!absl::ascii_isxdigit(c)) return false;
  }
  return text.size() <= 16 && absl::SimpleHexAtoi(text, &number);
}

bool IsDecimal(absl::string_view text) {
  for (const char c : text) {
    if (!absl::ascii_isdigit(c)) return false;
  }
  return !text.empty();
}

// Parses "frame:iteration".
bool ParseFrame(absl::string_view text, uint64_t& frame, int64_t& iteration) {
  const size_t colon = text.find(':');
  if (colon == absl::string_view::npos) return false;
  const absl::string_view first = text.substr(0, colon);
  const absl::string_view second = text.substr(colon + 1);
  return IsDecimal(first) && IsDecimal(second) &&
         absl::SimpleAtoi(first, &frame) &&
         absl::SimpleAtoi(second, &iteration);
}

}  // namespace

std::string RendezvousKey::ToString() const {
  return absl::StrCat(
      send_device, ";", absl::Hex(send_incarnation, absl::kZeroPad16), ";",
      recv_device, ";", tensor_name, ";", frame, ":", iteration);
}

absl::StatusOr<RendezvousKey> RendezvousKey::Parse(absl::string_view text) {
  const ParsedKey key{std::string(text)};
  if (!key.is_well_formed() || !DeviceName::Parse(key.send_device()).ok() ||
      !DeviceName::Parse(key.recv_device()).ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("Invalid rendezvous key: ", absl::CHexEscape(text)));
  }
  return key.Parts();
}

ParsedKey::ParsedKey(std::string text) : text_(std::move(text)) {
  size_t begin = 0;
  for (size_t& semicolon : semicolons_) {
    semicolon = std::min(text_.find(';', begin), text_.size());
    begin = std::min(semicolon + 1, text_.size());
  }
  const absl::string_view rest = absl::string_view(text_).substr(begin);
  is_well_formed_ = !send_device().empty() && !recv_device().empty() &&
                    !tensor_name().empty() &&
                    ParseHex(Part(1), send_incarnation_) &&
                    ParseFrame(rest, frame_, iteration_);
}

RendezvousKey ParsedKey::Parts() const {
  return {.send_device = std::string(send_device()),
          .send_incarnation = send_incarnation_,
          .recv_device = std::string(recv_device()),
          .tensor_name = std::string(tensor_name()),
          .frame = frame_,
          .iteration = iteration_};
}

ParsedKey ParsedKey::InLoop(uint64_t frame, int64_t iteration) const {
  const size_t last = text_.rfind(';') + 1;
  ParsedKey key;
  key.text_ = absl::StrCat(absl::string_view(text_).substr(0, last), frame, ":",
                           iteration);
  key.semicolons_ = semicolons_;
  key.is_well_formed_ = is_well_formed_;
  key.send_incarnation_ = send_incarnation_;
  key.frame_ = frame;
  key.iteration_ = iteration;
  return key;
}

}  // namespace leat
