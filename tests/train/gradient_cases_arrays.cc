// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Lists gradient cases of ops that move elements: shapes, gathers and scatters.
#include <utility>

#include "leat/graph/ops.h"
#include "leat/tests/train/gradient_cases.h"

namespace leat {

void AddShapes(std::vector<GradientCase>& cases) {
  const auto add = [&](const char* name, std::vector<Shape> shapes,
                       std::function<Output(GraphBuilder&, const Inputs&)> f) {
    cases.push_back(
        {.op = name, .shapes = std::move(shapes), .build = std::move(f)});
  };
  add("Reshape", {Shape{2, 6}}, [](GraphBuilder& b, const Inputs& x) {
    return op::Reshape(x[0], Ints(b, {3, -1}));
  });
  add("ExpandDims", {Shape{2, 3}},
      [](GraphBuilder&, const Inputs& x) { return op::ExpandDims(x[0], 1); });
  add("Squeeze", {Shape{2, 1, 3}},
      [](GraphBuilder&, const Inputs& x) { return op::Squeeze(x[0]); });
  add("ConcatV2", {Shape{2, 3}, Shape{2, 1}},
      [](GraphBuilder&, const Inputs& x) { return op::ConcatV2(x, -1); });
  add("Pack", {Shape{2, 3}, Shape{2, 3}},
      [](GraphBuilder&, const Inputs& x) { return op::Pack(x, {.axis = 1}); });
  add("Unpack", {Shape{3, 2}}, [](GraphBuilder&, const Inputs& x) {
    const auto parts = op::Unpack(x[0], 3);
    return op::Sin(parts[0]) * parts[2];  // no gradient from parts[1]
  });
  add("Split", {Shape{2, 6}}, [](GraphBuilder&, const Inputs& x) {
    const auto parts = op::Split(1, x[0], 3);
    return parts[0] * parts[2];
  });
  add("SplitV", {Shape{2, 5}}, [](GraphBuilder& b, const Inputs& x) {
    const auto parts = op::SplitV(x[0], Ints(b, {2, 1, 2}), 1, 3);
    return parts[0] * parts[2];
  });
  add("Slice", {Shape{3, 4}}, [](GraphBuilder& b, const Inputs& x) {
    return op::Slice(x[0], Ints(b, {1, 0}), Ints(b, {2, 3}));
  });
  add("StridedSlice", {Shape{3, 5}}, [](GraphBuilder& b, const Inputs& x) {
    return op::StridedSlice(x[0], Ints(b, {1, 4}), Ints(b, {2, 0}),
                            Ints(b, {1, -2}), {.shrink_axis_mask = 1});
  });
  add("Transpose", {Shape{2, 3, 4}}, [](GraphBuilder& b, const Inputs& x) {
    return op::Transpose(x[0], Ints(b, {2, 0, 1}));
  });
  add("ConjugateTranspose", {Shape{2, 3, 4}},
      [](GraphBuilder& b, const Inputs& x) {
        return op::ConjugateTranspose(x[0], Ints(b, {2, 0, 1}));
      });
  add("Tile", {Shape{2, 3}}, [](GraphBuilder& b, const Inputs& x) {
    return op::Tile(x[0], Ints(b, {3, 2}));
  });
  add("Pad", {Shape{2, 3}}, [](GraphBuilder& b, const Inputs& x) {
    return op::Pad(x[0],
                   b.Const(Tensor::Of<int32_t>(Shape{2, 2}, {1, 0, 2, 1})));
  });
  add("BroadcastTo", {Shape{2, 1}}, [](GraphBuilder& b, const Inputs& x) {
    return op::BroadcastTo(x[0], Ints(b, {4, 2, 3}));
  });
  add("Fill", {Shape{}}, [](GraphBuilder& b, const Inputs& x) {
    return op::Fill(Ints(b, {2, 3}), x[0]);
  });
}

void AddGathers(std::vector<GradientCase>& cases) {
  const auto add = [&](const char* name, std::vector<Shape> shapes,
                       std::function<Output(GraphBuilder&, const Inputs&)> f) {
    cases.push_back(
        {.op = name, .shapes = std::move(shapes), .build = std::move(f)});
  };
  const Tensor matrix = Tensor::Of<int32_t>(Shape{2, 2}, {2, 0, 2, 1});
  add("Gather", {Shape{3, 2}}, [](GraphBuilder& b, const Inputs& x) {
    return op::Gather(x[0], Ints(b, {2, 0, 2}));
  });
  add("GatherV2", {Shape{3, 2}}, [matrix](GraphBuilder& b, const Inputs& x) {
    return op::GatherV2(x[0], b.Const(matrix), 0);
  });
  add("GatherV2", {Shape{2, 3, 2}}, [matrix](GraphBuilder& b, const Inputs& x) {
    return op::GatherV2(x[0], b.Const(matrix), 1);
  });
  add("GatherV2", {Shape{2, 4, 3, 2}},
      [matrix](GraphBuilder& b, const Inputs& x) {
        return op::GatherV2(x[0], b.Const(matrix), 2, {.batch_dims = 1});
      });
  add("GatherNd", {Shape{3, 2, 2}}, [](GraphBuilder& b, const Inputs& x) {
    return op::GatherNd(
        x[0], b.Const(Tensor::Of<int32_t>(Shape{3, 2}, {2, 0, 0, 1, 2, 0})));
  });
  add("GatherNd", {Shape{3, 2, 2}}, [](GraphBuilder& b, const Inputs& x) {
    return op::GatherNd(x[0], b.Const(Tensor::Vector<int32_t>({2, 1})));
  });
  add("GatherNd", {Shape{3}}, [](GraphBuilder& b, const Inputs& x) {
    return op::GatherNd(x[0], b.Const(Tensor::Vector<int32_t>({2})));
  });
  add("ScatterNd", {Shape{3, 2}}, [](GraphBuilder& b, const Inputs& x) {
    return op::ScatterNd(b.Const(Tensor::Of<int32_t>(Shape{3, 1}, {3, 1, 3})),
                         x[0], Ints(b, {4, 2}));
  });
  add("UnsortedSegmentSum", {Shape{4, 2}},
      [](GraphBuilder& b, const Inputs& x) {
        return op::UnsortedSegmentSum(x[0], Ints(b, {2, 0, -1, 2}), 3);
      });
  add("SegmentSum", {Shape{4, 2}}, [](GraphBuilder& b, const Inputs& x) {
    return op::SegmentSum(x[0], Ints(b, {0, 0, 2, 2}));
  });
  add("SegmentMean", {Shape{4, 2}}, [](GraphBuilder& b, const Inputs& x) {
    return op::SegmentMean(x[0], Ints(b, {0, 0, 2, 2}));
  });
  add("SparseSegmentSum", {Shape{4, 2}}, [](GraphBuilder& b, const Inputs& x) {
    return op::SparseSegmentSum(x[0], Ints(b, {3, 0, 3}), Ints(b, {0, 0, 2}));
  });
  add("SparseSegmentMean", {Shape{4, 2}}, [](GraphBuilder& b, const Inputs& x) {
    return op::SparseSegmentMean(x[0], Ints(b, {3, 0, 3}), Ints(b, {0, 0, 2}));
  });
  add("SparseSegmentSqrtN", {Shape{4, 2}},
      [](GraphBuilder& b, const Inputs& x) {
        return op::SparseSegmentSqrtN(x[0], Ints(b, {3, 0, 3}),
                                      Ints(b, {0, 0, 2}));
      });
  add("DynamicStitch", {Shape{2, 2}, Shape{1, 2}},
      [](GraphBuilder& b, const Inputs& x) {
        const std::vector<Output> indices = {Ints(b, {2, 0}), Ints(b, {1})};
        return op::DynamicStitch(indices, x);
      });
  add("ParallelDynamicStitch", {Shape{2, 2}, Shape{1, 2}},
      [](GraphBuilder& b, const Inputs& x) {
        const std::vector<Output> indices = {Ints(b, {2, 0}), Ints(b, {1})};
        return op::ParallelDynamicStitch(indices, x);
      });
  // The third output of DynamicPartition is empty.
  add("DynamicPartition", {Shape{4, 2}}, [](GraphBuilder& b, const Inputs& x) {
    return op::ConcatV2(op::DynamicPartition(x[0], Ints(b, {1, 0, 1, 0}), 3),
                        0);
  });
  add("TopKV2", {Shape{3, 5}}, [](GraphBuilder&, const Inputs& x) {
    return op::TopKV2(x[0], 2).values;
  });
}

}  // namespace leat
