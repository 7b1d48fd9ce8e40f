// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/train/saved_model/assets.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "leat/core/quoted_text.h"
#include "leat/core/status_macros.h"
#include "leat/core/tensor.h"
#include "leat/protos/meta_graph.pb.h"
#include "leat/train/replace_handles.h"

namespace leat {
namespace {

// Older programs store the messages of assets in this collection.
constexpr char kCollection[] = "saved_model_assets";
constexpr char kAnyType[] = "/tensorflow.AssetFileDef";

absl::Status CheckFile(const std::string& file) {
  const bool leads_out =
      absl::c_any_of(absl::StrSplit(file, '/'), [](absl::string_view part) {
        return part.empty() || part == "." || part == "..";
      });
  if (!leads_out && !absl::StrContains(file, '\0')) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "asset ", QuotedText(file), " is not a file below the folder of assets"));
}

absl::StatusOr<Asset> DecodeAsset(const pb::AssetFileDef& def) {
  LEAT_RETURN_IF_ERROR(CheckFile(def.filename()));
  return Asset{.tensor = def.tensor_info().name(), .file = def.filename()};
}

}  // namespace

absl::StatusOr<std::vector<Asset>> AssetsOf(const pb::MetaGraphDef& meta) {
  std::vector<Asset> assets;
  for (const pb::AssetFileDef& def : meta.asset_file_def()) {
    LEAT_ASSIGN_OR_RETURN(assets.emplace_back(), DecodeAsset(def));
  }
  const auto found = meta.collection_def().find(kCollection);
  if (!assets.empty() || found == meta.collection_def().end()) return assets;
  for (const auto& any : found->second.any_list().value()) {
    pb::AssetFileDef def;
    if (!absl::EndsWith(any.type_url(), kAnyType) ||
        !def.ParseFromString(any.value())) {
      return absl::InvalidArgumentError(absl::StrCat(
          "the collection ", kCollection, " has a value that is no asset"));
    }
    LEAT_ASSIGN_OR_RETURN(assets.emplace_back(), DecodeAsset(def));
  }
  return assets;
}

absl::Status BindAssets(const std::vector<Asset>& assets,
                        absl::string_view folder, Graph& graph) {
  for (const Asset& asset : assets) {
    LEAT_ASSIGN_OR_RETURN(const TensorId id, TensorId::Parse(asset.tensor));
    const NodeId node = graph.Find(id.node);
    if (node == kNoNode) {
      return absl::NotFoundError(
          absl::StrCat("the tensor ", QuotedText(asset.tensor), " of asset ",
                       QuotedText(asset.file), " is not in the graph"));
    }
    if (id.index != 0 || graph.node(node).num_outputs() != 1 ||
        graph.node(node).output_type(0) != DType::kString) {
      return absl::InvalidArgumentError(absl::StrCat(
          "the tensor ", QuotedText(asset.tensor), " of asset ",
          QuotedText(asset.file), " cannot have the path of a file"));
    }
    LEAT_RETURN_IF_ERROR(ReplaceByConst(
        node,
        Tensor::Scalar<std::string>(absl::StrCat(folder, "/", asset.file)),
        graph));
  }
  return absl::OkStatus();
}

}  // namespace leat
