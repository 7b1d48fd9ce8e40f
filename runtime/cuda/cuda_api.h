// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// CudaApi has the calls to CUDA that the runtime makes. One implementation
// calls the CUDA runtime (cudart_api.cc). Tests have another one, whose GPU is
// memory of the host (leat/tests/testing/fake_cuda.h), so that all code that
// uses this interface can be tested on machines without a GPU.
//
//   LEAT_ASSIGN_OR_RETURN(std::shared_ptr<CudaApi> api, NewCudaApi());
//   LEAT_RETURN_IF_ERROR(api->SetDevice(0));
//   LEAT_ASSIGN_OR_RETURN(CudaStream stream, api->NewStream());
#ifndef LEAT_RUNTIME_CUDA_CUDA_API_H_
#define LEAT_RUNTIME_CUDA_CUDA_API_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

// These are CUDA's types. A cudaStream_t is a pointer to CUstream_st, and a
// cudaEvent_t is a pointer to CUevent_st.
struct CUstream_st;
struct CUevent_st;

namespace leat {

class BlasApi;
class DnnApi;

// A queue of work for one GPU, or null.
using CudaStream = CUstream_st*;
// A mark in a stream, or null. It is passed when all work in front of it has
// run.
using CudaEvent = CUevent_st*;

// CUDA's description of a GPU. A plain value.
struct CudaProperties {
  std::string name = {};        // "NVIDIA H100 80GB HBM3"
  std::string pci_bus_id = {};  // "0000:1b:00.0"
  int major = 0;                // of the compute capability
  int minor = 0;
  int64_t memory_bytes = 0;
};

// The memory of a GPU in bytes. All processes share it. A plain value.
struct CudaMemoryInfo {
  int64_t free_bytes = 0;
  int64_t total_bytes = 0;
};

// Each function behaves like the function of the CUDA runtime that its comment
// names. Thread-safe. Each thread has a current GPU, which is GPU 0 until
// SetDevice. Memory, streams and events belong to the GPU that was current when
// they were made, and an event can be recorded only in streams of its own GPU.
//
// An error is RESOURCE_EXHAUSTED if there is no memory, and otherwise INTERNAL.
// A call may also return the error of work that was queued earlier. Some errors
// are sticky; see IsSticky.
class CudaApi {
 public:
  virtual ~CudaApi() = default;

  // ---- The machine ----

  // cudaDriverGetVersion and cudaRuntimeGetVersion, such as 13000 for 13.0.
  virtual absl::StatusOr<int> DriverVersion() = 0;
  virtual absl::StatusOr<int> RuntimeVersion() = 0;
  // cudaGetDeviceCount.
  virtual absl::StatusOr<int> DeviceCount() = 0;
  // cudaGetDeviceProperties. REQUIRES: 0 <= ordinal < DeviceCount().
  virtual absl::StatusOr<CudaProperties> Properties(int ordinal) = 0;

  // ---- The current GPU ----

  // cudaSetDevice. Makes a GPU current for the calling thread.
  virtual absl::Status SetDevice(int ordinal) = 0;
  // cudaMemGetInfo.
  virtual absl::StatusOr<CudaMemoryInfo> MemoryInfo() = 0;
  // cudaGetLastError. Returns and forgets the error of a launch.
  virtual absl::Status LastError() = 0;

  // ---- Memory ----

  // cudaMalloc. Aligned to 256 bytes.
  virtual absl::StatusOr<char*> NewMemory(size_t bytes) = 0;
  // cudaFree. Waits for all work of the GPU.
  virtual absl::Status FreeMemory(char* memory) = 0;
  // cudaHostAlloc: pinned memory, which all GPUs can read and write.
  virtual absl::StatusOr<char*> NewPinned(size_t bytes) = 0;
  // cudaFreeHost.
  virtual absl::Status FreePinned(char* memory) = 0;

  // BeginUse tells that work queued in `stream` after this call uses a part of
  // the bytes of NewMemory. EndUse tells that work queued later does not use
  // that part any more. CUDA ignores these calls. The fake checks that no other
  // work uses the part.
  virtual void BeginUse(CudaStream, char* /*memory*/, size_t /*bytes*/) {}
  virtual void EndUse(CudaStream, char* /*memory*/, size_t /*bytes*/) {}

  // ---- Streams and events ----

  // cudaStreamCreateWithFlags. The stream does not wait for CUDA's default
  // stream.
  virtual absl::StatusOr<CudaStream> NewStream() = 0;
  // cudaStreamDestroy. Work that is queued still runs.
  virtual absl::Status FreeStream(CudaStream stream) = 0;
  // cudaStreamSynchronize. Blocks until all work in the stream has run.
  virtual absl::Status Synchronize(CudaStream stream) = 0;
  // cudaEventCreateWithFlags, without timing.
  virtual absl::StatusOr<CudaEvent> NewEvent() = 0;
  // cudaEventDestroy.
  virtual absl::Status FreeEvent(CudaEvent event) = 0;
  // cudaEventRecord. Moves the event to the end of the stream.
  virtual absl::Status Record(CudaEvent event, CudaStream stream) = 0;
  // cudaStreamWaitEvent. Work that is queued in `stream` after this call begins
  // only when the event is passed at its present place. A later Record does not
  // change this.
  virtual absl::Status Wait(CudaStream stream, CudaEvent event) = 0;
  // cudaEventQuery. Returns whether the event is passed.
  virtual absl::StatusOr<bool> IsPassed(CudaEvent event) = 0;
  // cudaEventSynchronize. Blocks until the event is passed.
  virtual absl::Status Synchronize(CudaEvent event) = 0;

  // ---- Work ----

  // cudaMemcpyAsync. The memory of the host must be pinned and stay as it is
  // until the copy has run.
  virtual absl::Status CopyToDevice(CudaStream stream, char* to,
                                    const char* from, size_t bytes) = 0;
  virtual absl::Status CopyToHost(CudaStream stream, char* to, const char* from,
                                  size_t bytes) = 0;
  virtual absl::Status CopyOnDevice(CudaStream stream, char* to,
                                    const char* from, size_t bytes) = 0;
  // cudaMemsetAsync.
  virtual absl::Status Fill(CudaStream stream, char* to, uint8_t value,
                            size_t bytes) = 0;

  // ---- Libraries ----

  // NewBlas and NewDnn open a library for the current GPU. They return
  // NOT_FOUND, with the places that were searched, if the machine does not have
  // the library, and FAILED_PRECONDITION if the library cannot be used.
  virtual absl::StatusOr<std::unique_ptr<BlasApi>> NewBlas() = 0;
  virtual absl::StatusOr<std::unique_ptr<DnnApi>> NewDnn() = 0;
};

// Returns the error of a call from CUDA's number, name and text of the error.
// The message is like "cudaMalloc: out of memory (cudaErrorMemoryAllocation)".
absl::Status CudaError(absl::string_view call, int code, absl::string_view name,
                       absl::string_view text);

// Returns the text of a version of CUDA: "13.0" for 13000.
std::string CudaVersionText(int version);

// Returns true if the GPU cannot run anything any more in this process, because
// every later call returns this error, too.
bool IsSticky(const absl::Status& status);

// Returns the CUDA runtime. Returns FAILED_PRECONDITION, with the reason in one
// line, if this build has no CUDA runtime, or if this machine has no driver or
// no GPU.
absl::StatusOr<std::shared_ptr<CudaApi>> NewCudaApi();

}  // namespace leat

#endif  // LEAT_RUNTIME_CUDA_CUDA_API_H_
