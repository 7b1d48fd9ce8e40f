// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/checkpoint/merge_bundles.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/checkpoint/bundle_paths.h"
#include "leat/checkpoint/bundle_reader.h"
#include "leat/checkpoint/index_memory.h"
#include "leat/checkpoint/publish_bundle.h"
#include "leat/core/held_bytes.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/mutex.h"

namespace leat {
namespace {

// Estimates the memory of a node of a std::map, in bytes, without the memory
// that the node's key and value own.
constexpr int64_t kBytesOfNode = 64;

// Adds the parts of `more` to those of `entry`. Returns false if one of the two
// is a whole tensor, or if they differ in dtype or shape.
bool AddParts(const pb::BundleEntryProto& more, pb::BundleEntryProto& entry) {
  if (more.slices().empty() || entry.slices().empty() ||
      more.dtype() != entry.dtype() ||
      more.shape().SerializeAsString() != entry.shape().SerializeAsString()) {
    return false;
  }
  entry.mutable_slices()->MergeFrom(more.slices());
  return true;
}

// Adds the entries of the checkpoint that `reader` reads to `entries`. Adds
// `first_shard` to the numbers of its data files. Counts the memory of the
// entries in `memory`.
absl::Status AddEntries(const BundleReader& reader, int first_shard,
                        BundleEntries& entries, IndexMemory& memory) {
  for (const absl::string_view key : reader.Keys()) {
    LEAT_ASSIGN_OR_RETURN(pb::BundleEntryProto proto, reader.FindEntry(key));
    LEAT_RETURN_IF_ERROR(
        memory.Count(kBytesOfNode + HeldBytesOfText(key.size()) +
                     static_cast<int64_t>(proto.SpaceUsedLong())));
    if (proto.slices().empty()) {
      proto.set_shard_id(first_shard + proto.shard_id());
    }
    const auto [it, is_new] = entries.try_emplace(std::string(key), proto);
    if (!is_new && !AddParts(proto, it->second)) {
      return absl::InvalidArgumentError(
          absl::StrCat("Duplicate tensor keyed by ", key,
                       " encountered, when merging prefix: ", reader.prefix()));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status MergeBundles(const FileAccess& files,
                          absl::Span<const std::string> prefixes,
                          const std::string& merged, bool allow_missing,
                          BundleOptions options) {
  IndexMemory memory(*options.allocator);
  // The lock keeps other saves from replacing the checkpoints while they are
  // merged.
  MutexLock lock(files.renaming());
  if (options.cancellation != nullptr) {
    LEAT_RETURN_IF_ERROR(options.cancellation->status());
  }
  BundleEntries entries;
  std::vector<std::string> data;     // the paths of the data files, by number
  std::vector<std::string> indexes;  // the paths of the indexes
  for (const std::string& prefix : prefixes) {
    const auto reader = BundleReader::Open(files, prefix, options);
    if (absl::IsNotFound(reader.status())) {
      if (allow_missing) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("allow_missing_files was set to false and ", prefix,
                       " did not exist: ", reader.status().message()));
    }
    LEAT_RETURN_IF_ERROR(reader.status());
    LEAT_RETURN_IF_ERROR(
        AddEntries(**reader, static_cast<int>(data.size()), entries, memory));
    const int num_shards = (*reader)->num_shards();
    if (num_shards > kMaxShards - static_cast<int>(data.size())) {
      return absl::InvalidArgumentError(absl::StrCat(
          "the checkpoints have more than ", kMaxShards, " files together"));
    }
    for (int shard = 0; shard < num_shards; ++shard) {
      data.push_back(DataPath(prefix, shard, num_shards));
      // Nothing is moved before it is certain that all files are there.
      LEAT_RETURN_IF_ERROR(files.OpenToRead(data.back()).status());
    }
    indexes.push_back(IndexPath(prefix));
  }
  if (indexes.empty()) {
    return absl::InvalidArgumentError(
        "At least one prefix checkpoint file must exist, but none existed.");
  }
  LEAT_RETURN_IF_ERROR(MakeFolderOf(files, merged));
  const auto num_shards = static_cast<int>(data.size());
  const auto move_data = [&](int total) {
    for (int i = 0; i < num_shards; ++i) {
      LEAT_RETURN_IF_ERROR(files.Rename(data[i], DataPath(merged, i, total)));
    }
    return absl::OkStatus();
  };
  LEAT_RETURN_IF_ERROR(
      PublishBundle(files, merged, entries, num_shards, move_data, options));
  // The merged checkpoint is complete, so it is no error if an old index stays.
  for (const std::string& path : indexes) {
    const absl::StatusOr<bool> is_merged =
        files.AreSame(path, IndexPath(merged));
    if (is_merged.ok() && !*is_merged) files.RemoveFile(path).IgnoreError();
  }
  return absl::OkStatus();
}

}  // namespace leat
