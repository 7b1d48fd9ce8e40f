// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/checkpoint/publish_bundle.h"

#include "absl/strings/str_cat.h"
#include "leat/checkpoint/bundle_paths.h"
#include "leat/checkpoint/bundle_reader.h"
#include "leat/core/files/replacement_file.h"
#include "leat/core/status_macros.h"

namespace leat {
namespace {

// Returns how many data files the checkpoint `prefix` has. Returns 0 if there
// is no such checkpoint, or if its index is damaged, because then nothing can
// be lost.
absl::StatusOr<int> NumShards(const FileAccess& files,
                              const std::string& prefix,
                              BundleOptions options) {
  const auto reader = BundleReader::Open(files, prefix, options);
  if (reader.ok()) return (*reader)->num_shards();
  if (absl::IsNotFound(reader.status()) || absl::IsDataLoss(reader.status())) {
    return 0;
  }
  return reader.status();
}

absl::Status MakeEmptyFile(const FileAccess& files, const std::string& path) {
  LEAT_ASSIGN_OR_RETURN(ReplacementFile file,
                        ReplacementFile::Create(files, path));
  return file.Commit();
}

}  // namespace

absl::Status PublishBundle(const FileAccess& files, const std::string& prefix,
                           const BundleEntries& entries, int num_shards,
                           absl::FunctionRef<absl::Status(int total)> move_data,
                           BundleOptions options) {
  const std::string path = IndexPath(prefix);
  LEAT_ASSIGN_OR_RETURN(const int num_old, NumShards(files, prefix, options));
  const int total = num_shards == num_old ? num_shards + 1 : num_shards;
  if (total > kMaxShards) {
    return absl::InvalidArgumentError(
        absl::StrCat("the checkpoint '", prefix, "' would have ", total,
                     " files, but may have at most ", kMaxShards));
  }
  LEAT_ASSIGN_OR_RETURN(const std::string bytes, MakeIndex(entries, total));
  LEAT_ASSIGN_OR_RETURN(ReplacementFile index,
                        ReplacementFile::Create(files, path));
  LEAT_RETURN_IF_ERROR(index.Append(bytes));
  LEAT_RETURN_IF_ERROR(index.Sync());
  if (total > num_shards) {
    LEAT_RETURN_IF_ERROR(
        MakeEmptyFile(files, DataPath(prefix, num_shards, total)));
  }
  LEAT_RETURN_IF_ERROR(move_data(total));
  // The name of the index must not reach the disk before the names of the data
  // files.
  LEAT_RETURN_IF_ERROR(files.SyncFolderOf(path));
  LEAT_RETURN_IF_ERROR(index.Rename());
  LEAT_RETURN_IF_ERROR(files.SyncFolderOf(path));
  // The checkpoint is complete, so it is no error if an old file stays.
  for (int shard = 0; shard < num_old; ++shard) {
    files.RemoveFile(DataPath(prefix, shard, num_old)).IgnoreError();
  }
  return absl::OkStatus();
}

}  // namespace leat
