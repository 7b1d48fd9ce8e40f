// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/checkpoint/merge_bundles.h"

#include <map>
#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/checkpoint/bundle_paths.h"
#include "leat/checkpoint/bundle_reader.h"
#include "leat/checkpoint/bundle_writer.h"
#include "leat/core/files/replacement_file.h"
#include "leat/core/quoted_text.h"
#include "leat/core/status_macros.h"

namespace leat {
namespace {

// The data files of all checkpoints that are merged.
constexpr int kMaxFiles = 1 << 20;

using Entries = std::map<std::string, pb::BundleEntryProto>;

// Adds the parts that `more` has to those of `entry`. Returns false if both are
// whole tensors or contradict each other.
bool AddParts(const pb::BundleEntryProto& more, pb::BundleEntryProto& entry) {
  if (more.slices().empty() || entry.slices().empty() ||
      more.dtype() != entry.dtype() ||
      more.shape().SerializeAsString() != entry.shape().SerializeAsString()) {
    return false;
  }
  entry.mutable_slices()->MergeFrom(more.slices());
  return true;
}

// Adds the entries of a checkpoint whose data files get the numbers from
// `first_shard` on.
absl::Status AddEntries(const BundleReader& reader, int first_shard,
                        Entries& entries) {
  for (const auto& [key, value] : reader.entries()) {
    pb::BundleEntryProto proto;
    if (!proto.ParseFromString(value)) {
      return absl::DataLossError(absl::StrCat("checkpoint '", reader.prefix(),
                                              "', tensor ", QuotedText(key),
                                              ": the entry cannot be parsed"));
    }
    if (proto.slices().empty()) {
      if (proto.shard_id() < 0 || proto.shard_id() >= reader.num_shards()) {
        return absl::DataLossError(
            absl::StrCat("file '", IndexPath(reader.prefix()), "', tensor ",
                         QuotedText(key), ": it is in file number ",
                         proto.shard_id(), " of ", reader.num_shards()));
      }
      proto.set_shard_id(first_shard + proto.shard_id());
    }
    const auto [it, is_new] = entries.try_emplace(key, proto);
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
                          const std::string& merged, bool allow_missing) {
  Entries entries;
  std::vector<std::string> data;     // the paths of the data files, by number
  std::vector<std::string> indexes;  // the paths of the indexes
  for (const std::string& prefix : prefixes) {
    const auto reader = BundleReader::Open(files, prefix);
    if (absl::IsNotFound(reader.status())) {
      if (allow_missing) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("allow_missing_files was set to false and ", prefix,
                       " did not exist: ", reader.status().message()));
    }
    LEAT_RETURN_IF_ERROR(reader.status());
    LEAT_RETURN_IF_ERROR(
        AddEntries(**reader, static_cast<int>(data.size()), entries));
    const int num_shards = (*reader)->num_shards();
    if (num_shards > kMaxFiles - static_cast<int>(data.size())) {
      return absl::InvalidArgumentError(absl::StrCat(
          "the checkpoints have more than ", kMaxFiles, " files together"));
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
  const auto total = static_cast<int>(data.size());
  const std::string target = IndexPath(merged);
  LEAT_ASSIGN_OR_RETURN(const std::string bytes, MakeIndex(entries, total));
  LEAT_RETURN_IF_ERROR(MakeFolderOf(files, merged));
  LEAT_ASSIGN_OR_RETURN(ReplacementFile index,
                        ReplacementFile::Create(files, target));
  LEAT_RETURN_IF_ERROR(index.Append(bytes));
  LEAT_RETURN_IF_ERROR(index.Sync());
  for (int i = 0; i < total; ++i) {
    LEAT_RETURN_IF_ERROR(files.Rename(data[i], DataPath(merged, i, total)));
  }
  LEAT_RETURN_IF_ERROR(files.SyncFolderOf(target));
  LEAT_RETURN_IF_ERROR(index.Rename());
  LEAT_RETURN_IF_ERROR(files.SyncFolderOf(target));
  // The merged checkpoint is complete, so it is no error if an old index stays.
  for (const std::string& path : indexes) {
    LEAT_ASSIGN_OR_RETURN(const bool is_merged, files.AreSame(path, target));
    if (!is_merged) files.RemoveFile(path).IgnoreError();
  }
  return absl::OkStatus();
}

}  // namespace leat
