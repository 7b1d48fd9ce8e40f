// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// CudaApi on the CUDA runtime, which is linked statically and loads the driver
// at its first call. Only builds with CUDA have this file.
#include <cuda_runtime_api.h>

#include <cstdio>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/runtime/cuda/cublaslt_api.h"
#include "leat/runtime/cuda/cuda_api.h"
#include "leat/runtime/cuda/cudnn_api.h"

namespace leat {
namespace {

// Converts the result of a call to a status. Makes cudaGetLastError forget the
// error, because CheckLaunch would otherwise report it once more.
absl::Status ToStatus(absl::string_view call, cudaError_t result) {
  if (result == cudaSuccess) return absl::OkStatus();
  cudaGetLastError();
  return CudaError(call, static_cast<int>(result), cudaGetErrorName(result),
                   cudaGetErrorString(result));
}

// Returns the value that a call has stored, or the call's error.
template <class T>
absl::StatusOr<T> ToStatusOr(absl::string_view call, cudaError_t result,
                             const T& value) {
  LEAT_RETURN_IF_ERROR(ToStatus(call, result));
  return value;
}

std::string PciBusId(const cudaDeviceProp& properties) {
  char text[32];
  std::snprintf(text, sizeof text, "%04x:%02x:%02x.0", properties.pciDomainID,
                properties.pciBusID, properties.pciDeviceID);
  return text;
}

class CudartApi final : public CudaApi {
 public:
  explicit CudartApi(int num_gpus) : num_gpus_(num_gpus) {}

  absl::StatusOr<int> DriverVersion() override {
    int version = 0;
    const cudaError_t result = cudaDriverGetVersion(&version);
    return ToStatusOr("cudaDriverGetVersion", result, version);
  }

  absl::StatusOr<int> RuntimeVersion() override {
    int version = 0;
    const cudaError_t result = cudaRuntimeGetVersion(&version);
    return ToStatusOr("cudaRuntimeGetVersion", result, version);
  }

  absl::StatusOr<int> DeviceCount() override {
    int count = 0;
    const cudaError_t result = cudaGetDeviceCount(&count);
    return ToStatusOr("cudaGetDeviceCount", result, count);
  }

  absl::StatusOr<CudaProperties> Properties(int ordinal) override {
    cudaDeviceProp found = {};
    LEAT_RETURN_IF_ERROR(ToStatus("cudaGetDeviceProperties",
                                  cudaGetDeviceProperties(&found, ordinal)));
    CudaProperties properties;
    properties.name = found.name;
    properties.pci_bus_id = PciBusId(found);
    properties.major = found.major;
    properties.minor = found.minor;
    properties.memory_bytes = static_cast<int64_t>(found.totalGlobalMem);
    return properties;
  }

  absl::Status SetDevice(int ordinal) override {
    // The only GPU of a process is current in each thread anyway. The call
    // takes 80 ns, and it would be made for each kernel.
    if (num_gpus_ == 1 && ordinal == 0) return absl::OkStatus();
    return ToStatus("cudaSetDevice", cudaSetDevice(ordinal));
  }

  absl::StatusOr<CudaMemoryInfo> MemoryInfo() override {
    size_t free = 0;
    size_t total = 0;
    LEAT_RETURN_IF_ERROR(
        ToStatus("cudaMemGetInfo", cudaMemGetInfo(&free, &total)));
    CudaMemoryInfo info;
    info.free_bytes = static_cast<int64_t>(free);
    info.total_bytes = static_cast<int64_t>(total);
    return info;
  }

  absl::Status LastError() override {
    return ToStatus("launch", cudaGetLastError());
  }

  absl::StatusOr<char*> NewMemory(size_t bytes) override {
    void* memory = nullptr;
    const cudaError_t result = cudaMalloc(&memory, bytes);
    return ToStatusOr("cudaMalloc", result, static_cast<char*>(memory));
  }

  absl::Status FreeMemory(char* memory) override {
    return ToStatus("cudaFree", cudaFree(memory));
  }

  absl::StatusOr<char*> NewPinned(size_t bytes) override {
    void* memory = nullptr;
    const cudaError_t result = cudaHostAlloc(
        &memory, bytes, cudaHostAllocPortable | cudaHostAllocMapped);
    return ToStatusOr("cudaHostAlloc", result, static_cast<char*>(memory));
  }

