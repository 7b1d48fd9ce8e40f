// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// LossyFolder is a model of a folder on a disk whose machine loses its power.
// It keeps what was synced. Of the rest it keeps anything that POSIX permits to
// be kept.
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

// Is not thread-safe.
class LossyFolder {
 public:
  // Holds the contents of files by name.
  using Files = std::map<std::string, std::string>;

  // `path` is the path of the folder, which has no files yet.
  explicit LossyFolder(std::string path) : path_(std::move(path)) {}

  // Does what the call did. Calls outside of the folder do nothing.
  void Apply(const FileCall& call);

  // Calls `visit` with each state in which the folder may be after its machine
  // has lost its power now. There were only these losses: any of the names that
  // were given, changed and removed since the folder was synced; and of each
  // file all bytes that were not synced, or some pages, or they are zeros.
  // Skips states that an earlier call had after the same number of Forget.
  void ForEachState(absl::FunctionRef<void(const Files&)> visit);
  // Forgets which states there were.
  void Forget() { seen_.clear(); }

 private:
  struct File {
    std::string synced;   // the bytes that are certain
    std::string written;  // all bytes
  };
  using Names = std::map<std::string, std::shared_ptr<File>>;
  // Describes a change of names that is not certain.
  struct Change {
    std::string removed;
    std::string added;
    std::shared_ptr<File> file;  // that `added` leads to
  };

  static void Make(const Change& change, Names& names);
  void Add(const Change& change);
  // Returns the name of a path in the folder, or "".
  std::string NameOf(const std::string& path) const;
  // Calls `visit` with each state of the contents of these files.
  void ForEachContent(Names::const_iterator next, Names::const_iterator end,
                      Files& files,
                      absl::FunctionRef<void(const Files&)> visit);

  const std::string path_;
  Names names_;                  // now
  Names synced_names_;           // those that are certain
  std::vector<Change> changes_;  // from `synced_names_` to `names_`
  std::set<Files> seen_;
};

}  // namespace leat::testing

#endif  // LEAT_TESTS_SYSTEM_CALLS_LOSSY_FOLDER_H_
