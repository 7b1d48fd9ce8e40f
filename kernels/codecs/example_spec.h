// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ExampleSpec says which features of Examples become tensors, and of which
// kind. All types here are values. The functions are stateless and thread-safe.
#ifndef LEAT_KERNELS_CODECS_EXAMPLE_SPEC_H_
#define LEAT_KERNELS_CODECS_EXAMPLE_SPEC_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "leat/core/dtype_list.h"
#include "leat/core/partial_shape.h"
#include "leat/core/tensor.h"

namespace leat {

// Lists the types that the values of features may have.
inline constexpr DTypeList<std::string, float, int64_t> kFeatureTypes;

// Describes a feature of which Examples may have any number of values. The
// values of a batch become a sparse or a ragged tensor. The type is kString,
// kFloat or kInt64.
struct ListFeature {
  std::string key = {};
  DType type = DType::kInvalid;
  // Is the type of the row splits of a ragged tensor: kInt32 or kInt64. Is not
  // used for a sparse tensor.
  DType splits = DType::kInt64;
};

// Describes a feature that becomes a dense tensor.
struct DenseFeature {
  std::string key = {};
  DType type = DType::kInvalid;
  // Is the shape of the values of one Example. The first extent may be unknown.
  // Then Examples may have different extents, and shorter ones are padded.
  PartialShape shape = {};
  // Has the values for an Example without the feature. If it is empty, the
  // feature is required. If the first extent is unknown, it has one element,
  // with which Examples are padded.
  Tensor default_value = {};
};

// Lists the features to parse. Other features of an Example are not read.
struct ExampleSpec {
  std::vector<ListFeature> sparse = {};
  std::vector<DenseFeature> dense = {};
  std::vector<ListFeature> ragged = {};
};

// Returns INVALID_ARGUMENT, with TensorFlow's text, if a default value does not
// fit its shape or if a type or shape is not possible. Also returns it if a key
// comes twice.
absl::Status CheckSpec(const ExampleSpec& spec);

// Returns true if Examples may have different extents of the first axis.
bool IsPadded(const DenseFeature& feature);
// Returns the extents of one Example. If the feature is padded, returns all
// extents but the first.
absl::Span<const int64_t> RowDims(const DenseFeature& feature);
// Returns the number of elements of one Example, or of a row if the feature is
// padded. REQUIRES: CheckSpec has succeeded.
int64_t RowSize(const DenseFeature& feature);

}  // namespace leat

#endif  // LEAT_KERNELS_CODECS_EXAMPLE_SPEC_H_
