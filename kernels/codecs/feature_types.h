// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// FeatureTypes holds the attrs of a node that parses Examples. The functions
// here are stateless.
#ifndef LEAT_KERNELS_CODECS_FEATURE_TYPES_H_
#define LEAT_KERNELS_CODECS_FEATURE_TYPES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "leat/graph/graph.h"
#include "leat/kernels/codecs/example_spec.h"
#include "leat/kernels/kernel_context.h"

namespace leat {

using FeatureKeys = absl::Span<const std::string>;

// Holds the attrs of the node that describe the features. Is a value.
struct FeatureTypes {
  std::vector<DType> sparse = {};
  std::vector<DType> dense = {};
  std::vector<PartialShape> dense_shapes = {};
  std::vector<DType> ragged_values = {};
  std::vector<DType> ragged_splits = {};
};

// Returns INVALID_ARGUMENT, with TensorFlow's text, if the lengths of the attrs
// differ.
absl::StatusOr<FeatureTypes> ReadFeatureTypes(const NodeDef& node);

// Returns the spec for these keys. The default values are the last inputs of
// the node. REQUIRES: there is a key for each type.
ExampleSpec MakeExampleSpec(const FeatureTypes& types, FeatureKeys sparse,
                            FeatureKeys dense, FeatureKeys ragged,
                            const KernelContext& context);

}  // namespace leat

#endif  // LEAT_KERNELS_CODECS_FEATURE_TYPES_H_
