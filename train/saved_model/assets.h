// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// AssetsOf and BindAssets handle the assets of a SavedModel. Assets are files
// that the graph reads, such as vocabularies. The functions are stateless and
// thread-safe.
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

// Describes an asset: a file, and the tensor of the graph whose value is the
// path of the file.
struct Asset {
  std::string tensor = {};
  std::string file = {};  // below the folder of assets
};

// Returns the assets of a graph, from the field asset_file_def or, if that is
// empty, from the collection saved_model_assets. Returns INVALID_ARGUMENT,
// quoting the name, if a file does not lie below the folder of assets, for
// example because its name is absolute or has a part "..".
absl::StatusOr<std::vector<Asset>> AssetsOf(const pb::MetaGraphDef& meta);

// Replaces the tensor of each asset by a constant: the path of its file below
// `folder`. Returns INVALID_ARGUMENT if a tensor is not a string or not the
// only output of its node, and NOT_FOUND if it is not in the graph.
absl::Status BindAssets(const std::vector<Asset>& assets,
                        absl::string_view folder, Graph& graph);

}  // namespace leat

#endif  // LEAT_TRAIN_SAVED_MODEL_ASSETS_H_
