// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// MergeBundles merges the checkpoints that the tasks of a cluster have written,
// each for its own variables, into one checkpoint. It implements TensorFlow's
// op MergeV2Checkpoints. Stateless, thread-safe.
#ifndef LEAT_CHECKPOINT_MERGE_BUNDLES_H_
#define LEAT_CHECKPOINT_MERGE_BUNDLES_H_

#include <string>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "leat/checkpoint/bundle_options.h"
#include "leat/core/files/file_access.h"

namespace leat {

// Moves the data files of the checkpoints `prefixes` to the checkpoint
// `merged`, in this order, and writes one index for all. Then removes the old
// indexes. A tensor may be in several checkpoints if each has different parts
// of it. Copies no bytes of tensors. If `allow_missing` is true, checkpoints
// that do not exist are left out.
//
// A checkpoint `merged` that exists already stays complete until the new one is
// on the disk (PublishBundle). The checkpoints `prefixes` may be lost in a
// crash, because their data files move one by one. Other saves and merges with
// the same `files` wait until this one is done (FileAccess::renaming).
//
// Returns INVALID_ARGUMENT, with TensorFlow's words, if a checkpoint does not
// exist or a tensor is in two of them. In these cases no file was changed. Also
// returns the errors of BundleReader::Open and of files.
absl::Status MergeBundles(const FileAccess& files,
                          absl::Span<const std::string> prefixes,
                          const std::string& merged, bool allow_missing = false,
                          BundleOptions options = {});

}  // namespace leat

#endif  // LEAT_CHECKPOINT_MERGE_BUNDLES_H_
