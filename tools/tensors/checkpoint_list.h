// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ListTensors lists the tensors of a checkpoint. ListFolder lists the
// checkpoints in a folder. Both return JSON. The functions are stateless and
// thread-safe.
#ifndef LEAT_TOOLS_TENSORS_CHECKPOINT_LIST_H_
#define LEAT_TOOLS_TENSORS_CHECKPOINT_LIST_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "leat/checkpoint/bundle_reader.h"
#include "leat/core/files/file_access.h"
#include "nlohmann/json.hpp"

namespace leat {

// Returns how many bytes the tensor of the entry takes in the files.
absl::StatusOr<int64_t> BytesInFiles(const BundleReader& reader,
                                     const std::string& name,
                                     const BundleEntry& entry);

// Returns the tensors of a checkpoint. "parts" is the number of parts in which
// a tensor is saved, or 0 if it is saved as a whole:
//
//   {"prefix", "files", "tensors": [{"name", "dtype", "shape", "bytes",
//                                    "parts"}]}
absl::StatusOr<nlohmann::ordered_json> ListTensors(const BundleReader& reader);

// Returns the checkpoints in a folder. If the folder has a file `checkpoint`,
// these are the checkpoints that the file names. Otherwise they are the
// checkpoints that have an index. "error" is "" if the index could be read:
//
//   [{"prefix", "latest", "tensors", "bytes", "error"}]
absl::StatusOr<nlohmann::ordered_json> ListFolder(const FileAccess& files,
                                                  const std::string& folder);

}  // namespace leat

#endif  // LEAT_TOOLS_TENSORS_CHECKPOINT_LIST_H_
