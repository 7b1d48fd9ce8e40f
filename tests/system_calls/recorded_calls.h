// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// RecordedCalls records the system calls of Leat's own code that change files,
// and KillAt ends the process in one of them. The linker replaces these calls
// (failing_calls.cc).
#ifndef LEAT_TESTS_SYSTEM_CALLS_RECORDED_CALLS_H_
#define LEAT_TESTS_SYSTEM_CALLS_RECORDED_CALLS_H_

#include <cstdint>
#include <string>
#include <vector>

namespace leat::testing {

// Describes a call that has succeeded.
struct FileCall {
  enum Kind { kCreate, kWrite, kSync, kRename, kRemove, kMakeFolder };
  Kind kind;
  std::string path = {};   // the path of the file or the folder
  std::string to = {};     // the new path, for kRename only
  std::string bytes = {};  // the written bytes, for kWrite only
};

// Records the file calls of all threads, from its construction to its
// destruction. Only one object may exist at a time. The object is used by one
// thread.
class RecordedCalls {
 public:
  RecordedCalls();
  ~RecordedCalls();
  RecordedCalls(const RecordedCalls&) = delete;
  RecordedCalls& operator=(const RecordedCalls&) = delete;

  // Returns the calls so far.
  std::vector<FileCall> calls() const;
};

// From now on, calls that sync a file do nothing and succeed, because syncing
// takes long. If only the process ends, no written data is lost.
void SkipSyncs();

// Calls SkipSyncs. From now on, counts the calls that FileCall describes, and
// kills this process with SIGKILL at call number `n`. This call is not made. If
// it is a write, half of its bytes are written.
void KillAt(int64_t n);

// Only failing_calls.cc calls these functions. BeginFileCall counts a call that
// is about to be made. If it returns true, the caller must call EndProcess
// instead of making the call. EndFileCall records a call that has succeeded.
bool BeginFileCall();
[[noreturn]] void EndProcess();
void EndFileCall(const FileCall& call);
bool SyncsAreSkipped();

// PathOf returns the path of an open file. PathIn returns the path of the file
// `name` in an open folder.
std::string PathOf(int file);
std::string PathIn(int folder, const char* name);

}  // namespace leat::testing

#endif  // LEAT_TESTS_SYSTEM_CALLS_RECORDED_CALLS_H_
