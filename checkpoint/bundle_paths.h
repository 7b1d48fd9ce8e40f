// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions make the paths of the files of a checkpoint. Users call the
// prefix of a checkpoint its name, such as "/models/mnist/model.ckpt-1000".
// Stateless, thread-safe.
#ifndef LEAT_CHECKPOINT_BUNDLE_PATHS_H_
#define LEAT_CHECKPOINT_BUNDLE_PATHS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "leat/core/files/file_access.h"

namespace leat {

// Returns the path of the index.
inline std::string IndexPath(absl::string_view prefix) {
  return absl::StrCat(prefix, ".index");
}

// Returns the path of the file with the graph (MetaGraphDef), which the client
// writes.
inline std::string MetaPath(absl::string_view prefix) {
  return absl::StrCat(prefix, ".meta");
}

// Returns the path of data file number `shard` of `num_shards`. The data files
// have the bytes of the tensors.
inline std::string DataPath(absl::string_view prefix, int shard,
                            int num_shards) {
  return absl::StrFormat("%s.data-%05d-of-%05d", prefix, shard, num_shards);
}

// Returns the path of the folder that contains the files of the checkpoint,
// without a slash at its end. Returns "" for the working directory.
inline std::string FolderOf(const std::string& prefix) {
  size_t slash = prefix.rfind('/');
  if (slash == std::string::npos) return "";
  while (slash > 0 && prefix[slash - 1] == '/') --slash;
  return slash == 0 ? "/" : prefix.substr(0, slash);
}

// Returns the path of `name` in a folder; "" is the working directory.
inline std::string PathIn(const std::string& folder, absl::string_view name) {
  if (folder.empty()) return std::string(name);
  return absl::StrCat(absl::StripSuffix(folder, "/"), "/", name);
}

// Returns the prefix without its folder. The names of the checkpoint's files
// begin with it.
inline std::string BaseOf(const std::string& prefix) {
  return prefix.substr(prefix.rfind('/') + 1);
}

// Makes the folder in which the files of the checkpoint are, if there is none.
inline absl::Status MakeFolderOf(const FileAccess& files,
                                 const std::string& prefix) {
  const std::string folder = FolderOf(prefix);
  return folder.empty() ? absl::OkStatus() : files.MakeFolders(folder);
}

}  // namespace leat

#endif  // LEAT_CHECKPOINT_BUNDLE_PATHS_H_
