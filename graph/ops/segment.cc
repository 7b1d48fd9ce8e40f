// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines UnsortedSegmentSum, which adds up rows with equal ids, and the ops
// whose ids are sorted: SegmentSum and SegmentMean for all rows, the sparse
// forms for the rows that indices name.
#include <utility>

#include <algorithm>
#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"
#include "leat/graph/work_functions.h"

namespace leat::ops::segment {
namespace {

// Gives the output the shape [num_segments] + data.shape[rank(segment_ids):].
absl::Status UnsortedSegmentShape(InferenceContext& context) {
  const PartialShape& data = context.input(0);
  const PartialShape& ids = context.input(1);
  LEAT_ASSIGN_OR_RETURN(const int64_t segments, ExtentInput(context, 2));
  if (!ids.rank_known() || !data.rank_known()) return absl::OkStatus();
  if (ids.rank() > data.rank()) {
    return absl::InvalidArgumentError(
        absl::StrCat("segment_ids has rank ", ids.rank(),
                     ", which is more than the rank of data, ", data.rank()));
  }
  LEAT_RETURN_IF_ERROR(Merge(ids, Subshape(data, 0, ids.rank())).status());
  LEAT_ASSIGN_OR_RETURN(
      PartialShape shape,
      ConcatenateShapes(PartialShape{segments}, Subshape(data, ids.rank())));
  context.set_output(0, std::move(shape));
  return absl::OkStatus();
}

// Gives the output an unknown number of rows that have the shape of those of
// data.
absl::Status SomeRows(InferenceContext& context, int64_t rows) {
  LEAT_ASSIGN_OR_RETURN(const PartialShape data, context.WithRankAtLeast(0, 1));
  if (!data.rank_known()) return absl::OkStatus();
  LEAT_ASSIGN_OR_RETURN(PartialShape shape, WithExtent(data, 0, rows));
  context.set_output(0, std::move(shape));
  return absl::OkStatus();
}

absl::Status SegmentShape(InferenceContext& context) {
  LEAT_RETURN_IF_ERROR(context.WithRank(1, 1).status());
  return SomeRows(context, PartialShape::kUnknown);
}

// Checks that the indices and the segment ids are vectors of one length.
absl::Status CheckIndicesAndIds(const InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const PartialShape indices, context.WithRank(1, 1));
  LEAT_ASSIGN_OR_RETURN(const PartialShape ids, context.WithRank(2, 1));
  return Merge(indices, ids).status();
}

absl::Status SparseSegmentShape(InferenceContext& context) {
  LEAT_RETURN_IF_ERROR(CheckIndicesAndIds(context));
  return SomeRows(context, PartialShape::kUnknown);
}

absl::Status SparseSegmentGradShape(InferenceContext& context) {
  LEAT_RETURN_IF_ERROR(CheckIndicesAndIds(context));
  LEAT_ASSIGN_OR_RETURN(const int64_t rows, ExtentInput(context, 3));
  return SomeRows(context, rows);
}

// Clears the output, and adds each row of the data to a row of the output. A
// row that is often added to stays in a cache.
Work UnsortedSegmentWork(const WorkContext& context) {
  Work work = ElementWiseWork(context);
  const double touched =
      std::min(context.input(0).num_bytes(), context.output(0).num_bytes());
  work.bytes_read += touched;
  work.bytes_written += touched;
  return work;
}

// Returns which share of input 0 the rows are that the indices in input 1 name.
double ShareAtIndices(const WorkContext& context) {
  return context.input(1).num_elements() /
         std::max(context.InputExtent(0, 0), 1.0);
}

Work SparseSegmentWork(const WorkContext& context) {
  const double share = ShareAtIndices(context);
  return {.flops = share * FlopsOf(context.input(0)),
          .bytes_read = share * context.input(0).num_bytes() +
                        context.input(1).num_bytes() +
                        context.input(2).num_bytes(),
          .bytes_written = context.output(0).num_bytes()};
}

// Clears the output, and adds for each index a row of the gradient to a row of
// the output.
Work SparseSegmentGradWork(const WorkContext& context) {
  Work work = works::Move(context);
  const double rows = ShareAtIndices(context) * context.input(0).num_bytes();
  work.flops = ShareAtIndices(context) * FlopsOf(context.input(0));
  work.bytes_read += rows;
  work.bytes_written += rows;
  return work;
}

void AddSegment(const char* name, const char* doc, OpRegistry& registry) {
  registry.Add(
      {.name = name,
       .doc = doc,
       .inputs = {"data: T", "segment_ids: Tindices"},
       .outputs = {"output: T"},
       .attrs = {"T: numbertype", "Tindices: {int32, int64}"},
       .shape = SegmentShape},
      {OnCpu({{"T", kNumbersAndComplexes.dtypes()}}),
       InHostMemory(OnGpu({{"T", kFloatsAndInt64.dtypes()}}), {"segment_ids"}),
       HostOnGpu({{"T", {DType::kInt32}}})});
}

void AddSparseSegment(const char* name, const char* doc, const char* types,
                      OpRegistry& registry) {
  registry.Add(
      {.name = name,
       .doc = doc,
       .inputs = {"data: T", "indices: Tidx", "segment_ids: Tsegmentids"},
       .outputs = {"output: T"},
       .attrs = {types, "Tidx: {int32, int64} = int32",
                 "Tsegmentids: {int32, int64} = int32",
                 "sparse_gradient: bool = false"},
       .shape = SparseSegmentShape,
       .work = SparseSegmentWork},
      {OnCpu()});
}

void AddSparseSegmentGrad(const char* name, const char* doc,
                          OpRegistry& registry) {
  registry.Add({.name = name,
                .doc = doc,
                .inputs = {"grad: T", "indices: Tidx",
                           "segment_ids: Tsegmentids", "output_dim0: int32"},
                .outputs = {"output: T"},
                .attrs = {"T: {bfloat16, half, float, double}",
                          "Tidx: {int32, int64} = int32",
                          "Tsegmentids: {int32, int64} = int32"},
                .shape = SparseSegmentGradShape,
                .work = SparseSegmentGradWork},
               {OnCpu()});
}

void AddSparseSegments(OpRegistry& registry) {
  AddSparseSegment("SparseSegmentSum",
                   "Adds up rows that indices name, for each sorted segment.",
                   "T: realnumbertype", registry);
  AddSparseSegment(
      "SparseSegmentMean",
      "Computes the means of rows that indices name, for each sorted segment.",
      "T: {bfloat16, half, float, double}", registry);
  AddSparseSegment("SparseSegmentSqrtN",
                   "Adds up rows that indices name, and divides by the square "
                   "root of their number.",
                   "T: {bfloat16, half, float, double}", registry);
  AddSparseSegmentGrad("SparseSegmentSumGrad",
                       "Computes the gradient of SparseSegmentSum.", registry);
  AddSparseSegmentGrad("SparseSegmentMeanGrad",
                       "Computes the gradient of SparseSegmentMean.", registry);
  AddSparseSegmentGrad("SparseSegmentSqrtNGrad",
                       "Computes the gradient of SparseSegmentSqrtN.",
                       registry);
}

}  // namespace

void Register(OpRegistry& registry) {
  AddSegment("SegmentSum",
             "Adds up the rows of data that have the same sorted segment id.",
             registry);
  AddSegment("SegmentMean",
             "Computes the mean of the rows with the same sorted segment id.",
             registry);
  AddSparseSegments(registry);
  registry.Add(
      {.name = "UnsortedSegmentSum",
       .doc = "Adds up the slices of data that have the same segment id.",
       .inputs = {"data: T", "segment_ids: Tindices",
                  "num_segments: Tnumsegments"},
       .outputs = {"output: T"},
       .attrs = {"T: numbertype", "Tindices: {int16, int32, int64}",
                 "Tnumsegments: {int32, int64} = int32"},
       .shape = UnsortedSegmentShape,
       .work = UnsortedSegmentWork},
      {OnCpu({{"T", kNumbersAndComplexes.dtypes()}}),
       InHostMemory(OnGpu({{"T", kFloatsAndInt64.dtypes()},
                           {"Tindices", kIndices.dtypes()}}),
                    {"num_segments"}),
       HostOnGpu({{"T", {DType::kInt32}}})});
}

}  // namespace leat::ops::segment
