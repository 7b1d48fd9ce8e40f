// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/autodiff/gradient_shapes.h"
#include "leat/graph/ops.h"

namespace leat::gradients::not_differentiable {
namespace {

// Lists the ops through which no gradient flows, as in TensorFlow.
constexpr absl::string_view kOps[] = {"All",
                                      "Any",
                                      "ApproximateEqual",
                                      "ArgMax",
                                      "ArgMin",
                                      "Assert",
                                      "Assign",
                                      "AssignAdd",
                                      "AssignSub",
                                      "AudioSummary",
                                      "AudioSummaryV2",
                                      "BitwiseAnd",
                                      "BitwiseOr",
                                      "BitwiseXor",
                                      "BroadcastGradientArgs",
                                      "ConcatOffset",
                                      "Const",
                                      "Equal",
                                      "Greater",
                                      "GreaterEqual",
                                      "HistogramSummary",
                                      "ImageSummary",
                                      "InTopK",
                                      "InTopKV2",
                                      "Invert",
                                      "InvertPermutation",
                                      "LeftShift",
                                      "Less",
                                      "LessEqual",
                                      "LinSpace",
                                      "LoadAndRemapMatrix",
                                      "LogicalAnd",
                                      "LogicalNot",
                                      "LogicalOr",
                                      "MergeSummary",
                                      "NotEqual",
                                      "OneHot",
                                      "OnesLike",
                                      "PopulationCount",
                                      "RandomShuffle",
                                      "RandomStandardNormal",
                                      "RandomUniform",
                                      "RandomUniformInt",
                                      "Range",
                                      "Rank",
                                      "RegexReplace",
                                      "RightShift",
                                      "ScalarSummary",
                                      "ScatterAdd",
                                      "ScatterSub",
                                      "ScatterUpdate",
                                      "Shape",
                                      "ShapeN",
                                      "Size",
                                      "StatelessRandomNormalV2",
                                      "StatelessRandomUniformV2",
                                      "StatelessTruncatedNormalV2",
                                      "StringJoin",
                                      "TensorArrayCloseV3",
                                      "TensorArrayGradV3",
                                      "TensorArrayGradWithShape",
                                      "TensorArraySizeV3",
                                      "TensorArrayV3",
                                      "TensorSummary",
                                      "TensorSummaryV2",
                                      "TruncatedNormal",
                                      "Unique",
                                      "VarIsInitializedOp",
                                      "VariableShape",
                                      "Where",
                                      "ZerosLike"};

}  // namespace

void Register(GradientRegistry& registry) {
  for (absl::string_view op : kOps) registry.AddNotDifferentiable(op);
}

}  // namespace leat::gradients::not_differentiable
