// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Lists gradient cases of ops that reverse, shift, pad and cut tensors into
// blocks, of ops on diagonals, and of ops that combine parts of tensors.
#include <utility>

#include "leat/graph/ops.h"
#include "leat/tests/train/gradient_cases.h"

namespace leat {
namespace {

Output Pairs(GraphBuilder& b, std::initializer_list<int32_t> values) {
  const auto rows = static_cast<int64_t>(values.size() / 2);
  return b.Const(Tensor::Of<int32_t>(Shape{rows, 2}, values));
}

// Returns a function that adds the case of an op with one input.
auto Adder(std::vector<GradientCase>& cases) {
  return [&cases](const char* name, Shape shape,
                  std::function<Output(GraphBuilder&, const Output&)> f) {
    cases.push_back(
        {.op = name,
         .shapes = {std::move(shape)},
         .build = [f = std::move(f)](GraphBuilder& b, const Inputs& x) {
           return f(b, x[0]);
         }});
  };
}

void AddBlocks(std::vector<GradientCase>& cases) {
  const auto add = Adder(cases);
  add("SpaceToBatchND", Shape{1, 3, 2, 2}, [](GraphBuilder& b, Output x) {
    return op::SpaceToBatchND(x, Ints(b, {2, 1}), Pairs(b, {1, 0, 0, 1}));
  });
  add("BatchToSpaceND", Shape{2, 3, 2, 2}, [](GraphBuilder& b, Output x) {
    return op::BatchToSpaceND(x, Ints(b, {2, 1}), Pairs(b, {1, 0, 0, 1}));
  });
  add("SpaceToBatch", Shape{1, 3, 2, 1}, [](GraphBuilder& b, Output x) {
    return op::SpaceToBatch(x, Pairs(b, {1, 0, 0, 2}), 2);
  });
  add("BatchToSpace", Shape{4, 2, 2, 1}, [](GraphBuilder& b, Output x) {
    return op::BatchToSpace(x, Pairs(b, {1, 0, 0, 2}), 2);
  });
  add("SpaceToDepth", Shape{1, 4, 2, 2},
      [](GraphBuilder&, Output x) { return op::SpaceToDepth(x, 2); });
  add("DepthToSpace", Shape{1, 1, 2, 8},
      [](GraphBuilder&, Output x) { return op::DepthToSpace(x, 2); });
}

}  // namespace

void AddMoves(std::vector<GradientCase>& cases) {
  const auto add = Adder(cases);
  add("ReverseV2", Shape{2, 3},
      [](GraphBuilder& b, Output x) { return op::ReverseV2(x, Ints(b, {1})); });
  add("ReverseSequence", Shape{2, 4}, [](GraphBuilder& b, Output x) {
    return op::ReverseSequence(x, Ints(b, {3, 0}), 1);
  });
  add("Roll", Shape{2, 5}, [](GraphBuilder& b, Output x) {
    return op::Roll(x, Ints(b, {1, -7}), Ints(b, {0, 1}));
  });
  add("PadV2", Shape{2, 3}, [](GraphBuilder& b, Output x) {
    return op::PadV2(x, Pairs(b, {1, 0, 2, 1}), 0.5);
  });
  add("MirrorPad", Shape{3, 4}, [](GraphBuilder& b, Output x) {
    return op::MirrorPad(x, Pairs(b, {1, 2, 3, 0}), "REFLECT");
  });
  add("MirrorPadGrad", Shape{6, 7}, [](GraphBuilder& b, Output x) {
    return op::MirrorPadGrad(x, Pairs(b, {1, 2, 3, 0}), "SYMMETRIC");
  });
  add("EnsureShape", Shape{2, 3}, [](GraphBuilder&, Output x) {
    return op::EnsureShape(x, PartialShape{2, -1});
  });
  AddBlocks(cases);
}

void AddDiagonals(std::vector<GradientCase>& cases) {
  const auto add = Adder(cases);
  add("MatrixDiag", Shape{2, 3},
      [](GraphBuilder&, Output x) { return op::MatrixDiag(x); });
  add("MatrixDiagPart", Shape{2, 3, 4},
      [](GraphBuilder&, Output x) { return op::MatrixDiagPart(x); });
  add("MatrixBandPart", Shape{2, 3, 4},
      [](GraphBuilder&, Output x) { return op::MatrixBandPart(x, 1, 0); });
  add("MatrixDiagV3", Shape{2, 2, 3}, [](GraphBuilder& b, Output x) {
    return op::MatrixDiagV3(x, Ints(b, {0, 1}), 3, 4, 0.5);
  });
  add("MatrixDiagPartV3", Shape{2, 3, 4}, [](GraphBuilder& b, Output x) {
    return op::MatrixDiagPartV3(x, Ints(b, {-1, 2}), 0.5);
  });
  add("Diag", Shape{2, 3}, [](GraphBuilder&, Output x) { return op::Diag(x); });
  add("DiagPart", Shape{2, 3, 2, 3},
      [](GraphBuilder&, Output x) { return op::DiagPart(x); });
  cases.push_back({.op = "MatrixSetDiag",
                   .shapes = {Shape{2, 3, 4}, Shape{2, 3}},
                   .build = [](GraphBuilder&, const Inputs& x) {
                     return op::MatrixSetDiag(x[0], x[1]);
                   }});
  cases.push_back({.op = "MatrixSetDiagV3",
                   .shapes = {Shape{2, 3, 4}, Shape{2, 2, 3}},
                   .build = [](GraphBuilder& b, const Inputs& x) {
                     return op::MatrixSetDiagV3(x[0], x[1], Ints(b, {0, 1}));
                   }});
}

void AddCombinations(std::vector<GradientCase>& cases) {
  const auto add = [&](const char* name, std::vector<Shape> shapes,
                       std::function<Output(GraphBuilder&, const Inputs&)> f) {
    cases.push_back(
        {.op = name, .shapes = std::move(shapes), .build = std::move(f)});
  };
  add("BatchMatMul", {Shape{2, 2, 3}, Shape{2, 4, 3}},
      [](GraphBuilder&, const Inputs& x) {
        return op::BatchMatMul(x[0], x[1], {.adj_y = true});
      });
  add("BatchMatMulV3", {Shape{2, 3, 2}, Shape{3, 4}},
      [](GraphBuilder&, const Inputs& x) {
        return op::BatchMatMulV3(x[0], x[1], x[0].dtype(), {.adj_x = true});
      });
  const auto add_scatter = [&](const char* name, auto function) {
    add(name, {Shape{4, 2}, Shape{3, 2}},
        [function](GraphBuilder& b, const Inputs& x) {
          const Tensor rows = Tensor::Of<int32_t>(Shape{3, 1}, {3, 1, 0});
          return function(x[0], b.Const(rows), x[1]);
        });
  };
  add_scatter("TensorScatterUpdate", [](Output x, Output i, Output updates) {
    return op::TensorScatterUpdate(x, i, updates);
  });
  add_scatter("TensorScatterAdd", [](Output x, Output i, Output updates) {
    return op::TensorScatterAdd(x, i, updates);
  });
  add_scatter("TensorScatterSub", [](Output x, Output i, Output updates) {
    return op::TensorScatterSub(x, i, updates);
  });
  add_scatter("TensorScatterMax", [](Output x, Output i, Output updates) {
    return op::TensorScatterMax(x, i, updates);
  });
  add_scatter("TensorScatterMin", [](Output x, Output i, Output updates) {
    return op::TensorScatterMin(x, i, updates);
  });
}

}  // namespace leat
