// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// The shapes of Gather, GatherV2, GatherNd and ResourceGather, which their
// kernels for all devices share. All errors are INVALID_ARGUMENT, with
// TensorFlow's texts.
#ifndef LEAT_KERNELS_SHAPES_GATHER_PLAN_H_
#define LEAT_KERNELS_SHAPES_GATHER_PLAN_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "leat/core/shape.h"
#include "leat/kernels/kernel_context.h"

namespace leat::kernels {

// The params are [batch, outer, limit, inner], the indices are [batch, count],
// and the output is [batch, outer, count, inner]. A value type.
struct GatherPlan {
  int64_t batch = 1;
  int64_t outer = 1;
  int64_t limit = 1;
  int64_t inner = 1;
  int64_t count = 1;
  Shape output = {};
};

// Plans a gather along dimension `axis`. The first `batch_dims` dimensions of
// both are the same. Returns an error unless batch_dims is in
// [0, indices.rank()], batch_dims <= axis < params.rank(), and these dimensions
// fit.
absl::StatusOr<GatherPlan> PlanGather(const Shape& params, const Shape& indices,
                                      int64_t axis, int64_t batch_dims);
// Plans GatherV2, whose axis is input 2 and may be negative, as `batch_dims`
// may.
absl::StatusOr<GatherPlan> PlanGatherV2(const KernelContext& context,
                                        int64_t batch_dims);
// Plans ResourceGather, whose axis is `batch_dims`. REQUIRES: batch_dims >= 0.
absl::StatusOr<GatherPlan> PlanResourceGather(const Shape& params,
                                              const Shape& indices,
                                              int64_t batch_dims);

// The indices are [rows, depth], and the output is [rows, inner]. A value type.
struct GatherNdPlan {
  int64_t rows = 1;
  int64_t depth = 0;
  int64_t inner = 1;
  Shape output = {};
};
absl::StatusOr<GatherNdPlan> PlanGatherNd(const Shape& params,
                                          const Shape& indices);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_SHAPES_GATHER_PLAN_H_
