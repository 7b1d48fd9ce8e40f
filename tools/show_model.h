// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Does the work of `leat show`: lists the graphs of a SavedModel and their
// signatures. Is stateless and thread-safe.
#ifndef LEAT_TOOLS_SHOW_MODEL_H_
#define LEAT_TOOLS_SHOW_MODEL_H_

#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "leat/train/saved_model/signature.h"

namespace leat {

// Describes a graph of a SavedModel by its tags and its signatures.
struct ShownGraph {
  std::set<std::string> tags = {};
  Signatures signatures = {};
};

// Returns the graphs of the SavedModel in `folder`. Does not import them, so it
// also returns graphs that Leat cannot run. Returns the errors of
// ReadSavedModel and SignaturesOf.
absl::StatusOr<std::vector<ShownGraph>> ReadShownGraphs(
    const std::string& folder);

// ShowModelText describes the graphs as text for a person. ShowModelJson
// returns a JSON array with one object per graph, with the keys `tags` and
// `signatures`.
std::string ShowModelText(absl::Span<const ShownGraph> graphs, bool color);
std::string ShowModelJson(absl::Span<const ShownGraph> graphs);

}  // namespace leat

#endif  // LEAT_TOOLS_SHOW_MODEL_H_
