// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// MakeIndex makes the index of a checkpoint. An index has a header, and entries
// of tensors and of parts of tensors. Stateless, thread-safe.
#ifndef LEAT_CHECKPOINT_BUNDLE_INDEX_H_
#define LEAT_CHECKPOINT_BUNDLE_INDEX_H_

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "leat/protos/tensor_bundle.pb.h"

namespace leat {

// Maps keys to entries. The key of a tensor is its name. The key of a part of a
// tensor is its SliceKey (slice_key.h).
using BundleEntries = std::map<std::string, pb::BundleEntryProto>;

// Is the version of the format, which is in the header of each index.
// TensorFlow has written no other version since 2016.
inline constexpr int kBundleVersion = 1;

// Limits the number of data files of a checkpoint.
inline constexpr int kMaxShards = 1 << 20;

// Returns the content of the index of a checkpoint with these entries and
// `num_shards` data files.
absl::StatusOr<std::string> MakeIndex(const BundleEntries& entries,
                                      int num_shards);

}  // namespace leat

#endif  // LEAT_CHECKPOINT_BUNDLE_INDEX_H_
