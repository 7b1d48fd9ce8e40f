// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// LossyFolder is a model of a folder on a machine that may lose power. After a
// power failure, the folder has everything that was synced. Of the rest, it has
// any part that POSIX permits.
//
//   LossyFolder folder;
//   for (const FileCall& call : recorded.calls()) {
//     folder.Apply(call);
//     folder.ForEachState([](const LossyFolder::Files& files) { ... });
//   }
#ifndef LEAT_TESTS_SYSTEM_CALLS_LOSSY_FOLDER_H_
#define LEAT_TESTS_SYSTEM_CALLS_LOSSY_FOLDER_H_

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "leat/tests/system_calls/recorded_calls.h"

namespace leat::testing {

// Simulates one folder. It is not thread-safe.
class LossyFolder {
 public:
  // Maps the name of each file to its content.
  using Files = std::map<std::string, std::string>;

  // `path` is the path of the folder. The folder has no files yet.
  explicit LossyFolder(std::string path) : path_(std::move(path)) {}

  // Applies a file call to the simulated folder. Ignores calls for other
  // folders.
  void Apply(const FileCall& call);

  // Calls `visit` with each state that the folder can have if the power fails
  // now. Any of the creations, renames and removals of files since the last
  // sync of the folder may be lost. The bytes of a file that were not synced
  // may be lost entirely or in part, or may be zeros. Skips states that were
  // visited before, unless Forget was called since.
  void ForEachState(absl::FunctionRef<void(const Files&)> visit);
  // Forgets which states were visited.
  void Forget() { seen_.clear(); }

 private:
  struct File {
    std::string synced;   // the bytes that were synced
    std::string written;  // all bytes, including those of `synced`
  };
  using Names = std::map<std::string, std::shared_ptr<File>>;
  // Describes a change of file names that is not synced yet.
  struct Change {
    std::string removed;
    std::string added;
    std::shared_ptr<File> file;  // the file with the name `added`
  };

  static void Make(const Change& change, Names& names);
  void Add(const Change& change);
  // Returns the name of the file at `path`, or "" if it is not in the folder.
  std::string NameOf(const std::string& path) const;
  // Calls `visit` with each combination of contents of the files from `next` to
  // `end`. `files` has the contents of the files before `next`.
  void ForEachContent(Names::const_iterator next, Names::const_iterator end,
                      Files& files,
                      absl::FunctionRef<void(const Files&)> visit);

  const std::string path_;
  Names names_;                  // the current names
  Names synced_names_;           // the names at the last sync
  std::vector<Change> changes_;  // turn synced_names_ into names_
  std::set<Files> seen_;
};

}  // namespace leat::testing

#endif  // LEAT_TESTS_SYSTEM_CALLS_LOSSY_FOLDER_H_
