// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/codecs/feature_types.h"

#include "leat/core/status_macros.h"

namespace leat {

absl::StatusOr<FeatureTypes> ReadFeatureTypes(const NodeDef& node) {
  using Types = std::vector<DType>;
  FeatureTypes types;
  LEAT_ASSIGN_OR_RETURN(types.sparse, node.attrs.Get<Types>("sparse_types"));
  LEAT_ASSIGN_OR_RETURN(types.dense, node.attrs.Get<Types>("Tdense"));
  LEAT_ASSIGN_OR_RETURN(
      types.dense_shapes,
      node.attrs.Get<std::vector<PartialShape>>("dense_shapes"));
  LEAT_ASSIGN_OR_RETURN(types.ragged_values,
                        node.attrs.GetOr<Types>("ragged_value_types", {}));
  LEAT_ASSIGN_OR_RETURN(types.ragged_splits,
                        node.attrs.GetOr<Types>("ragged_split_types", {}));
  if (types.dense.size() != types.dense_shapes.size()) {
    return absl::InvalidArgumentError("len(dense_keys) != len(dense_shapes)");
  }
  if (types.ragged_values.size() != types.ragged_splits.size()) {
    return absl::InvalidArgumentError(
        "len(ragged_value_types) != len(ragged_split_types)");
  }
  return types;
}

ExampleSpec MakeExampleSpec(const FeatureTypes& types, FeatureKeys sparse,
                            FeatureKeys dense, FeatureKeys ragged,
                            const KernelContext& context) {
  ExampleSpec spec;
  for (size_t i = 0; i < sparse.size(); ++i) {
    spec.sparse.push_back({sparse[i], types.sparse[i]});
  }
  const int first = context.num_inputs() - static_cast<int>(dense.size());
  for (size_t i = 0; i < dense.size(); ++i) {
    spec.dense.push_back({dense[i], types.dense[i], types.dense_shapes[i],
                          context.input(first + static_cast<int>(i))});
  }
  for (size_t i = 0; i < ragged.size(); ++i) {
    spec.ragged.push_back(
        {ragged[i], types.ragged_values[i], types.ragged_splits[i]});
  }
  return spec;
}

}  // namespace leat
