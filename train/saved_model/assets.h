// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Finds the assets of a SavedModel: files, such as vocabularies, that its graph
// reads. Stateless, thread-safe.
#ifndef LEAT_TRAIN_SAVED_MODEL_ASSETS_H_
#define LEAT_TRAIN_SAVED_MODEL_ASSETS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/graph/graph.h"

namespace leat::pb {
class MetaGraphDef;
}  // namespace leat::pb

namespace leat {

// A file, and the tensor of the graph that has its path.
struct Asset {
  std::string tensor = {};
  std::string file = {};  // below the folder of assets
};

// Returns the assets of a graph, from where TensorFlow has them: in
// asset_file_def, or in the collection saved_model_assets. Returns
// INVALID_ARGUMENT, quoting the name, if a file does not lie below the folder
// of assets: its name is absolute or has a part "..".
absl::StatusOr<std::vector<Asset>> AssetsOf(const pb::MetaGraphDef& meta);

// Makes each tensor of `assets` a constant, the path of the file below
// `folder`. Returns INVALID_ARGUMENT if a tensor is not the only output of its
// node or no string, and NOT_FOUND if it is not in the graph.
absl::Status BindAssets(const std::vector<Asset>& assets,
                        absl::string_view folder, Graph& graph);

}  // namespace leat

#endif  // LEAT_TRAIN_SAVED_MODEL_ASSETS_H_
