// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/show_model.h"

#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "leat/core/escaped_text.h"
#include "leat/core/status_macros.h"
#include "leat/protos/saved_model.pb.h"
#include "leat/tools/dumps/table.h"
#include "leat/train/saved_model/meta_graphs.h"
#include "nlohmann/json.hpp"

namespace leat {
namespace {

using Json = nlohmann::ordered_json;
using Tensors = std::map<std::string, SignatureTensor>;

// This text replaces the name of a sparse or composite tensor.
constexpr char kSeveral[] = "(several tensors)";

std::string TypeText(const SignatureTensor& tensor) {
  return tensor.dtype == DType::kInvalid
             ? "?"
             : absl::StrCat(Name(tensor.dtype), tensor.shape.DebugString());
}

void AddRows(const Tensors& tensors, const char* what,
             std::vector<std::vector<Cell>>& rows) {
  for (const auto& [key, tensor] : tensors) {
    rows.push_back({Cell(what, Style::kFaint), Cell(key, Style::kName),
                    Cell(TypeText(tensor)),
                    Cell(tensor.tensor.empty() ? kSeveral : tensor.tensor,
                         Style::kFaint)});
  }
}

Json TensorsJson(const Tensors& tensors) {
  Json json = Json::object();
  for (const auto& [key, tensor] : tensors) {
    json[key] = {{"tensor", tensor.tensor},
                 {"dtype", Name(tensor.dtype)},
                 {"shape", tensor.shape.DebugString()}};
  }
  return json;
}

}  // namespace

absl::StatusOr<std::vector<ShownGraph>> ReadShownGraphs(
    const std::string& folder) {
  pb::SavedModel message;
  LEAT_RETURN_IF_ERROR(ReadSavedModel(folder, message));
  const std::vector<std::set<std::string>> tags = TagSets(message);
  std::vector<ShownGraph> graphs;
  for (size_t i = 0; i < tags.size(); ++i) {
    LEAT_ASSIGN_OR_RETURN(
        Signatures signatures,
        SignaturesOf(message.meta_graphs(static_cast<int>(i))));
    graphs.push_back({.tags = tags[i], .signatures = std::move(signatures)});
  }
  return graphs;
}

std::string ShowModelText(absl::Span<const ShownGraph> graphs, bool color) {
  std::string text;
  for (const ShownGraph& graph : graphs) {
    absl::StrAppend(
        &text,
        Styled(Escaped(absl::StrCat("tags ", absl::StrJoin(graph.tags, ", "))),
               Style::kHeading, color),
        "\n");
    for (const auto& [name, signature] : graph.signatures) {
      absl::StrAppend(
          &text, "  ", Styled(Escaped(name), Style::kHeading, color), "  ",
          Styled(Escaped(signature.method), Style::kFaint, color), "\n");
      std::vector<std::vector<Cell>> rows;
      AddRows(signature.inputs, "feed", rows);
      AddRows(signature.outputs, "fetch", rows);
      text += FormatTable(rows, {.color = color, .indent = 4});
    }
  }
  return text;
}

std::string ShowModelJson(absl::Span<const ShownGraph> graphs) {
  Json json = Json::array();
  for (const ShownGraph& graph : graphs) {
    Json signatures = Json::object();
    for (const auto& [name, signature] : graph.signatures) {
      signatures[name] = {{"method", signature.method},
                          {"inputs", TensorsJson(signature.inputs)},
                          {"outputs", TensorsJson(signature.outputs)}};
    }
    json.push_back({{"tags", graph.tags}, {"signatures", signatures}});
  }
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace leat
