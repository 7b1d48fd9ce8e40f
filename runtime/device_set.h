// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// DeviceSet owns the devices of this process, the pool of threads that they
// share, and the resources (variables, queues) of the sessions that run on
// them.
#ifndef LEAT_RUNTIME_DEVICE_SET_H_
#define LEAT_RUNTIME_DEVICE_SET_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/devices/device.h"
#include "leat/core/files/file_access.h"
#include "leat/core/files/file_service.h"
#include "leat/core/threads/background_work.h"
#include "leat/runtime/device_resources.h"

namespace leat {

class Clock;
class CostRecorder;
class CudaApi;

// Stands for as many GPUs as the machine has.
inline constexpr int kAllGpus = -1;

struct DeviceSetOptions {
  // Is the name of the task to which the devices belong. The names of all
  // devices begin with this name.
  std::string task = "/job:localhost/replica:0/task:0";
  int num_cpus = 1;  // number of CPU devices
  // Is the number of threads of the compute pool. 0 stands for one thread per
  // processor that this process may run on.
  int num_threads = 0;
  // Is the memory limit of each CPU device. 0 stands for an equal part of
  // DefaultDeviceBytes (host_memory.h).
  int64_t cpu_memory_bytes = 0;
  // Is the number of GPUs. kAllGpus stands for all GPUs of the machine or, if
  // `gpu_ordinals` is not empty, for all GPUs in `gpu_ordinals`.
  int num_gpus = 0;
  // Lists the CUDA device numbers of GPU 0, GPU 1 and so on. If it is empty,
  // GPU i has the CUDA number i. Otherwise it must have at least `num_gpus`
  // numbers.
  std::vector<int> gpu_ordinals = {};
  // Is the memory limit of each GPU in bytes. If it is 0, `gpu_memory_fraction`
  // sets the limit.
  int64_t gpu_memory_bytes = 0;
  // Is the part of each GPU's memory that may be used, in [0, 1]. If both this
  // and `gpu_memory_bytes` are 0, nearly all memory that is free may be used.
  double gpu_memory_fraction = 0;
  // If true, a GPU's memory is taken from CUDA when tensors need it, and not
  // all at the first tensor.
  bool gpu_allow_growth = false;
  // If true, matrix products and convolutions of floats on GPUs may use TF32,
  // which is faster. The libraries then round the factors to 10 bits after the
  // binary point.
  bool gpu_allow_tf32 = false;
  // If true, each kernel on a GPU waits until its work has run. Steps are then
  // slow, but an error of a GPU names the node that has caused it.
  bool gpu_sync = false;
  // Is the object through which GPUs call CUDA. Null stands for CUDA's own
  // library (NewCudaApi).
  std::shared_ptr<CudaApi> cuda = nullptr;
  // Is a folder to which this process writes what sampled steps have measured
  // on the devices (cost_recorder.h). If it is empty, nothing is measured.
  std::string costs_folder = {};
  // Is the clock of the costs, and the clock by which the threads of GPUs wait
  // between two checks for completed work. Is borrowed and must outlive the
  // DeviceSet. Null stands for RealClock().
  Clock* clock = nullptr;
  // Says which files kernels may use.
  FileAccess files = FileAccess::Unrestricted();
  // Called on any thread with messages for people, for example about a library
  // for GPUs that this machine does not have. May be null.
  std::function<void(absl::string_view message)> log = {};
  // The limits of each single resource, such as a queue.
  ResourceLimits resource_limits = {};
};

// A DeviceSet is thread-safe and does not change after Create. It must outlive
// the sessions and compiled graphs that use its devices.
class DeviceSet {
 public:
  // Makes the devices and starts the threads. Returns FAILED_PRECONDITION, with
  // the reason in one line, if GPUs are wanted and this machine has none. With
  // kAllGpus, a machine without GPUs is no error. Returns RESOURCE_EXHAUSTED if
  // this process cannot get the memory or the threads that it needs. Returns
  // INVALID_ARGUMENT in these cases:
  //  - `num_cpus` is not in [1, 1024], `num_threads` is not in [0, 4096], or a
  //    number of bytes is negative.
  //  - `task` is not of the form "/job:J/replica:R/task:T".
  //  - The options name a GPU twice, or more GPUs than this machine has.
  //  - `gpu_ordinals` is not empty and has fewer than `num_gpus` numbers.
  //  - `gpu_memory_fraction` is not in [0, 1].
  //  - `costs_folder` has a cost file that is not valid.
  static absl::StatusOr<std::unique_ptr<DeviceSet>> Create(
      const DeviceSetOptions& options = {});
  // Waits until the compute pool has run all of its work.
  ~DeviceSet();

  // Returns the CPUs and then the GPUs, each in the order of their numbers. The
  // DeviceSet owns them.
  const std::vector<std::unique_ptr<Device>>& devices() const {
    return devices_;
  }
  // Returns the device with the full name `name`, or null if there is none. The
  // DeviceSet owns the device.
  Device* Find(absl::string_view name) const;
  // Returns a description of each device, in the order of devices().
  std::vector<DeviceInfo> Infos() const;

  // Returns the resources that the sessions of this process share. An isolated
  // session has its own DeviceResources instead.
  DeviceResources& resources() { return *resources_; }

  // Returns the count of the work that goes on between steps. The destructor
  // waits for the end of this work.
  BackgroundWork& background_work() { return background_work_; }

  // Returns the object that keeps what sampled steps measure, or null if
  // nothing is measured.
  CostRecorder* costs() const { return costs_.get(); }

  // Returns the pool on which the kernels of all devices run. Its closures must
  // not block.
  WorkQueue& compute_queue() { return *queue_; }

 private:
  DeviceSet();
  absl::Status AddGpus(const DeviceSetOptions& options);

  BackgroundWork background_work_;
  std::unique_ptr<FileService> files_;
  std::unique_ptr<WorkQueue> queue_;
  std::vector<std::unique_ptr<Device>> devices_;
  std::unique_ptr<DeviceResources> resources_;
  std::unique_ptr<CostRecorder> costs_;  // may be null
};

// Parses the value of a --devices flag: "cpu" stands for one CPU device,
// "cpu:2" for two, "cpu:1,gpu:2" for one CPU device and two GPUs, and "gpu:all"
// for one CPU device and all GPUs of the machine. Returns INVALID_ARGUMENT,
// quoting `text`, for any other form.
absl::StatusOr<DeviceSetOptions> ParseDevices(absl::string_view text);

}  // namespace leat

#endif  // LEAT_RUNTIME_DEVICE_SET_H_
