// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Parses text as a device name and as a rendezvous key. Any name or key that
// parses must stay the same when it is printed and parsed again.
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "leat/core/check.h"
#include "leat/core/devices/device_name.h"
#include "leat/core/devices/rendezvous.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto name = leat::DeviceName::Parse(text); name.ok()) {
    const auto again = leat::DeviceName::Parse(name->ToString());
    LEAT_CHECK(again.ok());
    LEAT_CHECK(*again == *name);
  }
  const leat::ParsedKey parsed{std::string(text)};
  LEAT_CHECK(parsed.text() == text);
  LEAT_CHECK(parsed.Parts().tensor_name == parsed.tensor_name());
  if (const auto key = leat::RendezvousKey::Parse(text); key.ok()) {
    LEAT_CHECK(parsed.is_well_formed());
    LEAT_CHECK(leat::RendezvousKey::Parse(key->ToString()).ok());
  }
  return 0;
}
