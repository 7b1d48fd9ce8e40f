// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions plan Gather, GatherV2, GatherNd and ResourceGather for the
// kernels of all devices. All errors are INVALID_ARGUMENT, with TensorFlow's
// texts.
#ifndef LEAT_KERNELS_SHAPES_GATHER_PLAN_H_
#define LEAT_KERNELS_SHAPES_GATHER_PLAN_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "leat/core/shape.h"
#include "leat/kernels/kernel_context.h"

namespace leat::kernels {

// The params have the shape [batch, outer, limit, inner], the indices have the
// shape [batch, count], and the output has the shape [batch, outer, count,
// inner]. Is a value type.
struct GatherPlan {
  int64_t batch = 1;
  int64_t outer = 1;
  int64_t limit = 1;
  int64_t inner = 1;
  int64_t count = 1;
  Shape output = {};
};

// Plans a gather along dimension `axis`. Returns an error if the first
// `batch_dims` dimensions of params and indices differ. Also returns an error
// unless 0 <= batch_dims <= indices.rank() and batch_dims <= axis <
// params.rank().
absl::StatusOr<GatherPlan> PlanGather(const Shape& params, const Shape& indices,
                                      int64_t axis, int64_t batch_dims);
// Plans GatherV2. Its axis is input 2. The axis and `batch_dims` may be
// negative.
absl::StatusOr<GatherPlan> PlanGatherV2(const KernelContext& context,
                                        int64_t batch_dims);
// Plans ResourceGather. Its axis is `batch_dims`. REQUIRES: batch_dims >= 0.
absl::StatusOr<GatherPlan> PlanResourceGather(const Shape& params,
                                              const Shape& indices,
                                              int64_t batch_dims);

// The indices have the shape [rows, depth], and the output has the shape [rows,
// inner]. Is a value type.
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
