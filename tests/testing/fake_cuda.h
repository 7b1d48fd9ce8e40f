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
  int64_t memory_bytes = int64_t{64} << 20;  // of each GPU
  uint64_t seed = 1;
  // If true, a thread runs the work. If false, the test calls RunOne or RunAll,
  // and a call that waits for work runs it.
  bool has_thread = true;
  // If true, IsPassed runs the work in front of the event, so that no thread
  // has to sleep until the event is passed.
  bool runs_when_asked = false;
  // Opens the library that multiplies matrices. Null stands for a machine that
  // does not have it.
  std::function<absl::StatusOr<std::unique_ptr<BlasApi>>()> new_blas = nullptr;
  // Opens the library that computes convolutions. Null stands for a machine
  // that does not have it.
  std::function<absl::StatusOr<std::unique_ptr<DnnApi>>()> new_dnn = nullptr;
};

// Thread-safe. Records a complaint for each misuse of CUDA, such as a copy
// beyond the end of its memory or from freed memory. The destructor adds a
// failure to the running test for each complaint, and for everything that was
// not freed.
//
// BeginUse and EndUse take effect in the order of the stream. Memory that is
// not in use is filled with kFreed, and the address sanitizer reports reads and
// writes of it.
class FakeCuda final : public CudaApi {
 public:
  // The calls that Fail can make fail.
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
    kLaunch,  // LastError
    kNumCalls
  };

  static constexpr int kOutOfMemory = 2;
  static constexpr int kInvalidConfiguration = 9;  // a launch is refused
  static constexpr int kIllegalAddress = 700;      // is sticky
  static constexpr char kFreed = static_cast<char>(0xdb);

  explicit FakeCuda(FakeCudaOptions options = {});
  ~FakeCuda() override;

  // ---- For tests ----

  // Runs the next work of a random stream. Returns false if no work can run.
  bool RunOne();
  // Runs all work that was queued.
  void RunAll();
  // Keeps the thread from running anything, until Release.
  void Hold();
  void Release();
  // Slows down the stream that was made as number `index` (0, 1, ...). Its work
  // runs only when no other stream has work that can run.
  void SlowDown(int index);

  // Makes the next `skipped` calls succeed, and then `times` calls return the
  // CUDA error `code`.
  void Fail(Call call, int code, int times = 1, int skipped = 0);
  // Loses a GPU: its work does not run any more, and all calls return the error
  // `code`.
  void Lose(int ordinal, int code = kIllegalAddress);
  // Loses a GPU after it has run `num_work` + 1 more pieces of work.
  void LoseAfter(int ordinal, int num_work, int code = kIllegalAddress);

  // Returns the complaints so far and forgets them.
  std::vector<std::string> TakeComplaints();
  // Returns how often `call` was made.
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
  // Memory from NewMemory.
  struct Region {
    size_t bytes = 0;
    int ordinal = 0;
    bool is_divided = false;              // by BeginUse
    std::map<char*, size_t> in_use = {};  // as of the work that has run
  };
  struct Failure {
    int code = 0;
    int skipped = 0;
    int times = 0;
  };

  void RunThread();
  bool RunOneOf(Stream& stream);
  // Waits until `is_over()` is true. Meanwhile the work runs on the thread, or
  // on the calling thread if there is no thread.
  void RunUntil(absl::FunctionRef<bool()> is_over);
  Stream* RandomStream() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Lets the thread run a random amount of work.
  void Encourage() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool IsIdle(int ordinal) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void LoseLocked(int ordinal, int code) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  int CurrentOrdinal() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Counts a call for a GPU, and returns the error that it must return.
  absl::Status Enter(Call call, int ordinal)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status LossOf(int ordinal) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Return null, with a complaint, if there is no such stream or event.
  Stream* Find(CudaStream stream) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Event* Find(CudaEvent event) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status Queue(Call call, CudaStream stream, Work work);
  // Queues a copy or a fill. Checks the addresses that are not null.
  absl::Status QueueBytes(Call call, CudaStream stream, char* device_to,
                          const char* device_from, const char* pinned,
                          size_t bytes, std::function<void()> work);

  std::pair<char* const, Region>* RegionOf(const char* memory)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Return false, with a complaint, if the bytes are not memory of a GPU, or
  // not pinned memory.
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
  // How many pieces of work the thread may run.
  int64_t allowance_ ABSL_GUARDED_BY(mutex_) = 0;
  int num_waiting_ ABSL_GUARDED_BY(mutex_) = 0;  // threads in RunUntil
  bool is_held_ ABSL_GUARDED_BY(mutex_) = false;
  bool is_ending_ ABSL_GUARDED_BY(mutex_) = false;
  Thread thread_;
};

}  // namespace leat::testing

#endif  // LEAT_TESTS_TESTING_FAKE_CUDA_H_
