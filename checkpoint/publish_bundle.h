// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// PublishBundle makes a complete checkpoint visible in one step. If there is an
// older checkpoint with the same prefix, replaces it. Stateless, thread-safe.
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

// Makes the checkpoint `prefix`, which has `num_shards` data files and an index
// with `entries`. The bytes of the data files must be on the disk. `move_data`
// must give the data files the names DataPath(prefix, i, total), for i <
// num_shards.
//
// The index gets its name last. After that, the checkpoint is on the disk, and
// the data files of the older checkpoint are removed. Until then the older
// checkpoint stays complete, because its data files have other names: `total`
// is a part of each name, and differs from the number of the old files. If
// there are num_shards old files, `total` is num_shards + 1, and the last new
// file is empty.
//
// REQUIRES: the caller holds files.renaming(), so that calls in this process
// run one after another, and no other process publishes this prefix at the same
// time.
absl::Status PublishBundle(const FileAccess& files, const std::string& prefix,
                           const BundleEntries& entries, int num_shards,
                           absl::FunctionRef<absl::Status(int total)> move_data,
                           BundleOptions options = {})
    ABSL_EXCLUSIVE_LOCKS_REQUIRED(files.renaming());

}  // namespace leat

#endif  // LEAT_CHECKPOINT_PUBLISH_BUNDLE_H_
