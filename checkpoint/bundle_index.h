// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions read and write what the index of a checkpoint consists of: a
// header, and entries of tensors and of parts of tensors. Stateless,
// thread-safe.
#ifndef LEAT_CHECKPOINT_BUNDLE_INDEX_H_
#define LEAT_CHECKPOINT_BUNDLE_INDEX_H_

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "leat/protos/tensor_bundle.pb.h"

namespace leat {

// The entries by key. The key of a tensor is its name, that of a part SliceKey
// (slice_key.h).
using BundleEntries = std::map<std::string, pb::BundleEntryProto>;

// The version of the format, which is in the header of each index. TensorFlow
// has written no other one since 2016.
inline constexpr int kBundleVersion = 1;

// The most files with bytes of tensors that a checkpoint may have.
inline constexpr int kMaxShards = 1 << 20;

// Returns the content of the index of a checkpoint with these entries and this
// number of files with tensors.
absl::StatusOr<std::string> MakeIndex(const BundleEntries& entries,
                                      int num_shards);

}  // namespace leat

#endif  // LEAT_CHECKPOINT_BUNDLE_INDEX_H_
