// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/cuda/cuda_device.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/random_id.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/thread.h"

namespace leat {
namespace {

// A Memory has a byte for the number of the GPU.
constexpr int kMostGpus = 256;

// Returns how many bytes are left to CUDA itself and to libraries when a device
// takes all free memory.
int64_t LeftForOthers(int64_t free_bytes) {
  return std::min(int64_t{1536} << 20, free_bytes / 10);
}

absl::Status CheckOptions(const CudaDeviceOptions& options, int count) {
  if (options.memory_bytes < 0 || options.pinned_bytes < 0) {
    return absl::InvalidArgumentError(
        "the memory of a GPU must be at least 0 bytes");
  }
  if (!(options.memory_fraction >= 0 && options.memory_fraction <= 1)) {
    return absl::InvalidArgumentError(
        absl::StrCat("the fraction of a GPU's memory must be in [0, 1], not ",
                     options.memory_fraction));
  }
  std::vector<int> ordinals = options.ordinals;
  std::sort(ordinals.begin(), ordinals.end());
  for (size_t i = 0; i < ordinals.size(); ++i) {
    if (ordinals[i] < 0 || ordinals[i] >= count) {
      return absl::InvalidArgumentError(absl::StrCat(
          "there is no GPU ", ordinals[i], "; this machine has ", count));
    }
    if (i > 0 && ordinals[i] == ordinals[i - 1]) {
      return absl::InvalidArgumentError(
          absl::StrCat("GPU ", ordinals[i], " is named twice"));
    }
  }
  return absl::OkStatus();
}

// Returns how many bytes the device of the current GPU may take.
absl::StatusOr<int64_t> MemoryLimit(CudaApi& api,
                                    const CudaDeviceOptions& options) {
  if (options.memory_bytes > 0) return options.memory_bytes;
  LEAT_ASSIGN_OR_RETURN(const CudaMemoryInfo memory, api.MemoryInfo());
  if (options.memory_fraction > 0) {
    return static_cast<int64_t>(static_cast<double>(memory.total_bytes) *
                                options.memory_fraction);
  }
  return memory.free_bytes - LeftForOthers(memory.free_bytes);
}

// Returns the description of the GPU that becomes "GPU:<index>".
absl::StatusOr<DeviceInfo> Describe(CudaApi& api, int ordinal, size_t index,
                                    const CudaDeviceOptions& options) {
  LEAT_ASSIGN_OR_RETURN(const CudaProperties gpu, api.Properties(ordinal));
  LEAT_ASSIGN_OR_RETURN(const int driver, api.DriverVersion());
  LEAT_RETURN_IF_ERROR(api.SetDevice(ordinal));
  DeviceInfo info;
  info.name = absl::StrCat(options.task, "/device:GPU:", index);
  info.type = kGpu;
  LEAT_ASSIGN_OR_RETURN(info.memory_bytes, MemoryLimit(api, options));
  info.incarnation = RandomId();
  info.description = absl::StrCat(
      "device: ", ordinal, ", name: ", gpu.name,
      ", pci bus id: ", gpu.pci_bus_id, ", compute capability: ", gpu.major,
      ".", gpu.minor, ", driver: CUDA ", CudaVersionText(driver));
  return info;
}

// Returns "GPU:1" for "/job:worker/replica:0/task:0/device:GPU:1".
std::string ShortName(absl::string_view name) {
  return std::string(name.substr(name.rfind("GPU:")));
}

}  // namespace

absl::StatusOr<std::unique_ptr<CudaDevice>> CudaDevice::New(
    std::shared_ptr<CudaApi> api, int ordinal, DeviceInfo info,
    const CudaDeviceOptions& options) {
  const std::string short_name = ShortName(info.name);
  const int64_t limit = info.memory_bytes;
  auto device = std::unique_ptr<CudaDevice>(
      new CudaDevice(api, ordinal, std::move(info), options));
  LEAT_RETURN_IF_ERROR(StartThreads([&] {
    device->queue_ = NewThreadPool(absl::StrCat("leat-", short_name), 1);
    return absl::OkStatus();
  }));
  device->libraries_ = std::make_unique<CudaLibraries>(CudaLibrariesOptions{
      api, *device, ordinal, options.allow_tf32, options.log});
  Clock& clock = options.clock != nullptr ? *options.clock : RealClock();
  LEAT_ASSIGN_OR_RETURN(
      device->streams_,
      CudaStreams::New({api, device->health_, ordinal, device->pinned_,
                        *device->queue_, clock, *device->libraries_,
                        options.synchronizes}));
  StreamAllocatorOptions memory{.name = short_name,
                                .ordinal = ordinal,
                                .stream = device->streams_->compute()};
  memory.heap.limit_bytes = limit;
  if (!options.allow_growth) memory.heap.first_region_bytes = limit;
  device->allocator_ = std::make_unique<StreamAllocator>(
      std::move(api), device->health_, std::move(memory));
  device->streams_->set_memory(*device->allocator_);
  return device;
}

CudaDevice::CudaDevice(std::shared_ptr<CudaApi> api, int ordinal,
                       DeviceInfo info, const CudaDeviceOptions& options)
    : Device(std::move(info)),
      files_(options.files),
      health_(std::make_shared<DeviceHealth>(name())),
      pinned_(std::move(api),
              options.ordinary != nullptr ? options.ordinary : &HostAllocator(),
              {.name = absl::StrCat(ShortName(name()), " host"),
               .limit_bytes = options.pinned_bytes,
               .ordinal = ordinal}),
      host_side_(*this) {}

CudaDevice::~CudaDevice() = default;

absl::StatusOr<std::vector<std::unique_ptr<CudaDevice>>> CreateCudaDevices(
    std::shared_ptr<CudaApi> api, const CudaDeviceOptions& options) {
  LEAT_ASSIGN_OR_RETURN(const int count, api->DeviceCount());
  LEAT_RETURN_IF_ERROR(CheckOptions(options, std::min(count, kMostGpus)));
  std::vector<int> ordinals = options.ordinals;
  for (int i = 0; options.ordinals.empty() && i < std::min(count, kMostGpus);
       ++i) {
    ordinals.push_back(i);
  }
  std::vector<std::unique_ptr<CudaDevice>> devices;
  for (const int ordinal : ordinals) {
    LEAT_ASSIGN_OR_RETURN(DeviceInfo info,
                          Describe(*api, ordinal, devices.size(), options));
    LEAT_ASSIGN_OR_RETURN(
        devices.emplace_back(),
        CudaDevice::New(api, ordinal, std::move(info), options));
  }
  return devices;
}

}  // namespace leat
