// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// FakeCuda is a CudaApi whose GPUs are memory of the host. It runs the work of
// all streams in a random order that the streams and events allow, so that a
// test finds errors that occur only now and then on a GPU. Kernels that are
// compiled for the host run in its streams
// (leat/kernels/cuda/device/host_stream.h).
//
//   const auto cuda = std::make_shared<FakeCuda>(FakeCudaOptions{.seed = 7});
//   auto gpus = CreateCudaDevices(cuda);
//   cuda->Lose(0);  // from now on, GPU 0 refuses everything
#ifndef LEAT_TESTS_TESTING_FAKE_CUDA_H_
#define LEAT_TESTS_TESTING_FAKE_CUDA_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "absl/functional/function_ref.h"
#include "leat/core/threads/mutex.h"
#include "leat/core/threads/thread.h"
#include "leat/kernels/cuda/device/host_stream.h"
#include "leat/runtime/cuda/blas_api.h"
#include "leat/runtime/cuda/cuda_api.h"
#include "leat/runtime/cuda/dnn_api.h"

namespace leat::testing {

struct FakeCudaOptions {
  int num_gpus = 1;
  int64_t memory_bytes = int64_t{64} << 20;  // the memory of each GPU
  uint64_t seed = 1;
  // If true, a thread runs the queued work. If false, work runs when the test
  // calls RunOne or RunAll, or when a call waits for the work.
  bool has_thread = true;
  // If true, IsPassed first runs the work that was queued before the event. So
  // no thread has to sleep until the event is passed.
  bool runs_when_asked = false;
  // Opens the library for matrix products. Null means that the machine does not
  // have the library.
  std::function<absl::StatusOr<std::unique_ptr<BlasApi>>()> new_blas = nullptr;
  // Opens the library for convolutions. Null means that the machine does not
  // have the library.
  std::function<absl::StatusOr<std::unique_ptr<DnnApi>>()> new_dnn = nullptr;
};

// A FakeCuda simulates CUDA on the host. It is thread-safe. It records a
// complaint for each misuse of CUDA, such as a copy beyond the end of a block
// or from freed memory. The destructor adds a failure to the running test for
// each complaint and for each resource that was not freed.
//
// BeginUse and EndUse take effect in the order of the stream. Memory that is
// not in use is filled with kFreed, and the address sanitizer reports any
// access to it.
class FakeCuda final : public CudaApi {
 public:
  // Lists the calls that Fail can make fail.
  enum class Call {
    kNewMemory,
    kNewPinned,
    kNewStream,
    kNewEvent,
    kRecord,
    kWait,
    kIsPassed,
    kCopy,
    kFill,
    kLaunch,  // a failure is returned by LastError
    kNumCalls
  };

  static constexpr int kOutOfMemory = 2;
  // Is the error of a launch that CUDA refuses.
  static constexpr int kInvalidConfiguration = 9;
  static constexpr int kIllegalAddress = 700;  // a sticky error
  static constexpr char kFreed = static_cast<char>(0xdb);

  explicit FakeCuda(FakeCudaOptions options = {});
  ~FakeCuda() override;

  // ---- For tests ----

  // Runs the next operation of a random stream. Returns false if no operation
  // can run.
  bool RunOne();
  // Runs all work that was queued.
  void RunAll();
  // After Hold, the thread runs nothing until Release.
  void Hold();
  void Release();
  // Slows down the stream with the number `index`. Streams are numbered from 0
  // in the order in which they were made. The work of this stream runs only
  // when no other stream has work that can run.
  void SlowDown(int index);

  // Makes the next `skipped` calls succeed, and then `times` calls return the
  // CUDA error `code`.
  void Fail(Call call, int code, int times = 1, int skipped = 0);
  // Makes a GPU fail: its queued work no longer runs, and all calls return the
  // error `code`.
  void Lose(int ordinal, int code = kIllegalAddress);
  // Makes a GPU fail as Lose does, but only after it has run `num_work` + 1
  // more operations.
  void LoseAfter(int ordinal, int num_work, int code = kIllegalAddress);

  // Returns the complaints so far and forgets them.
  std::vector<std::string> TakeComplaints();
  // Returns how many times `call` was made.
  int64_t count(Call call) const;

  // ---- CudaApi ----

