// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tests/system_calls/failing_calls.h"

#include <dirent.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <map>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>

#include "leat/core/threads/mutex.h"
#include "leat/tests/system_calls/recorded_calls.h"

namespace leat::testing {
namespace {

// The object is never destroyed, because threads may use it until the process
// ends.
NthFailure& Failure() {
  static NthFailure* const failure = new NthFailure;
  return *failure;
}

// Holds the name of the first call that has failed, and for each function the
// number of calls that have failed.
struct Failed {
  Mutex mutex;
  std::string first ABSL_GUARDED_BY(mutex);
  std::map<std::string, int64_t> counts ABSL_GUARDED_BY(mutex);
};
Failed& AllFailed() {
  static Failed* const failed = new Failed;
  return *failed;
}

// Counts a call of `function`. If the call must fail, sets errno to `error` and
// returns true.
bool Fails(const char* function, int error) {
  if (!Failure().Fails()) return false;
  {
    Failed& failed = AllFailed();
    MutexLock lock(failed.mutex);
    if (failed.first.empty()) failed.first = function;
    ++failed.counts[function];
  }
  errno = error;
  return true;
}

}  // namespace

FailingCalls::FailingCalls(int64_t n, NthFailure::Which which) {
  {
    MutexLock lock(AllFailed().mutex);
    AllFailed().first.clear();
  }
  Failure().Begin(n, which);
}

int64_t FailingCalls::Stop() { return Failure().End(); }

std::string FailingCalls::FirstFailed() {
  MutexLock lock(AllFailed().mutex);
  return AllFailed().first;
}

int64_t FailingCalls::NumFailed(const std::string& function) {
  MutexLock lock(AllFailed().mutex);
  return AllFailed().counts[function];
}

}  // namespace leat::testing

