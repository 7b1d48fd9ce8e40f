// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/device_kind.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "leat/core/files/system_file.h"
#include "leat/partitioner/costs/cost_file.h"

namespace leat {
namespace {

constexpr size_t kMaxModel = 80;
static_assert(kMaxModel + 30 < kMaxDeviceKind);

// Returns `text` in printable ASCII, without several spaces in a row, and not
// too long.
std::string Sanitized(absl::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (!absl::ascii_isprint(static_cast<unsigned char>(c))) c = ' ';
  }
  absl::RemoveExtraAsciiWhitespace(&result);
  return result.substr(0, kMaxModel);
}

// Returns what stands behind "name: " and before the next comma in the
// description of a GPU.
absl::string_view GpuName(absl::string_view description) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(description, absl::MaxSplits("name: ", 1));
  return parts.second.substr(0, parts.second.find(','));
}

}  // namespace

std::string ProcessorName(const std::string& cpuinfo) {
  for (absl::string_view line : absl::StrSplit(cpuinfo, '\n')) {
    if (!absl::ConsumePrefix(&line, "model name")) continue;
    const size_t colon = line.find(':');
    if (colon != line.npos) return Sanitized(line.substr(colon + 1));
  }
  return "";
}

std::string DeviceKind(Device& device) {
  static const auto* const kProcessor =
      new std::string(ProcessorName(ReadSystemFile("/proc/cpuinfo")));
  const DeviceInfo& info = device.info();
  if (info.type != kCpu) {
    return Sanitized(absl::StrCat(info.type, " ", GpuName(info.description)));
  }
  const int num_threads = device.compute_queue().num_threads();
  return absl::StrCat(Sanitized(absl::StrCat(kCpu, " ", *kProcessor)), ", ",
                      num_threads, num_threads == 1 ? " thread" : " threads");
}

}  // namespace leat
