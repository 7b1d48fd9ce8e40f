// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/train/saved_model/saved_model.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/core/quoted_text.h"
#include "leat/core/status_macros.h"

namespace leat {
namespace {

absl::Status InFolder(const std::string& folder, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat("SavedModel '", folder,
                                                  "': ", status.message()));
}

}  // namespace

absl::StatusOr<std::unique_ptr<SavedModel>> SavedModel::Load(
    const std::string& folder, const SavedModelOptions& options) {
  LEAT_ASSIGN_OR_RETURN(SavedModelGraph model,
                        LoadSavedModelGraph(folder, options.graph));
  absl::StatusOr<std::shared_ptr<Session>> session =
      NewSession(model.graph, options.session);
  if (!session.ok()) return InFolder(folder, session.status());
  if (const absl::Status status = Initialize(model, **session); !status.ok()) {
    return InFolder(folder, status);
  }
  return std::unique_ptr<SavedModel>(
      new SavedModel(std::move(model), *std::move(session)));
}

absl::StatusOr<std::map<std::string, Tensor>> SavedModel::Run(
    absl::string_view signature, const std::map<std::string, Tensor>& inputs,
    const RunOptions& options) const {
  LEAT_ASSIGN_OR_RETURN(const Signature* found,
                        FindSignature(model_.signatures, signature));
  RunArgs args{.options = options};
  for (const auto& [key, value] : inputs) {
    LEAT_ASSIGN_OR_RETURN(TensorName name,
                          FindTensor(found->inputs, "input", key));
    args.feeds.push_back({std::move(name), value});
  }
  for (const auto& [key, tensor] : found->inputs) {
    if (inputs.contains(key)) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("input ", QuotedText(key), " of signature ",
                     QuotedText(signature), " is missing"));
  }
  for (const auto& [key, tensor] : found->outputs) {
    LEAT_ASSIGN_OR_RETURN(TensorName name,
                          FindTensor(found->outputs, "output", key));
    args.fetches.push_back(std::move(name));
  }
  LEAT_ASSIGN_OR_RETURN(std::vector<Tensor> values, session_->Run(args));
  std::map<std::string, Tensor> results;
  size_t next = 0;
  for (const auto& [key, tensor] : found->outputs) {
    results.emplace(key, std::move(values[next]));
    ++next;
  }
  return results;
}

}  // namespace leat
