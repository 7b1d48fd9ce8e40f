// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tests/testing/fake_cuda.h"

#include <sanitizer/asan_interface.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "leat/core/status_macros.h"

namespace leat::testing {
namespace {

constexpr int kInvalidValue = 1;
constexpr int kInvalidDevice = 101;
constexpr int kInvalidHandle = 400;
constexpr size_t kAlignment = 256;
// BeginUse fills a block with this byte when it runs in the stream.
constexpr int kFresh = 0xcd;

absl::string_view NameOf(int code) {
  switch (code) {
    case kInvalidValue:
      return "cudaErrorInvalidValue";
    case FakeCuda::kOutOfMemory:
      return "cudaErrorMemoryAllocation";
    case FakeCuda::kInvalidConfiguration:
      return "cudaErrorInvalidConfiguration";
    case kInvalidDevice:
      return "cudaErrorInvalidDevice";
    case kInvalidHandle:
      return "cudaErrorInvalidResourceHandle";
    case FakeCuda::kIllegalAddress:
      return "cudaErrorIllegalAddress";
    default:
      return "cudaErrorUnknown";
  }
}

absl::Status Error(int code) {
  return CudaError("fake", code, NameOf(code), "error of a test");
}

char* NewBytes(size_t bytes) {
  const size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  return static_cast<char*>(
      std::aligned_alloc(kAlignment, std::max(rounded, kAlignment)));
}

// Holds the pinned memory of all FakeCudas, because memory that one FakeCuda
// has pinned may be used with another one. It is thread-safe.
class PinnedOfProcess {
 public:
  static PinnedOfProcess& Get() {
    static auto* const pinned = new PinnedOfProcess;  // NOLINT: never destroyed
    return *pinned;
  }
  void Add(const char* memory, size_t bytes) {
    MutexLock lock(mutex_);
    blocks_[memory] = bytes;
  }
  void Remove(const char* memory) {
    MutexLock lock(mutex_);
    blocks_.erase(memory);
  }
  // Returns true if the bytes lie in one block.
  bool Has(const char* memory, size_t bytes) {
    MutexLock lock(mutex_);
    const auto after = blocks_.upper_bound(memory);
    if (after == blocks_.begin()) return false;
    const auto& [begin, size] = *std::prev(after);
    return memory + bytes <= begin + size;
  }

 private:
  Mutex mutex_;
  std::map<const char*, size_t> blocks_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

struct FakeCuda::Event {
  int ordinal = 0;
  bool is_freed = false;
  // Is the number of times that the event was recorded so far. Each record has
  // a number, beginning with 1. If two records are in different streams, the
  // later one can be passed first.
  int64_t num_records = 0;
  std::set<int64_t> pending = {};  // the records that are not passed yet

  bool IsPassed(int64_t record) const { return pending.count(record) == 0; }
};

// Describes one operation in a stream. If it waits for an event or records an
// event, `run` is null.
struct FakeCuda::Work {
  std::function<void()> run = nullptr;
  bool is_kernel = false;  // kernels run without the lock
  Event* event = nullptr;
  int64_t record = 0;    // the number of the record
  bool is_wait = false;  // true for a wait, false for a record
  // Is the pinned memory that a copy reads or writes, or null.
  const char* pinned = nullptr;
  size_t pinned_bytes = 0;
};

class FakeCuda::Stream final : public cuda::HostStream {
 public:
  Stream(FakeCuda& cuda, int ordinal) : cuda(cuda), ordinal(ordinal) {}

  void Add(std::function<void()> work) override {
    Work kernel;
    kernel.run = std::move(work);
    kernel.is_kernel = true;
    {
      MutexLock lock(cuda.mutex_);
      if (cuda.CurrentOrdinal() != ordinal) {
        cuda.Complain("a kernel is launched while another GPU is current");
      }
    }
    cuda.Queue(Call::kNumCalls, handle(), std::move(kernel)).IgnoreError();
  }

  bool CanRun() const {
    if (work.empty() || is_running) return false;
    const Work& first = work.front();
    return !first.is_wait || first.event->IsPassed(first.record);
  }

