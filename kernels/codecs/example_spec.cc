// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/codecs/example_spec.h"

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "leat/core/status_macros.h"

namespace leat {
namespace {

// Checks the type and the key of a feature, and adds the key to `keys`.
absl::Status CheckFeature(const std::string& key, DType type,
                          absl::flat_hash_set<absl::string_view>& keys) {
  if (!kFeatureTypes.Contains(type)) {
    return absl::InvalidArgumentError(
        absl::StrCat("Feature: ", key, " cannot have type ", Name(type)));
  }
  if (!keys.insert(key).second) {
    return absl::InvalidArgumentError(
        absl::StrCat("Feature: ", key, " is asked for twice"));
  }
  return absl::OkStatus();
}

absl::Status CheckDense(const DenseFeature& feature, size_t i) {
  const PartialShape& shape = feature.shape;
  bool is_known = shape.rank_known();
  for (int axis = 1; axis < shape.rank(); ++axis) {
    is_known = is_known && shape.dim_known(axis);
  }
  if (!is_known) {
    return absl::InvalidArgumentError(absl::StrCat(
        "dense_shapes[", i, "] has unknown rank or unknown inner dimensions: ",
        shape.DebugString()));
  }
  const Tensor& value = feature.default_value;
  if (value.dtype() != feature.type) {
    return absl::InvalidArgumentError(
        absl::StrCat("dense_defaults[", i, "].dtype() == ", Name(value.dtype()),
                     " != dense_types_[", i, "] == ", Name(feature.type)));
  }
  if (IsPadded(feature) && value.num_elements() != 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "dense_shape[", i, "] is a variable length shape: ",
        shape.DebugString(), ", therefore def_value[", i,
        "] must contain a single element (the padding element).  But its "
        "shape is: ",
        value.shape().DebugString()));
  }
  if (!IsPadded(feature) && value.num_elements() > 0 &&
      !shape.IsCompatibleWith(value.shape())) {
    return absl::InvalidArgumentError(absl::StrCat(
        "def_value[", i, "].shape() == ", value.shape().DebugString(),
        " is not compatible with dense_shapes_[", i,
        "] == ", shape.DebugString()));
  }
  return Shape::Create(RowDims(feature)).status();
}

}  // namespace

bool IsPadded(const DenseFeature& feature) {
  return feature.shape.rank() > 0 && !feature.shape.dim_known(0);
}

absl::Span<const int64_t> RowDims(const DenseFeature& feature) {
  absl::Span<const int64_t> dims = feature.shape.dims();
  if (IsPadded(feature)) dims.remove_prefix(1);
  return dims;
}

int64_t RowSize(const DenseFeature& feature) {
  int64_t size = 1;
  for (const int64_t extent : RowDims(feature)) size *= extent;
  return size;
}

absl::Status CheckSpec(const ExampleSpec& spec) {
  absl::flat_hash_set<absl::string_view> keys;
  for (const ListFeature& feature : spec.sparse) {
    LEAT_RETURN_IF_ERROR(CheckFeature(feature.key, feature.type, keys));
  }
  for (size_t i = 0; i < spec.dense.size(); ++i) {
    LEAT_RETURN_IF_ERROR(CheckDense(spec.dense[i], i));
    LEAT_RETURN_IF_ERROR(
        CheckFeature(spec.dense[i].key, spec.dense[i].type, keys));
  }
  for (const ListFeature& feature : spec.ragged) {
    LEAT_RETURN_IF_ERROR(CheckFeature(feature.key, feature.type, keys));
    if (!kIndices.Contains(feature.splits)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Feature: ", feature.key, " cannot have row splits of type ",
          Name(feature.splits)));
    }
  }
  return absl::OkStatus();
}

}  // namespace leat
