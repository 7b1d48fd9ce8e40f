// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions check the inputs of ops whose segment ids are sorted. The
// kernels for all devices share them. The ids are in memory of the host. All
// errors are INVALID_ARGUMENT, with TensorFlow's text, or RESOURCE_EXHAUSTED.
#ifndef LEAT_KERNELS_SHAPES_SORTED_SEGMENTS_H_
#define LEAT_KERNELS_SHAPES_SORTED_SEGMENTS_H_

#include <algorithm>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "leat/core/devices/device.h"
#include "leat/core/saturating.h"
#include "leat/core/shape.h"
#include "leat/core/status_macros.h"
#include "leat/core/tensor.h"
#include "leat/kernels/kernel_context.h"

namespace leat::kernels {

// Returns input `i`, which has int32 or int64 in memory of the host, as int64.
inline absl::StatusOr<Tensor> Int64Input(KernelContext& context, int i) {
  const Tensor& input = context.input(i);
  if (input.dtype() == DType::kInt64) return input;
  LEAT_ASSIGN_OR_RETURN(
      Tensor wide, Tensor::Allocate(context.step().device->host_allocator(),
                                    DType::kInt64, input.shape()));
  const auto from = input.data<int32_t>();
  std::copy(from.begin(), from.end(), wide.mutable_data<int64_t>().begin());
  return wide;
}

inline absl::Status CheckIsVector(const Tensor& tensor,
                                  absl::string_view name) {
  if (tensor.shape().IsVector()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(name, " should be a vector."));
}

// Checks that the ids grow and are not negative.
inline absl::Status CheckSorted(absl::Span<const int64_t> ids) {
  if (ids.empty()) return absl::OkStatus();
  if (ids.back() < 0) {
    return absl::InvalidArgumentError("segment ids must be >= 0");
  }
  if (!std::is_sorted(ids.begin(), ids.end())) {
    return absl::InvalidArgumentError("segment ids are not increasing");
  }
  if (ids.front() < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("Segment id ", ids.front(), " out of range [0, ",
                     SaturatingAdd(ids.back(), 1),
                     "), possibly because 'segment_ids' input is not sorted."));
  }
  return absl::OkStatus();
}

// Allocates output 0 with `rows` rows that have the shape of those of `data`.
inline absl::StatusOr<Tensor*> AllocateRows(KernelContext& context,
                                            int64_t rows, const Tensor& data) {
  Dims dims(data.shape().dims().begin(), data.shape().dims().end());
  dims[0] = rows;
  LEAT_ASSIGN_OR_RETURN(const Shape shape, Shape::Create(dims));
  return context.AllocateOutput(0, shape);
}

// Checks the inputs of SegmentSum and SegmentMean, data and segment ids.
// Returns the ids as int64.
inline absl::StatusOr<Tensor> SortedSegmentIds(KernelContext& context) {
  const Tensor& data = context.input(0);
  LEAT_RETURN_IF_ERROR(CheckIsVector(context.input(1), "segment_ids"));
  if (data.rank() == 0) {
    return absl::InvalidArgumentError("input must be at least rank 1");
  }
  if (context.input(1).dim(0) != data.dim(0)) {
    return absl::InvalidArgumentError(
        "segment_ids should be the same size as dimension 0 of input.");
  }
  LEAT_ASSIGN_OR_RETURN(Tensor ids, Int64Input(context, 1));
  LEAT_RETURN_IF_ERROR(CheckSorted(ids.data<int64_t>()));
  return ids;
}

// Returns the number of segments, which is one more than the last id.
inline int64_t NumSegments(absl::Span<const int64_t> ids) {
  return ids.empty() ? 0 : SaturatingAdd(ids.back(), 1);
}

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_SHAPES_SORTED_SEGMENTS_H_
