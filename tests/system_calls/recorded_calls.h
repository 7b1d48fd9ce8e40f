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
  std::string path = {};   // of the file or the folder
  std::string to = {};     // the new path, for kRename
  std::string bytes = {};  // that were written, for kWrite
};

// Records the calls of all threads while it exists. Only one object may exist
// at a time. The object is used by one thread.
class RecordedCalls {
 public:
  RecordedCalls();
  ~RecordedCalls();
  RecordedCalls(const RecordedCalls&) = delete;
  RecordedCalls& operator=(const RecordedCalls&) = delete;

  // Returns the calls so far.
  std::vector<FileCall> calls() const;
};

// From now on, syncing succeeds and does nothing, because it takes long. A
// process that ends loses nothing of what it wrote.
void SkipSyncs();

// Calls SkipSyncs. SIGKILL ends this process at the `n`-th of these calls from
// now on, before the call is made, but after half of a write.
void KillAt(int64_t n);

// These functions are for failing_calls.cc. BeginFileCall counts a call before
// it is made, and returns true if the process must end in it, which the caller
// does with EndProcess. EndFileCall records a call that has succeeded.
bool BeginFileCall();
[[noreturn]] void EndProcess();
void EndFileCall(const FileCall& call);
bool SyncsAreSkipped();

// Return the path of an open file, and of a name in an open folder.
std::string PathOf(int file);
std::string PathIn(int folder, const char* name);

}  // namespace leat::testing

#endif  // LEAT_TESTS_SYSTEM_CALLS_RECORDED_CALLS_H_
