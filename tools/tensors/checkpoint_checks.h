// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// VerifyCheckpoint says whether a checkpoint is whole. DiffCheckpoints says how
// two checkpoints differ. Both return JSON. The functions are stateless and
// thread-safe.
#ifndef LEAT_TOOLS_TENSORS_CHECKPOINT_CHECKS_H_
#define LEAT_TOOLS_TENSORS_CHECKPOINT_CHECKS_H_

#include <string>

#include "absl/status/statusor.h"
#include "leat/core/files/file_access.h"
#include "nlohmann/json.hpp"

namespace leat {

// Reads all bytes of a checkpoint, piece by piece, and compares them with their
// checksums. Each of the "errors" names the damaged file, and the damaged
// tensor if there is one:
//
//   {"prefix", "tensors", "bytes", "errors": []}
nlohmann::ordered_json VerifyCheckpoint(const FileAccess& files,
                                        const std::string& prefix);

// Returns the tensors that differ. A tensor differs if only one checkpoint has
// it, or if its type, shape or values (Compare) differ. "greatest" is the
// greatest difference, if there is one:
//
//   [{"name", "only_in"}, {"name", "dtypes", "shapes"},
//    {"name", "different", "elements", "greatest"}]
//
// Fails as BundleReader does.
absl::StatusOr<nlohmann::ordered_json> DiffCheckpoints(const FileAccess& files,
                                                       const std::string& a,
                                                       const std::string& b);

}  // namespace leat

#endif  // LEAT_TOOLS_TENSORS_CHECKPOINT_CHECKS_H_
