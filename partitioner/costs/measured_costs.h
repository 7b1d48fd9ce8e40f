// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// MeasuredCosts is where planning looks up what steps have measured.
#ifndef LEAT_PARTITIONER_COSTS_MEASURED_COSTS_H_
#define LEAT_PARTITIONER_COSTS_MEASURED_COSTS_H_

#include <optional>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "leat/graph/graph.h"
#include "leat/graph/work.h"

namespace leat {

// Const access is thread-safe.
class MeasuredCosts {
 public:
  virtual ~MeasuredCosts() = default;

  // Returns the seconds of one run of a node on a device of kind
  // `device_kind`, or nothing if no such run was measured. `inputs` describes
  // the node's inputs.
  virtual std::optional<double> Seconds(
      absl::string_view device_kind, const NodeDef& node,
      absl::Span<const TensorSpec> inputs) const = 0;

  // Returns how often a step runs the node of this name, or nothing if no step
  // with this node was measured.
  virtual std::optional<double> RunsPerStep(absl::string_view node) const = 0;
};

}  // namespace leat

#endif  // LEAT_PARTITIONER_COSTS_MEASURED_COSTS_H_