  absl::Status FreePinned(char* memory) override {
    return ToStatus("cudaFreeHost", cudaFreeHost(memory));
  }

  absl::StatusOr<CudaStream> NewStream() override {
    CudaStream stream = nullptr;
    const cudaError_t result =
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    return ToStatusOr("cudaStreamCreate", result, stream);
  }

  absl::Status FreeStream(CudaStream stream) override {
    return ToStatus("cudaStreamDestroy", cudaStreamDestroy(stream));
  }

  absl::Status Synchronize(CudaStream stream) override {
    return ToStatus("cudaStreamSynchronize", cudaStreamSynchronize(stream));
  }

  absl::StatusOr<CudaEvent> NewEvent() override {
    CudaEvent event = nullptr;
    const cudaError_t result =
        cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    return ToStatusOr("cudaEventCreate", result, event);
  }

  absl::Status FreeEvent(CudaEvent event) override {
    return ToStatus("cudaEventDestroy", cudaEventDestroy(event));
  }

  absl::Status Record(CudaEvent event, CudaStream stream) override {
    return ToStatus("cudaEventRecord", cudaEventRecord(event, stream));
  }

  absl::Status Wait(CudaStream stream, CudaEvent event) override {
    return ToStatus("cudaStreamWaitEvent",
                    cudaStreamWaitEvent(stream, event, 0));
  }

  absl::StatusOr<bool> IsPassed(CudaEvent event) override {
    const cudaError_t result = cudaEventQuery(event);
    if (result == cudaErrorNotReady) {
      cudaGetLastError();  // forgets cudaErrorNotReady, which is no failure
      return false;
    }
    return ToStatusOr("cudaEventQuery", result, true);
  }

  absl::Status Synchronize(CudaEvent event) override {
    return ToStatus("cudaEventSynchronize", cudaEventSynchronize(event));
  }

  absl::Status CopyToDevice(CudaStream stream, char* to, const char* from,
                            size_t bytes) override {
    return Copy(stream, to, from, bytes, cudaMemcpyHostToDevice);
  }

  absl::Status CopyToHost(CudaStream stream, char* to, const char* from,
                          size_t bytes) override {
    return Copy(stream, to, from, bytes, cudaMemcpyDeviceToHost);
  }

  absl::Status CopyOnDevice(CudaStream stream, char* to, const char* from,
                            size_t bytes) override {
    return Copy(stream, to, from, bytes, cudaMemcpyDeviceToDevice);
  }

  absl::Status Fill(CudaStream stream, char* to, uint8_t value,
                    size_t bytes) override {
    return ToStatus("cudaMemsetAsync",
                    cudaMemsetAsync(to, value, bytes, stream));
  }

  absl::StatusOr<std::unique_ptr<BlasApi>> NewBlas() override {
    return NewCublasLt();
  }
  absl::StatusOr<std::unique_ptr<DnnApi>> NewDnn() override {
    int ordinal = 0;
    LEAT_RETURN_IF_ERROR(ToStatus("cudaGetDevice", cudaGetDevice(&ordinal)));
    return NewCudnn(ordinal);
  }

 private:
  static absl::Status Copy(CudaStream stream, char* to, const char* from,
                           size_t bytes, cudaMemcpyKind kind) {
    return ToStatus("cudaMemcpyAsync",
                    cudaMemcpyAsync(to, from, bytes, kind, stream));
  }

  const int num_gpus_;
};

}  // namespace

absl::StatusOr<std::shared_ptr<CudaApi>> NewCudaApi() {
  int count = 0;
  const cudaError_t result = cudaGetDeviceCount(&count);
  int driver = 0;
  cudaDriverGetVersion(&driver);
  if (driver == 0) {
    return absl::FailedPreconditionError("this machine has no NVIDIA driver");
  }
  if (result != cudaSuccess) {
    return absl::FailedPreconditionError(
        absl::StrCat("CUDA cannot be used: ",
                     ToStatus("cudaGetDeviceCount", result).message(),
                     "; the driver is for CUDA ", CudaVersionText(driver)));
  }
  if (count == 0) {
    return absl::FailedPreconditionError("this machine has no NVIDIA GPU");
  }
  return std::make_shared<CudartApi>(count);
}

}  // namespace leat
