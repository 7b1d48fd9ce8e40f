// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// PublishBundle makes a checkpoint visible at once, whether its prefix is new
// or that of an older checkpoint. Stateless, thread-safe.
#ifndef LEAT_CHECKPOINT_PUBLISH_BUNDLE_H_
#define LEAT_CHECKPOINT_PUBLISH_BUNDLE_H_

#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "leat/checkpoint/bundle_index.h"
#include "leat/checkpoint/bundle_options.h"
#include "leat/core/files/file_access.h"

namespace leat {

// Makes the checkpoint `prefix` of `num_shards` data files and an index with
// `entries`. `move_data` gives the data files, whose bytes are on the disk, the
// names DataPath(prefix, i, total) for i < num_shards.
//
// The index gets its name last, after which the checkpoint is on the disk. If
// there was one of this prefix, it is whole until then, because `total` differs
// from the number of its files, and so do the names of all files: if necessary,
// `total` is num_shards + 1, and the last file is empty. Then the data files of
// the old checkpoint are removed.
//
// REQUIRES: the caller holds files.renaming(), so that of several calls at a
// time the last one replaces the others, and no other process publishes this
// prefix meanwhile.
absl::Status PublishBundle(const FileAccess& files, const std::string& prefix,
                           const BundleEntries& entries, int num_shards,
                           absl::FunctionRef<absl::Status(int total)> move_data,
                           BundleOptions options = {})
    ABSL_EXCLUSIVE_LOCKS_REQUIRED(files.renaming());

}  // namespace leat

#endif  // LEAT_CHECKPOINT_PUBLISH_BUNDLE_H_
