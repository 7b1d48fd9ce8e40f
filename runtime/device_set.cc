// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/device_set.h"

#include <sched.h>

#include <numeric>
#include <random>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "leat/core/devices/device_name.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/thread.h"
#include "leat/runtime/cost_recorder.h"
#include "leat/runtime/cpu_device.h"
#include "leat/runtime/cuda/cuda_api.h"
#include "leat/runtime/cuda/cuda_device.h"
#include "leat/runtime/cuda/pinned_pool.h"
#include "leat/runtime/host_memory.h"

namespace leat {
namespace {

constexpr int kMaxDevices = 1024;
constexpr int kMaxGpus = 256;
constexpr int kMaxThreads = 4096;
// The most bytes of pinned memory that a CPU has for tensors that GPUs read. An
// eighth of the CPU's memory is the limit if that is less.
constexpr int64_t kPinnedBytes = int64_t{1} << 30;

// Returns the number of processors that this process may run on. A container
// may restrict this number.
int NumProcessors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return 1;
  return std::max(1, CPU_COUNT(&set));
}

// Returns a random number other than 0. By this number, other tasks distinguish
// a restarted task from the same task before the restart.
uint64_t NewIncarnation() {
  std::random_device random;
  const uint64_t value = (uint64_t{random()} << 32) | random();
  return value == 0 ? 1 : value;
}

absl::Status CheckOptions(const DeviceSetOptions& options) {
  if (options.num_cpus < 1 || options.num_cpus > kMaxDevices) {
    return absl::InvalidArgumentError(
        absl::StrCat("number of CPU devices must be in [1, ", kMaxDevices,
                     "], not ", options.num_cpus));
  }
  if (options.num_gpus < kAllGpus || options.num_gpus > kMaxGpus) {
    return absl::InvalidArgumentError(
        absl::StrCat("number of GPUs must be in [0, ", kMaxGpus, "], not ",
                     options.num_gpus));
  }
  if (options.num_threads < 0 || options.num_threads > kMaxThreads) {
    return absl::InvalidArgumentError(
        absl::StrCat("number of threads must be in [0, ", kMaxThreads,
                     "], not ", options.num_threads));
  }
  if (options.cpu_memory_bytes < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("memory of a CPU device must be at least 0 bytes, not ",
                     options.cpu_memory_bytes));
  }
  LEAT_ASSIGN_OR_RETURN(DeviceName task, DeviceName::Parse(options.task));
  if (!task.job || !task.replica || !task.task || task.type || task.id) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", options.task,
                     "' does not name a task; a task's name has the form "
                     "/job:JOB/replica:REPLICA/task:TASK"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<DeviceSet>> DeviceSet::Create(
    const DeviceSetOptions& options) {
  LEAT_RETURN_IF_ERROR(CheckOptions(options));
  auto set = std::unique_ptr<DeviceSet>(new DeviceSet);
  const int num_threads =
      options.num_threads > 0 ? options.num_threads : NumProcessors();
  LEAT_RETURN_IF_ERROR(CheckMemoryToStart(num_threads));
  LEAT_RETURN_IF_ERROR(StartThreads([&] {
    set->queue_ = NewThreadPool("leat-compute", num_threads);
    return absl::OkStatus();
  }));
  set->files_ = std::make_unique<FileService>(options.files);
  const int64_t memory_bytes = options.cpu_memory_bytes > 0
                                   ? options.cpu_memory_bytes
                                   : DefaultDeviceBytes() / options.num_cpus;
  for (int i = 0; i < options.num_cpus; ++i) {
    DeviceInfo info{.name = absl::StrCat(options.task, "/device:CPU:", i),
                    .type = kCpu,
                    .memory_bytes = memory_bytes,
                    .incarnation = NewIncarnation()};
    PoolAllocatorOptions memory{.name = absl::StrCat("CPU:", i),
                                .limit_bytes = memory_bytes};
    set->devices_.push_back(std::make_unique<CpuDevice>(
        std::move(info), *set->queue_, std::move(memory), set->files_.get()));
  }
  if (options.num_gpus != 0) LEAT_RETURN_IF_ERROR(set->AddGpus(options));
  set->resources_ =
      std::make_unique<DeviceResources>(set->devices_, options.resource_limits);
  if (!options.costs_folder.empty()) {
    LEAT_ASSIGN_OR_RETURN(set->costs_,
                          CostRecorder::Create({.folder = options.costs_folder,
                                                .clock = options.clock,
                                                .log = options.log}));
  }
  return set;
}

absl::Status DeviceSet::AddGpus(const DeviceSetOptions& options) {
  std::shared_ptr<CudaApi> api = options.cuda;
  if (api == nullptr) {
    auto made = NewCudaApi();
    if (!made.ok()) {
      return options.num_gpus == kAllGpus ? absl::OkStatus() : made.status();
    }
    api = *std::move(made);
  }
  CudaDeviceOptions gpus{.task = options.task,
                         .ordinals = options.gpu_ordinals,
                         .memory_bytes = options.gpu_memory_bytes,
                         .memory_fraction = options.gpu_memory_fraction,
                         .allow_growth = options.gpu_allow_growth,
                         .ordinary = &devices_[0]->host_allocator(),
                         .files = files_.get(),
                         .allow_tf32 = options.gpu_allow_tf32,
                         .synchronizes = options.gpu_sync,
                         .log = options.log,
                         .clock = options.clock};
  if (options.num_gpus > 0) {
    const auto wanted = static_cast<size_t>(options.num_gpus);
    if (gpus.ordinals.empty()) {
      gpus.ordinals.resize(wanted);
      std::iota(gpus.ordinals.begin(), gpus.ordinals.end(), 0);
    } else if (gpus.ordinals.size() < wanted) {
      return absl::InvalidArgumentError(
          absl::StrCat(wanted, " GPUs are wanted, but only ",
                       gpus.ordinals.size(), " are named by number"));
    }
    gpus.ordinals.resize(wanted);
  }
  LEAT_ASSIGN_OR_RETURN(auto made, CreateCudaDevices(api, gpus));
  if (made.empty()) return absl::OkStatus();
  const int ordinal = gpus.ordinals.empty() ? 0 : gpus.ordinals[0];
  for (int i = 0; i < options.num_cpus; ++i) {
    auto& cpu = static_cast<CpuDevice&>(*devices_[i]);
    cpu.set_pinned_allocator(std::make_unique<PinnedPool>(
        api, /*ordinary=*/nullptr,
        PinnedPoolOptions{
            .name = absl::StrCat("CPU:", i, " pinned"),
            .limit_bytes = std::min(kPinnedBytes, cpu.info().memory_bytes / 8),
            .ordinal = ordinal}));
  }
  for (auto& gpu : made) devices_.push_back(std::move(gpu));
  return absl::OkStatus();
}

DeviceSet::DeviceSet() = default;

DeviceSet::~DeviceSet() {
  // Closes the open event files while the threads of `files_` still run,
  // because these threads close them. Removes all iterators, too, which cancels
  // the work that they have begun.
  background_work_.Close();
  if (resources_ != nullptr) resources_->Clear();
  background_work_.Wait();
  // Ends the threads first, because their closures may still use the devices.
  // The closures on the threads for files add closures to the queue.
  files_.reset();
  queue_.reset();
}

Device* DeviceSet::Find(absl::string_view name) const {
  for (const auto& device : devices_) {
    if (device->name() == name) return device.get();
  }
  return nullptr;
}

std::vector<DeviceInfo> DeviceSet::Infos() const {
  std::vector<DeviceInfo> infos;
  for (const auto& device : devices_) infos.push_back(device->info());
  return infos;
}

namespace {

// Parses an entry of a --devices flag, "cpu:N" or "gpu:N". Returns false if it
// has another form.
bool ParseEntry(absl::string_view entry, DeviceSetOptions& options) {
  const std::vector<absl::string_view> parts = absl::StrSplit(entry, ':');
  if (parts.size() > 2) return false;
  if (parts[0] == "gpu" && (parts.size() == 1 || parts[1] == "all")) {
    options.num_gpus = parts.size() == 1 ? 1 : kAllGpus;
    return true;
  }
  if (parts[0] != "cpu" && parts[0] != "gpu") return false;
  int& number = parts[0] == "cpu" ? options.num_cpus : options.num_gpus;
  return parts.size() == 1 ||
         (absl::SimpleAtoi(parts[1], &number) && number >= 0);
}

}  // namespace

absl::StatusOr<DeviceSetOptions> ParseDevices(absl::string_view text) {
  DeviceSetOptions options;
  for (const absl::string_view entry : absl::StrSplit(text, ',')) {
    if (ParseEntry(entry, options)) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "the devices must be given as 'cpu', 'cpu:N' or 'cpu:N,gpu:M', where N "
        "and M are their numbers and M may be 'all', not as '",
        text, "'"));
  }
  LEAT_RETURN_IF_ERROR(CheckOptions(options));
  return options;
}

}  // namespace leat