// Defines the function that the linker uses instead of `name`
// (tests/CMakeLists.txt). If the call must fail, the function sets errno to
// `error` and returns `failed`.
#define LEAT_FAILING_CALL(type, name, failed, error, parameters, arguments) \
  type __real_##name parameters;                                            \
  type __wrap_##name parameters {                                           \
    if (leat::testing::Fails(#name, error)) return failed;                  \
    return __real_##name arguments;                                         \
  }

using leat::testing::FileCall;

extern "C" {

LEAT_FAILING_CALL(ssize_t, read, -1, EIO, (int file, void* to, size_t count),
                  (file, to, count))
LEAT_FAILING_CALL(int, ftruncate, -1, EIO, (int file, off_t size), (file, size))
LEAT_FAILING_CALL(off_t, lseek, -1, EIO, (int file, off_t offset, int whence),
                  (file, offset, whence))
LEAT_FAILING_CALL(int, gethostname, -1, EPERM, (char* name, size_t size),
                  (name, size))
LEAT_FAILING_CALL(int, rename, -1, EACCES, (const char* from, const char* to),
                  (from, to))
LEAT_FAILING_CALL(int, unlink, -1, EACCES, (const char* path), (path))
LEAT_FAILING_CALL(ssize_t, pread, -1, EIO,
                  (int file, void* to, size_t count, off_t offset),
                  (file, to, count, offset))
LEAT_FAILING_CALL(DIR*, fdopendir, nullptr, ENOMEM, (int file), (file))
LEAT_FAILING_CALL(int, mkdir, -1, ENOSPC, (const char* path, mode_t mode),
                  (path, mode))
LEAT_FAILING_CALL(int, stat, -1, EACCES, (const char* path, struct stat* info),
                  (path, info))
LEAT_FAILING_CALL(int, lstat, -1, EACCES, (const char* path, struct stat* info),
                  (path, info))
LEAT_FAILING_CALL(int, fstat, -1, EIO, (int file, struct stat* info),
                  (file, info))
LEAT_FAILING_CALL(int, fchmod, -1, EPERM, (int file, mode_t mode), (file, mode))
LEAT_FAILING_CALL(DIR*, opendir, nullptr, EMFILE, (const char* path), (path))
LEAT_FAILING_CALL(int, getrlimit, -1, EINVAL,
                  (__rlimit_resource_t resource, rlimit* limit),
                  (resource, limit))
LEAT_FAILING_CALL(int, socket, -1, EMFILE, (int domain, int type, int protocol),
                  (domain, type, protocol))
LEAT_FAILING_CALL(int, bind, -1, EADDRINUSE,
                  (int file, const sockaddr* address, socklen_t size),
                  (file, address, size))
LEAT_FAILING_CALL(int, listen, -1, EADDRINUSE, (int file, int backlog),
                  (file, backlog))
LEAT_FAILING_CALL(int, accept4, -1, EMFILE,
                  (int file, sockaddr* address, socklen_t* size, int flags),
                  (file, address, size, flags))
LEAT_FAILING_CALL(int, connect, -1, ENOMEM,
                  (int file, const sockaddr* address, socklen_t size),
                  (file, address, size))
LEAT_FAILING_CALL(int, getsockname, -1, ENOBUFS,
                  (int file, sockaddr* address, socklen_t* size),
                  (file, address, size))
LEAT_FAILING_CALL(int, setsockopt, -1, ENOMEM,
                  (int file, int level, int option, const void* value,
                   socklen_t size),
                  (file, level, option, value, size))
LEAT_FAILING_CALL(int, getaddrinfo, EAI_MEMORY, ENOMEM,
                  (const char* host, const char* service, const addrinfo* hints,
                   addrinfo** found),
                  (host, service, hints, found))
LEAT_FAILING_CALL(int, eventfd, -1, EMFILE, (unsigned int value, int flags),
                  (value, flags))
LEAT_FAILING_CALL(int, poll, -1, ENOMEM,
                  (pollfd * files, nfds_t count, int timeout),
                  (files, count, timeout))
LEAT_FAILING_CALL(int, pipe2, -1, EMFILE, (int* ends, int flags), (ends, flags))
LEAT_FAILING_CALL(pid_t, fork, -1, EAGAIN, (), ())

// Checkpoints use the following calls to change files. These calls can also be
// recorded, or end the process (recorded_calls.h).
ssize_t __real_write(int file, const void* from, size_t count);
ssize_t __wrap_write(int file, const void* from, size_t count) {
  if (leat::testing::Fails("write", ENOSPC)) return -1;
  if (leat::testing::BeginFileCall()) {
    __real_write(file, from, count / 2);
    leat::testing::EndProcess();
  }
  const ssize_t done = __real_write(file, from, count);
  if (done > 0) {
    leat::testing::EndFileCall(
        {.kind = FileCall::kWrite,
         .path = leat::testing::PathOf(file),
         .bytes = std::string(static_cast<const char*>(from),
                              static_cast<size_t>(done))});
  }
  return done;
}

int __real_fsync(int file);
int __wrap_fsync(int file) {
  if (leat::testing::Fails("fsync", EIO)) return -1;
  if (leat::testing::BeginFileCall()) leat::testing::EndProcess();
  const int result = leat::testing::SyncsAreSkipped() ? 0 : __real_fsync(file);
  if (result == 0) {
    leat::testing::EndFileCall(
        {.kind = FileCall::kSync, .path = leat::testing::PathOf(file)});
  }
  return result;
}

int __real_renameat(int from_folder, const char* from, int to_folder,
                    const char* to);
int __wrap_renameat(int from_folder, const char* from, int to_folder,
                    const char* to) {
  if (leat::testing::Fails("renameat", EACCES)) return -1;
  if (leat::testing::BeginFileCall()) leat::testing::EndProcess();
  const int result = __real_renameat(from_folder, from, to_folder, to);
  if (result == 0) {
    leat::testing::EndFileCall(
        {.kind = FileCall::kRename,
         .path = leat::testing::PathIn(from_folder, from),
         .to = leat::testing::PathIn(to_folder, to)});
  }
  return result;
}

int __real_unlinkat(int folder, const char* path, int flags);
int __wrap_unlinkat(int folder, const char* path, int flags) {
  if (leat::testing::Fails("unlinkat", EACCES)) return -1;
  if (leat::testing::BeginFileCall()) leat::testing::EndProcess();
  const int result = __real_unlinkat(folder, path, flags);
  if (result == 0) {
    leat::testing::EndFileCall({.kind = FileCall::kRemove,
                                .path = leat::testing::PathIn(folder, path)});
  }
  return result;
}

int __real_mkdirat(int folder, const char* path, mode_t mode);
int __wrap_mkdirat(int folder, const char* path, mode_t mode) {
  if (leat::testing::Fails("mkdirat", ENOSPC)) return -1;
  if (leat::testing::BeginFileCall()) leat::testing::EndProcess();
  const int result = __real_mkdirat(folder, path, mode);
  if (result == 0) {
    leat::testing::EndFileCall({.kind = FileCall::kMakeFolder,
                                .path = leat::testing::PathIn(folder, path)});
  }
  return result;
}

int __real_openat(int folder, const char* path, int flags, ...);
int __wrap_openat(int folder, const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const bool creates = (flags & O_CREAT) != 0;
  const mode_t mode = creates ? va_arg(more, mode_t) : 0;
  va_end(more);
  if (leat::testing::Fails("openat", EMFILE)) return -1;
  if (creates && leat::testing::BeginFileCall()) leat::testing::EndProcess();
  const int file = __real_openat(folder, path, flags, mode);
  if (creates && file >= 0) {
    leat::testing::EndFileCall({.kind = FileCall::kCreate,
                                .path = leat::testing::PathIn(folder, path)});
  }
  return file;
}

// The file is always closed, even if this function reports an error.
int __real_close(int file);
int __wrap_close(int file) {
  const int result = __real_close(file);
  return leat::testing::Fails("close", EIO) ? -1 : result;
}

int __real_open(const char* path, int flags, ...);
int __wrap_open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  return leat::testing::Fails("open", EMFILE) ? -1
                                              : __real_open(path, flags, mode);
}

// Leat uses syscall only for openat2, which has four arguments.
long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...) {
  va_list more;
  va_start(more, number);
  long arguments[4];
  for (long& argument : arguments) argument = va_arg(more, long);
  va_end(more);
  return leat::testing::Fails("syscall", EMFILE)
             ? -1
             : __real_syscall(number, arguments[0], arguments[1], arguments[2],
                              arguments[3]);
}

// Leat calls fcntl with an int as the third argument, or without a third
// argument.
int __real_fcntl(int file, int command, ...);
int __wrap_fcntl(int file, int command, ...) {
  va_list more;
  va_start(more, command);
  const int argument = va_arg(more, int);
  va_end(more);
  return leat::testing::Fails("fcntl", EMFILE)
             ? -1
             : __real_fcntl(file, command, argument);
}

// The standard library starts a thread with the member function
// std::thread::_M_start_thread. Its first argument is the std::thread.
using ThreadState = std::unique_ptr<std::thread::_State>;
void __real__ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE(
    std::thread* thread, ThreadState state, void (*depend)());
void __wrap__ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE(
    std::thread* thread, ThreadState state, void (*depend)()) {
  if (leat::testing::Fails("a thread", EAGAIN)) {
    throw std::system_error(EAGAIN, std::generic_category());
  }
  __real__ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE(
      thread, std::move(state), depend);
}

}  // extern "C"
