// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/executor/step_allocations.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "leat/core/bytes_text.h"
#include "leat/core/devices/accounted_device.h"
#include "leat/core/devices/gpu_stream.h"
#include "leat/core/status_payloads.h"

namespace leat {
namespace {

// kMaxNodes and kFraction are the limits of TensorFlow. kMaxTextBytes limits
// the length of an error message.
constexpr size_t kMaxNodes = 100;
constexpr double kFraction = 0.99;
constexpr size_t kMaxTextBytes = 4096;

constexpr char kHint[] =
    "\nHint: If you want to see a list of allocated tensors when OOM happens, "
    "add report_tensor_allocations_upon_oom to RunOptions for current "
    "allocation info.";

// Describes what uses the memory of a GPU. Returns "" for a CPU.
std::string MemoryOfGpu(Device& device) {
  GpuStream* const gpu = device.gpu_stream();
  if (gpu == nullptr) return "";
  return absl::StrCat("\nMemory of ", device.name(), ": ",
                      gpu->DescribeMemory());
}

}  // namespace

// Describes what one node has allocated. The account has no owner, so its
// allocators have the same names as the allocators of the device.
struct StepAllocations::NodeMemory {
  NodeMemory(const NodeDef& node, const StepServices& step)
      : name(node.name),
        account(std::make_shared<MemoryAccount>("", INT64_MAX)),
        device(*step.device, account, account),
        services(step) {
    services.device = &device;
  }

  const std::string name;
  const std::shared_ptr<MemoryAccount> account;
  AccountedDevice device;
  StepServices services;
};

StepAllocations::StepAllocations() = default;
StepAllocations::~StepAllocations() = default;

const StepServices& StepAllocations::ServicesFor(const NodeDef& node,
                                                 const StepServices& services) {
  MutexLock lock(mutex_);
  std::unique_ptr<NodeMemory>& memory = nodes_[&node];
  if (memory == nullptr) memory = std::make_unique<NodeMemory>(node, services);
  return memory->services;
}

std::string StepAllocations::Report(Device& device) const {
  using Entry = std::pair<int64_t, std::string>;
  std::vector<Entry> entries;
  int64_t left = 0;
  {
    MutexLock lock(mutex_);
    for (const auto& [node, memory] : nodes_) {
      const int64_t bytes = memory->account->live_bytes();
      if (bytes == 0 || memory->device.name() != device.name()) continue;
      entries.emplace_back(bytes, memory->name);
      left += bytes;
    }
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  const double enough = static_cast<double>(left) * (1 - kFraction);
  std::string text =
      absl::StrCat("\n\nCurrent usage from device: ", device.name(),
                   ", allocator: ", device.allocator().name(), "\n");
  size_t shown = 0;
  for (; shown < std::min(entries.size(), kMaxNodes); ++shown) {
    const auto& [bytes, name] = entries[shown];
    if (static_cast<double>(left) <= enough ||
        text.size() + name.size() > kMaxTextBytes) {
      break;
    }
    absl::StrAppend(&text, "  ", BytesText(bytes), " from ", name, "\n");
    left -= bytes;
  }
  if (shown < entries.size()) {
    absl::StrAppend(&text, "  Remaining ", entries.size() - shown,
                    " nodes with ", BytesText(left), "\n");
  }
  return text;
}

bool IsOutOfMemory(const absl::Status& status) {
  return absl::IsResourceExhausted(status) &&
         absl::StrContains(status.message(), "memory");
}

absl::Status WithAllocations(const absl::Status& status,
                             const StepAllocations* allocations,
                             Device& device) {
  return WithMessage(status, absl::StrCat(status.message(), MemoryOfGpu(device),
                                          allocations == nullptr
                                              ? kHint
                                              : allocations->Report(device)));
}

}  // namespace leat
