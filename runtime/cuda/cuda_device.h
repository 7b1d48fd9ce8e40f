// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// CudaDevice is the device "/device:GPU:<i>" of this process.
//
//   LEAT_ASSIGN_OR_RETURN(std::shared_ptr<CudaApi> api, NewCudaApi());
//   LEAT_ASSIGN_OR_RETURN(std::vector<std::unique_ptr<CudaDevice>> gpus,
//                         CreateCudaDevices(api, {.ordinals = {0}}));
#ifndef LEAT_RUNTIME_CUDA_CUDA_DEVICE_H_
#define LEAT_RUNTIME_CUDA_CUDA_DEVICE_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "leat/core/devices/device.h"
#include "leat/core/devices/host_side_device.h"
#include "leat/core/threads/clock.h"
#include "leat/runtime/cuda/cuda_api.h"
#include "leat/runtime/cuda/cuda_libraries.h"
#include "leat/runtime/cuda/cuda_streams.h"
#include "leat/runtime/cuda/device_health.h"
#include "leat/runtime/cuda/pinned_pool.h"
#include "leat/runtime/cuda/stream_allocator.h"

namespace leat {

class FileService;

struct CudaDeviceOptions {
  // Is the name of the task to which the devices belong. The names of all
  // devices begin with this name.
  std::string task = "/job:localhost/replica:0/task:0";
  // Lists the GPUs that become devices, by the driver's numbers. The i-th GPU
  // of the list becomes "GPU:<i>". Empty stands for all GPUs.
  std::vector<int> ordinals = {};
  // Limits the memory, in bytes, that the device takes from each GPU. If it is
  // 0, `memory_fraction` sets the limit.
  int64_t memory_bytes = 0;
  // The part of each GPU's memory that the device may take, in [0, 1]. If it is
  // 0, the device may take nearly all memory that is free when the device is
  // made.
  double memory_fraction = 0;
  // If true, the device takes memory from CUDA as it needs it. If false, the
  // device takes all of its memory from CUDA for its first tensor.
  bool allow_growth = false;
  // Limits the pinned memory of the host for each GPU, in bytes.
  int64_t pinned_bytes = int64_t{1} << 30;
  // Gives memory of the host beyond `pinned_bytes`. Borrowed. Null stands for
  // HostAllocator().
  Allocator* ordinary = nullptr;
  // The files that kernels may use. Borrowed, may be null.
  FileService* files = nullptr;
  // If true, libraries may round the factors of products of floats to 10 bits
  // after the binary point (TF32), which is faster.
  bool allow_tf32 = false;
  // If true, each kernel waits until its work on the GPU has run. Steps are
  // then slow, but an error of the GPU names the node that has caused it.
  bool synchronizes = false;
  // Gets a sentence about each library that cannot be opened, and about
  // computations that a library refuses. May be null.
  std::function<void(absl::string_view)> log = nullptr;
  // Is the clock by which threads wait between two checks for completed work.
  // Is borrowed. Null stands for RealClock().
  Clock* clock = nullptr;
};

// Thread-safe. Has its own streams, memory, and a queue with one thread, on
// which kernels launch their work.
class CudaDevice final : public Device {
 public:
  // Makes the device of one GPU. CreateCudaDevices calls this.
  // REQUIRES: `ordinal` is in [0, 255].
  static absl::StatusOr<std::unique_ptr<CudaDevice>> New(
      std::shared_ptr<CudaApi> api, int ordinal, DeviceInfo info,
      const CudaDeviceOptions& options);
  // Waits until all work of the GPU has run, unless the GPU is lost. Tensors in
  // memory of the host may outlive the device. Tensors on the GPU must not.
  ~CudaDevice() override;

  StreamAllocator& allocator() override { return *allocator_; }
  PinnedPool& host_allocator() override { return pinned_; }
  WorkQueue& compute_queue() override { return *queue_; }
  GpuStream* gpu_stream() override { return streams_.get(); }
  Device& host_side() override { return host_side_; }
  FileService* files() override { return files_; }

  // Returns OK, or the first error of a GPU that is lost.
  absl::Status status() const { return health_->status(); }

 private:
  CudaDevice(std::shared_ptr<CudaApi> api, int ordinal, DeviceInfo info,
             const CudaDeviceOptions& options);

  FileService* const files_;
  const std::shared_ptr<DeviceHealth> health_;
  PinnedPool pinned_;
  std::unique_ptr<WorkQueue> queue_;
  std::unique_ptr<CudaStreams> streams_;
  std::unique_ptr<StreamAllocator> allocator_;
  HostSideDevice host_side_;
  std::unique_ptr<CudaLibraries> libraries_;  // uses memory and streams
};

// Makes a device for each GPU that the options name. `info.memory_bytes` is the
// device's limit. `info.description` has the words of TensorFlow's
// physical_device_desc, and then the newest CUDA that the driver supports.
// Returns INVALID_ARGUMENT if an option is wrong or names a GPU that does not
// exist. Returns RESOURCE_EXHAUSTED if the GPU or the system has too little
// memory, or no thread left.
absl::StatusOr<std::vector<std::unique_ptr<CudaDevice>>> CreateCudaDevices(
    std::shared_ptr<CudaApi> api, const CudaDeviceOptions& options = {});

}  // namespace leat

#endif  // LEAT_RUNTIME_CUDA_CUDA_DEVICE_H_