  absl::StatusOr<int> DriverVersion() override { return 13000; }
  absl::StatusOr<int> RuntimeVersion() override { return 13000; }
  absl::StatusOr<int> DeviceCount() override { return options_.num_gpus; }
  absl::StatusOr<CudaProperties> Properties(int ordinal) override;
  absl::Status SetDevice(int ordinal) override;
  absl::StatusOr<CudaMemoryInfo> MemoryInfo() override;
  absl::Status LastError() override;
  absl::StatusOr<char*> NewMemory(size_t bytes) override;
  absl::Status FreeMemory(char* memory) override;
  absl::StatusOr<char*> NewPinned(size_t bytes) override;
  absl::Status FreePinned(char* memory) override;
  void BeginUse(CudaStream stream, char* memory, size_t bytes) override;
  void EndUse(CudaStream stream, char* memory, size_t bytes) override;
  absl::StatusOr<CudaStream> NewStream() override;
  absl::Status FreeStream(CudaStream stream) override;
  absl::Status Synchronize(CudaStream stream) override;
  absl::StatusOr<CudaEvent> NewEvent() override;
  absl::Status FreeEvent(CudaEvent event) override;
  absl::Status Record(CudaEvent event, CudaStream stream) override;
  absl::Status Wait(CudaStream stream, CudaEvent event) override;
  absl::StatusOr<bool> IsPassed(CudaEvent event) override;
  absl::Status Synchronize(CudaEvent event) override;
  absl::Status CopyToDevice(CudaStream stream, char* to, const char* from,
                            size_t bytes) override;
  absl::Status CopyToHost(CudaStream stream, char* to, const char* from,
                          size_t bytes) override;
  absl::Status CopyOnDevice(CudaStream stream, char* to, const char* from,
                            size_t bytes) override;
  absl::Status Fill(CudaStream stream, char* to, uint8_t value,
                    size_t bytes) override;
  absl::StatusOr<std::unique_ptr<BlasApi>> NewBlas() override {
    if (options_.new_blas != nullptr) return options_.new_blas();
    return absl::NotFoundError("the test has no library for matrices");
  }
  absl::StatusOr<std::unique_ptr<DnnApi>> NewDnn() override {
    if (options_.new_dnn != nullptr) return options_.new_dnn();
    return absl::NotFoundError("the test has no library for convolutions");
  }

 private:
  class Stream;
  struct Event;
  struct Work;
  struct Gpu;
  // Describes a block of memory that NewMemory has returned.
  struct Region {
    size_t bytes = 0;
    int ordinal = 0;
    // True after the first BeginUse. Then only the blocks in `in_use` may be
    // used.
    bool is_divided = false;
    // Maps each block that is in use to its size. BeginUse and EndUse change
    // this map only when they run in the stream.
    std::map<char*, size_t> in_use = {};
  };
  struct Failure {
    int code = 0;
    int skipped = 0;
    int times = 0;
  };

  void RunThread();
  bool RunOneOf(Stream& stream);
  // Waits until `is_over()` is true. Meanwhile, queued work runs on the thread,
  // or on the calling thread if there is no thread.
  void RunUntil(absl::FunctionRef<bool()> is_over);
  Stream* RandomStream() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Allows the thread to run a random number of operations.
  void Encourage() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool IsIdle(int ordinal) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void LoseLocked(int ordinal, int code) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  int CurrentOrdinal() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Counts a call for a GPU. Returns the error that the call must return, or
  // OK.
  absl::Status Enter(Call call, int ordinal)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status LossOf(int ordinal) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Both functions return the object of a stream or event handle. If there is
  // no such object, they add a complaint and return null.
  Stream* Find(CudaStream stream) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Event* Find(CudaEvent event) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status Queue(Call call, CudaStream stream, Work work);
  // Queues a copy or a fill. Checks the addresses that are not null. The caller
  // passes null for each address that the operation does not use.
  absl::Status QueueBytes(Call call, CudaStream stream, char* device_to,
                          const char* device_from, const char* pinned,
                          size_t bytes, std::function<void()> work);

  std::pair<char* const, Region>* RegionOf(const char* memory)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // IsInRegion returns whether the bytes are memory of a GPU. IsInPinned
  // returns whether the bytes are pinned memory. Both add a complaint before
  // they return false.
  bool IsInRegion(const char* memory, size_t bytes, bool check_use)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool IsInPinned(const char* memory, size_t bytes)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Complain(std::string text) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void ComplainOfLeaks() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const FakeCudaOptions options_;
  Mutex runner_mutex_;  // held while work runs; locked before mutex_
  mutable Mutex mutex_;
  CondVar changed_;
  std::mt19937_64 random_ ABSL_GUARDED_BY(mutex_);
  std::vector<Gpu> gpus_ ABSL_GUARDED_BY(mutex_);
  // Freed streams and events stay here, so that no later one gets their
  // address.
  std::vector<std::unique_ptr<Stream>> streams_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<Event>> events_ ABSL_GUARDED_BY(mutex_);
  std::map<char*, Region> regions_ ABSL_GUARDED_BY(mutex_);
  std::map<char*, size_t> pinned_ ABSL_GUARDED_BY(mutex_);
  std::map<std::thread::id, int> current_ ABSL_GUARDED_BY(mutex_);
  Failure failures_[static_cast<int>(Call::kNumCalls)] ABSL_GUARDED_BY(mutex_);
  int64_t counts_[static_cast<int>(Call::kNumCalls)] ABSL_GUARDED_BY(
      mutex_) = {};
  std::vector<std::string> complaints_ ABSL_GUARDED_BY(mutex_);
  int slow_ ABSL_GUARDED_BY(mutex_) = -1;
  // The thread may run this many more operations.
  int64_t allowance_ ABSL_GUARDED_BY(mutex_) = 0;
  int num_waiting_ ABSL_GUARDED_BY(mutex_) = 0;  // threads in RunUntil
  bool is_held_ ABSL_GUARDED_BY(mutex_) = false;
  bool is_ending_ ABSL_GUARDED_BY(mutex_) = false;
  Thread thread_;
};

}  // namespace leat::testing

#endif  // LEAT_TESTS_TESTING_FAKE_CUDA_H_
