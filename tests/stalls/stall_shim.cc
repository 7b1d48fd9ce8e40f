// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Is a library for LD_PRELOAD that makes threads stall as on a busy machine. At
// some of the locks and unlocks of mutexes, chosen at random, the thread sleeps
// for a while. If a test fails only with this library, its result depends on
// how fast its threads are. Only programs whose names end in "_test" stall. The
// library reads these environment variables:
//
//   LEAT_STALL_ONE_IN  the mean number of locks and unlocks per stall
//   LEAT_STALL_SEED    the seed of the random numbers that choose the stalls;
//                      the numbers of a thread depend on the seed and on how
//                      many other threads locked a mutex before this thread
//   LEAT_STALL_LOG     a file; each process that has stalled appends a line to
//                      the file when the process exits; the line has the
//                      program's name, the number of stalls and the seconds
//                      that the stalls took
//
// The library is thread-safe, because all data that threads share are atomic.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

// A stall takes from half a millisecond to 300 milliseconds. Most stalls are
// short.
constexpr int64_t kShortestStall = 500'000;  // ns
constexpr int64_t kLongestStall = 300'000'000;

std::atomic<uint64_t> num_threads{0};
std::atomic<uint64_t> num_stalls{0};
std::atomic<int64_t> stalled_ns{0};

uint64_t NumberFrom(const char* variable, uint64_t otherwise) {
  const char* text = getenv(variable);
  return text == nullptr ? otherwise : strtoull(text, nullptr, 10);
}

// Returns how many locks and unlocks there are per stall, on average. Returns 0
// if this program must not stall.
uint64_t OneIn() {
  const size_t length = strlen(program_invocation_short_name);
  constexpr char kSuffix[] = "_test";
  constexpr size_t kSuffixLength = sizeof(kSuffix) - 1;
  if (length < kSuffixLength ||
      strcmp(program_invocation_short_name + length - kSuffixLength, kSuffix) !=
          0) {
    return 0;
  }
  return NumberFrom("LEAT_STALL_ONE_IN", 1500);
}

// Returns the next random number of the calling thread (SplitMix64).
uint64_t NextRandom() {
  static const uint64_t seed = NumberFrom("LEAT_STALL_SEED", 1);
  thread_local uint64_t state =
      seed * 0x9e3779b97f4a7c15 + (num_threads.fetch_add(1) << 32);
  state += 0x9e3779b97f4a7c15;
  uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// Sleeps with a probability of 1 / OneIn(). Does not change errno.
void MayStall() {
  static const uint64_t one_in = OneIn();
  if (one_in == 0) return;
  if (NextRandom() % one_in != 0) return;
  // The time grows with the cube of a random number from 0 to 1, so that most
  // stalls are short.
  const double share = static_cast<double>(NextRandom() >> 11) / (1ULL << 53);
  const int64_t nanoseconds =
      kShortestStall +
      static_cast<int64_t>(share * share * share *
                           static_cast<double>(kLongestStall - kShortestStall));
  const int error = errno;
  timespec time = {nanoseconds / 1'000'000'000, nanoseconds % 1'000'000'000};
  while (nanosleep(&time, &time) != 0 && errno == EINTR) {
  }
  errno = error;
  num_stalls.fetch_add(1);
  stalled_ns.fetch_add(nanoseconds);
}

// Adds this process's line to the log.
[[gnu::destructor]] void Report() {
  const char* path = getenv("LEAT_STALL_LOG");
  if (path == nullptr || num_stalls.load() == 0) return;
  char line[200];
  const int length = snprintf(
      line, sizeof(line), "%s %llu %.3f\n", program_invocation_short_name,
      static_cast<unsigned long long>(num_stalls.load()),
      static_cast<double>(stalled_ns.load()) * 1e-9);
  const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file < 0) return;
  // The line is written with one call, so that the lines of different processes
  // do not mix.
  if (write(file, line, static_cast<size_t>(length)) < 0) {
  }
  close(file);
}

using LockFunction = int (*)(pthread_mutex_t*);

LockFunction Next(const char* name) {
  return reinterpret_cast<LockFunction>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  static const LockFunction next = Next("pthread_mutex_lock");
  MayStall();
  return next(mutex);
}

extern "C" int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
  static const LockFunction next = Next("pthread_mutex_unlock");
  const int result = next(mutex);
  MayStall();
  return result;
}