  // The mutex of the FakeCuda guards these fields.
  FakeCuda& cuda;
  const int ordinal;
  bool is_freed = false;
  bool is_running = false;  // the first element of `work` runs
  std::deque<Work> work;
};

struct FakeCuda::Gpu {
  int64_t used_bytes = 0;
  int lost_code = 0;  // 0 while the GPU is not lost
  // The GPU is lost when this many more operations have run. -1 means never.
  int lost_after = -1;
  int next_lost_code = 0;
};

FakeCuda::FakeCuda(FakeCudaOptions options)
    : options_(options), random_(options.seed), gpus_(options.num_gpus) {
  if (options_.has_thread) {
    thread_ = Thread("fake-cuda", [this] { RunThread(); });
  }
}

FakeCuda::~FakeCuda() {
  {
    MutexLock lock(mutex_);
    is_ending_ = true;
    changed_.NotifyAll();
  }
  thread_.Join();
  MutexLock lock(mutex_);
  ComplainOfLeaks();
  for (const std::string& complaint : complaints_) {
    ADD_FAILURE() << "FakeCuda: " << complaint;
  }
  for (auto& [memory, region] : regions_) {
    ASAN_UNPOISON_MEMORY_REGION(memory, region.bytes);
    std::free(memory);
  }
  for (auto& [memory, bytes] : pinned_) {
    PinnedOfProcess::Get().Remove(memory);
    std::free(memory);
  }
}

// ---- Running ----

void FakeCuda::RunThread() {
  for (;;) {
    {
      MutexLock lock(mutex_);
      while (!is_ending_ && (is_held_ || RandomStream() == nullptr ||
                             (allowance_ == 0 && num_waiting_ == 0))) {
        changed_.Wait(mutex_);
      }
      if (is_ending_) return;
      if (allowance_ > 0) --allowance_;
    }
    RunOne();
  }
}

FakeCuda::Stream* FakeCuda::RandomStream() {
  std::vector<Stream*> can_run;
  Stream* slow = nullptr;
  for (size_t i = 0; i < streams_.size(); ++i) {
    if (!streams_[i]->CanRun()) continue;
    if (static_cast<int>(i) == slow_) {
      slow = streams_[i].get();
    } else {
      can_run.push_back(streams_[i].get());
    }
  }
  return can_run.empty() ? slow : can_run[random_() % can_run.size()];
}

bool FakeCuda::RunOne() {
  MutexLock runner(runner_mutex_);
  std::function<void()> kernel;
  Stream* stream;
  {
    MutexLock lock(mutex_);
    stream = RandomStream();
    if (stream == nullptr) return false;
    stream->is_running = true;
    Work& work = stream->work.front();
    if (work.is_kernel) {
      kernel = std::move(work.run);
    } else if (work.run != nullptr) {
      work.run();
    }
  }
  if (kernel != nullptr) kernel();
  kernel = nullptr;
  MutexLock lock(mutex_);
  stream->is_running = false;
  if (!stream->work.empty()) {  // it is empty if the GPU was lost meanwhile
    const Work& work = stream->work.front();
    if (work.event != nullptr && !work.is_wait) {
      work.event->pending.erase(work.record);
    }
    stream->work.pop_front();
    Gpu& gpu = gpus_[stream->ordinal];
    if (gpu.lost_after >= 0 && gpu.lost_after-- == 0) {
      LoseLocked(stream->ordinal, gpu.next_lost_code);
    }
  }
  changed_.NotifyAll();
  return true;
}

void FakeCuda::RunAll() {
  while (RunOne()) {
  }
}

void FakeCuda::Hold() {
  MutexLock lock(mutex_);
  is_held_ = true;
}

void FakeCuda::Release() {
  MutexLock lock(mutex_);
  is_held_ = false;
  changed_.NotifyAll();
}

void FakeCuda::SlowDown(int index) {
  MutexLock lock(mutex_);
  slow_ = index;
}

void FakeCuda::RunUntil(absl::FunctionRef<bool()> is_over) {
  if (!options_.has_thread) {
    for (;;) {
      {
        MutexLock lock(mutex_);
        if (is_over()) return;
      }
      RunOne();
    }
  }
  MutexLock lock(mutex_);
  ++num_waiting_;
  changed_.NotifyAll();
  while (!is_over()) changed_.Wait(mutex_);
  --num_waiting_;
}

void FakeCuda::Encourage() {
  if (random_() % 4 != 0) return;
  allowance_ = int64_t{1} << (random_() % 8);
  changed_.NotifyAll();
}

bool FakeCuda::IsIdle(int ordinal) {
  for (const auto& stream : streams_) {
    if (stream->ordinal == ordinal && !stream->work.empty()) return false;
  }
  return true;
}

// ---- Faults ----

void FakeCuda::Fail(Call call, int code, int times, int skipped) {
  MutexLock lock(mutex_);
  failures_[static_cast<int>(call)] = {code, skipped, times};
}

void FakeCuda::Lose(int ordinal, int code) {
  MutexLock lock(mutex_);
  LoseLocked(ordinal, code);
}

void FakeCuda::LoseAfter(int ordinal, int num_work, int code) {
  MutexLock lock(mutex_);
  gpus_[ordinal].lost_after = num_work;
  gpus_[ordinal].next_lost_code = code;
}

void FakeCuda::LoseLocked(int ordinal, int code) {
  gpus_[ordinal].lost_code = code;
  for (const auto& stream : streams_) {
    if (stream->ordinal == ordinal) stream->work.clear();
  }
  changed_.NotifyAll();
}

std::vector<std::string> FakeCuda::TakeComplaints() {
  MutexLock lock(mutex_);
  return std::exchange(complaints_, {});
}

int64_t FakeCuda::count(Call call) const {
  MutexLock lock(mutex_);
  return counts_[static_cast<int>(call)];
}

void FakeCuda::Complain(std::string text) {
  complaints_.push_back(std::move(text));
}

void FakeCuda::ComplainOfLeaks() {
  for (const auto& [memory, region] : regions_) {
    if (gpus_[region.ordinal].lost_code == 0) {
      Complain(absl::StrCat(region.bytes, " bytes of a GPU were not freed"));
    }
  }
  for (const auto& [memory, bytes] : pinned_) {
    Complain(absl::StrCat(bytes, " pinned bytes were not freed"));
  }
  for (const auto& stream : streams_) {
    if (!stream->is_freed) Complain("a stream was not freed");
    if (!stream->work.empty()) Complain("work in a stream did not run");
  }
  for (const auto& event : events_) {
    if (!event->is_freed) Complain("an event was not freed");
  }
}

// ---- Helpers of several calls ----

int FakeCuda::CurrentOrdinal() {
  const auto found = current_.find(std::this_thread::get_id());
  return found == current_.end() ? 0 : found->second;
}

absl::Status FakeCuda::LossOf(int ordinal) {
  const int code = gpus_[ordinal].lost_code;
  return code == 0 ? absl::OkStatus() : Error(code);
}

absl::Status FakeCuda::Enter(Call call, int ordinal) {
  Encourage();
  LEAT_RETURN_IF_ERROR(LossOf(ordinal));
  if (call == Call::kNumCalls) return absl::OkStatus();
  ++counts_[static_cast<int>(call)];
  Failure& failure = failures_[static_cast<int>(call)];
  if (failure.times == 0 || failure.skipped-- > 0) return absl::OkStatus();
  failure.skipped = 0;
  --failure.times;
  const absl::Status error = Error(failure.code);
  if (IsSticky(error)) LoseLocked(ordinal, failure.code);
  return error;
}

FakeCuda::Stream* FakeCuda::Find(CudaStream stream) {
  for (const auto& known : streams_) {
    if (known->handle() != stream) continue;
    if (!known->is_freed) return known.get();
    Complain("a stream is used that was freed");
    return nullptr;
  }
  Complain("a stream is used that does not exist");
  return nullptr;
}

FakeCuda::Event* FakeCuda::Find(CudaEvent event) {
  for (const auto& known : events_) {
    if (known.get() != reinterpret_cast<Event*>(event)) continue;
    if (!known->is_freed) return known.get();
    Complain("an event is used that was freed");
    return nullptr;
  }
  Complain("an event is used that does not exist");
  return nullptr;
}

absl::Status FakeCuda::Queue(Call call, CudaStream stream, Work work) {
  MutexLock lock(mutex_);
  Stream* const found = Find(stream);
  if (found == nullptr) return Error(kInvalidHandle);
  LEAT_RETURN_IF_ERROR(Enter(call, found->ordinal));
  found->work.push_back(std::move(work));
  return absl::OkStatus();
}

std::pair<char* const, FakeCuda::Region>* FakeCuda::RegionOf(
    const char* memory) {
  auto after = regions_.upper_bound(const_cast<char*>(memory));
  if (after == regions_.begin()) return nullptr;
  auto& found = *std::prev(after);
  return memory < found.first + found.second.bytes ? &found : nullptr;
}

bool FakeCuda::IsInRegion(const char* memory, size_t bytes, bool check_use) {
  auto* const found = RegionOf(memory);
  if (found == nullptr) {
    Complain("memory is used that is not a GPU's");
    return false;
  }
  auto& [begin, region] = *found;
  if (bytes > region.bytes - static_cast<size_t>(memory - begin)) {
    Complain("work goes beyond the end of a GPU's memory");
    return false;
  }
  if (!check_use || !region.is_divided) return true;
  const auto after = region.in_use.upper_bound(const_cast<char*>(memory));
  if (after != region.in_use.begin()) {
    const auto& [block, size] = *std::prev(after);
    if (memory + bytes <= block + size) return true;
  }
  Complain("work uses a block that is not in use");
  return false;
}

bool FakeCuda::IsInPinned(const char* memory, size_t bytes) {
  if (PinnedOfProcess::Get().Has(memory, bytes)) return true;
  Complain("a copy uses memory of the host that is not pinned");
  return false;
}

absl::Status FakeCuda::QueueBytes(Call call, CudaStream stream, char* device_to,
                                  const char* device_from, const char* pinned,
                                  size_t bytes, std::function<void()> run) {
  Work work;
  {
    MutexLock lock(mutex_);
    for (const char* memory :
         {static_cast<const char*>(device_to), device_from}) {
      if (memory != nullptr && !IsInRegion(memory, bytes, false)) {
        return Error(kInvalidValue);
      }
    }
    if (pinned != nullptr && !IsInPinned(pinned, bytes)) {
      return Error(kInvalidValue);
    }
  }
  work.pinned = pinned;
  work.pinned_bytes = bytes;
  // The caller of `run` holds the lock, but clang cannot see this.
  work.run = [this, device_to, device_from, pinned, bytes,
              run = std::move(run)]() ABSL_NO_THREAD_SAFETY_ANALYSIS {
    for (const char* memory :
         {static_cast<const char*>(device_to), device_from}) {
      if (memory != nullptr && !IsInRegion(memory, bytes, true)) return;
    }
    if (pinned == nullptr || IsInPinned(pinned, bytes)) run();
  };
  return Queue(call, stream, std::move(work));
}

// ---- The machine and the current GPU ----

absl::StatusOr<CudaProperties> FakeCuda::Properties(int ordinal) {
  CudaProperties properties;
  properties.name = "Fake GPU";
  properties.pci_bus_id = absl::StrCat("0000:00:", ordinal, ".0");
  properties.major = 9;
  properties.memory_bytes = options_.memory_bytes;
  return properties;
}

absl::Status FakeCuda::SetDevice(int ordinal) {
  MutexLock lock(mutex_);
  if (ordinal < 0 || ordinal >= options_.num_gpus) return Error(kInvalidDevice);
  current_[std::this_thread::get_id()] = ordinal;
  return LossOf(ordinal);
}

absl::StatusOr<CudaMemoryInfo> FakeCuda::MemoryInfo() {
  MutexLock lock(mutex_);
  const int ordinal = CurrentOrdinal();
  LEAT_RETURN_IF_ERROR(LossOf(ordinal));
  return CudaMemoryInfo{options_.memory_bytes - gpus_[ordinal].used_bytes,
                        options_.memory_bytes};
}

absl::Status FakeCuda::LastError() {
  MutexLock lock(mutex_);
  return Enter(Call::kLaunch, CurrentOrdinal());
}

// ---- Memory ----

absl::StatusOr<char*> FakeCuda::NewMemory(size_t bytes) {
  MutexLock lock(mutex_);
  const int ordinal = CurrentOrdinal();
  LEAT_RETURN_IF_ERROR(Enter(Call::kNewMemory, ordinal));
  int64_t& used = gpus_[ordinal].used_bytes;
  if (static_cast<int64_t>(bytes) > options_.memory_bytes - used) {
    return Error(kOutOfMemory);
  }
  used += static_cast<int64_t>(bytes);
  char* const memory = NewBytes(bytes);
  regions_[memory] = {bytes, ordinal};
  return memory;
}

absl::Status FakeCuda::FreeMemory(char* memory) {
  int ordinal;
  {
    MutexLock lock(mutex_);
    const auto found = regions_.find(memory);
    if (found == regions_.end()) {
      Complain("memory is freed that is not a GPU's");
      return Error(kInvalidValue);
    }
    ordinal = found->second.ordinal;
    LEAT_RETURN_IF_ERROR(LossOf(ordinal));
  }
  RunUntil([&]() ABSL_NO_THREAD_SAFETY_ANALYSIS { return IsIdle(ordinal); });
  MutexLock lock(mutex_);
  const auto found = regions_.find(memory);
  ASAN_UNPOISON_MEMORY_REGION(memory, found->second.bytes);
  gpus_[ordinal].used_bytes -= static_cast<int64_t>(found->second.bytes);
  std::free(memory);
  regions_.erase(found);
  return absl::OkStatus();
}

absl::StatusOr<char*> FakeCuda::NewPinned(size_t bytes) {
  MutexLock lock(mutex_);
  LEAT_RETURN_IF_ERROR(Enter(Call::kNewPinned, CurrentOrdinal()));
  char* const memory = NewBytes(bytes);
  pinned_[memory] = bytes;
  PinnedOfProcess::Get().Add(memory, bytes);
  return memory;
}

absl::Status FakeCuda::FreePinned(char* memory) {
  MutexLock lock(mutex_);
  if (pinned_.erase(memory) == 0) {
    Complain("memory is freed that is not pinned");
    return Error(kInvalidValue);
  }
  PinnedOfProcess::Get().Remove(memory);
  for (const auto& stream : streams_) {
    for (const Work& work : stream->work) {
      if (work.pinned != nullptr &&
          !IsInPinned(work.pinned, work.pinned_bytes)) {
        Complain("pinned memory is freed that a copy will use");
      }
    }
  }
  std::free(memory);
  return LossOf(CurrentOrdinal());
}

void FakeCuda::BeginUse(CudaStream stream, char* memory, size_t bytes) {
  {
    MutexLock lock(mutex_);
    auto* const found = RegionOf(memory);
    if (found == nullptr) return Complain("a block lies in no region");
    Region& region = found->second;
    if (!std::exchange(region.is_divided, true)) {
      ASAN_POISON_MEMORY_REGION(found->first, region.bytes);
    }
  }
  Work work;
  work.run = [this, memory, bytes]() ABSL_NO_THREAD_SAFETY_ANALYSIS {
    auto& in_use = RegionOf(memory)->second.in_use;
    const auto next = in_use.lower_bound(memory);
    if ((next != in_use.end() && next->first < memory + bytes) ||
        (next != in_use.begin() &&
         std::prev(next)->first + std::prev(next)->second > memory)) {
      Complain("a block overlaps one that is in use");
    }
    in_use[memory] = bytes;
    ASAN_UNPOISON_MEMORY_REGION(memory, bytes);
    std::memset(memory, kFresh, bytes);
  };
  Queue(Call::kNumCalls, stream, std::move(work)).IgnoreError();
}

void FakeCuda::EndUse(CudaStream stream, char* memory, size_t bytes) {
  Work work;
  work.run = [this, memory, bytes]() ABSL_NO_THREAD_SAFETY_ANALYSIS {
    auto& in_use = RegionOf(memory)->second.in_use;
    const auto found = in_use.find(memory);
    if (found == in_use.end() || found->second != bytes) {
      return Complain("the use of a block ends that is not in use");
    }
    in_use.erase(found);
    std::memset(memory, kFreed, bytes);
    ASAN_POISON_MEMORY_REGION(memory, bytes);
  };
  Queue(Call::kNumCalls, stream, std::move(work)).IgnoreError();
}

// ---- Streams and events ----

absl::StatusOr<CudaStream> FakeCuda::NewStream() {
  MutexLock lock(mutex_);
  const int ordinal = CurrentOrdinal();
  LEAT_RETURN_IF_ERROR(Enter(Call::kNewStream, ordinal));
  streams_.push_back(std::make_unique<Stream>(*this, ordinal));
  return streams_.back()->handle();
}

absl::Status FakeCuda::FreeStream(CudaStream stream) {
  MutexLock lock(mutex_);
  Stream* const found = Find(stream);
  if (found == nullptr) return Error(kInvalidHandle);
  found->is_freed = true;
  return LossOf(found->ordinal);
}

absl::Status FakeCuda::Synchronize(CudaStream stream) {
  Stream* found;
  {
    MutexLock lock(mutex_);
    found = Find(stream);
    if (found == nullptr) return Error(kInvalidHandle);
  }
  RunUntil([found] { return found->work.empty(); });
  MutexLock lock(mutex_);
  return LossOf(found->ordinal);
}

absl::StatusOr<CudaEvent> FakeCuda::NewEvent() {
  MutexLock lock(mutex_);
  const int ordinal = CurrentOrdinal();
  LEAT_RETURN_IF_ERROR(Enter(Call::kNewEvent, ordinal));
  events_.push_back(std::make_unique<Event>());
  events_.back()->ordinal = ordinal;
  return reinterpret_cast<CudaEvent>(events_.back().get());
}

absl::Status FakeCuda::FreeEvent(CudaEvent event) {
  MutexLock lock(mutex_);
  Event* const found = Find(event);
  if (found == nullptr) return Error(kInvalidHandle);
  found->is_freed = true;
  return LossOf(found->ordinal);
}

absl::Status FakeCuda::Record(CudaEvent event, CudaStream stream) {
  MutexLock lock(mutex_);
  Event* const found = Find(event);
  Stream* const end = Find(stream);
  if (found == nullptr || end == nullptr || found->ordinal != end->ordinal) {
    return Error(kInvalidHandle);
  }
  LEAT_RETURN_IF_ERROR(Enter(Call::kRecord, end->ordinal));
  Work work;
  work.event = found;
  work.record = ++found->num_records;
  found->pending.insert(work.record);
  end->work.push_back(std::move(work));
  return absl::OkStatus();
}

absl::Status FakeCuda::Wait(CudaStream stream, CudaEvent event) {
  MutexLock lock(mutex_);
  Event* const found = Find(event);
  Stream* const later = Find(stream);
  if (found == nullptr || later == nullptr) return Error(kInvalidHandle);
  LEAT_RETURN_IF_ERROR(Enter(Call::kWait, later->ordinal));
  Work work;
  work.event = found;
  work.record = found->num_records;
  work.is_wait = true;
  later->work.push_back(std::move(work));
  return absl::OkStatus();
}

absl::StatusOr<bool> FakeCuda::IsPassed(CudaEvent event) {
  if (options_.runs_when_asked) LEAT_RETURN_IF_ERROR(Synchronize(event));
  MutexLock lock(mutex_);
  Event* const found = Find(event);
  if (found == nullptr) return Error(kInvalidHandle);
  LEAT_RETURN_IF_ERROR(Enter(Call::kIsPassed, found->ordinal));
  return found->IsPassed(found->num_records);
}

absl::Status FakeCuda::Synchronize(CudaEvent event) {
  Event* found;
  {
    MutexLock lock(mutex_);
    found = Find(event);
    if (found == nullptr) return Error(kInvalidHandle);
  }
  RunUntil([this, found]() ABSL_NO_THREAD_SAFETY_ANALYSIS {
    return found->IsPassed(found->num_records) ||
           gpus_[found->ordinal].lost_code != 0;
  });
  MutexLock lock(mutex_);
  return LossOf(found->ordinal);
}

// ---- Work ----

absl::Status FakeCuda::CopyToDevice(CudaStream stream, char* to,
                                    const char* from, size_t bytes) {
  return QueueBytes(Call::kCopy, stream, to, nullptr, from, bytes,
                    [=] { std::memcpy(to, from, bytes); });
}

absl::Status FakeCuda::CopyToHost(CudaStream stream, char* to, const char* from,
                                  size_t bytes) {
  return QueueBytes(Call::kCopy, stream, nullptr, from, to, bytes,
                    [=] { std::memcpy(to, from, bytes); });
}

absl::Status FakeCuda::CopyOnDevice(CudaStream stream, char* to,
                                    const char* from, size_t bytes) {
  return QueueBytes(Call::kCopy, stream, to, from, nullptr, bytes,
                    [=] { std::memmove(to, from, bytes); });
}

absl::Status FakeCuda::Fill(CudaStream stream, char* to, uint8_t value,
                            size_t bytes) {
  return QueueBytes(Call::kFill, stream, to, nullptr, nullptr, bytes,
                    [=] { std::memset(to, value, bytes); });
}

}  // namespace leat::testing
