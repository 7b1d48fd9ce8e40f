// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines LSTMBlockCell, BlockLSTM, BlockLSTMV2 and the ops of their gradients.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "leat/core/shape.h"
#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"

namespace leat::ops::block_lstm {
namespace {

constexpr int64_t kUnknown = PartialShape::kUnknown;

// Gives all outputs the same shape.
absl::Status SetAll(InferenceContext& context, const Dims& dims) {
  LEAT_ASSIGN_OR_RETURN(const PartialShape shape, PartialShape::Create(dims));
  for (int i = 0; i < context.num_outputs(); ++i) context.set_output(i, shape);
  return absl::OkStatus();
}

absl::Status CellShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const PartialShape x, context.WithRank(0, 2));
  LEAT_ASSIGN_OR_RETURN(const PartialShape cs_prev, context.WithRank(1, 2));
  return SetAll(context, {x.dim(0), cs_prev.dim(1)});
}

absl::Status CellGradShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const PartialShape x, context.WithRank(0, 2));
  LEAT_ASSIGN_OR_RETURN(const PartialShape cs_prev, context.WithRank(1, 2));
  const int64_t batch = x.dim(0), cells = cs_prev.dim(1);
  LEAT_ASSIGN_OR_RETURN(const int64_t gates, MultiplyExtents(cells, 4));
  LEAT_RETURN_IF_ERROR(SetAll(context, {cells}));
  context.set_output(0, PartialShape({batch, cells}));
  context.set_output(1, PartialShape({batch, gates}));
  return absl::OkStatus();
}

// The bias, the last input, has four values for each cell.
absl::Status BlockShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const PartialShape x, context.WithRank(1, 3));
  LEAT_ASSIGN_OR_RETURN(const PartialShape b, context.WithRank(8, 1));
  const int64_t gates = b.dim(0);
  if (gates != kUnknown && gates % 4 != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Dimension size must be evenly divisible by 4 but is ", gates));
  }
  return SetAll(context,
                {x.dim(0), x.dim(1), gates == kUnknown ? kUnknown : gates / 4});
}

// The outputs are the gradients of the inputs from number 1 on.
absl::Status BlockGradShape(InferenceContext& context) {
  constexpr int kRanks[] = {3, 2, 2, 2, 1, 1, 1, 1};
  for (int i = 0; i < 8; ++i) {
    LEAT_ASSIGN_OR_RETURN(PartialShape shape,
                          context.WithRank(i + 1, kRanks[i]));
    context.set_output(i, std::move(shape));
  }
  return absl::OkStatus();
}

const std::vector<std::string> kCellInputs = {
    "x: T",   "cs_prev: T", "h_prev: T", "w: T",
    "wci: T", "wcf: T",     "wco: T",    "b: T"};
const std::vector<std::string> kStates = {"i: T",  "cs: T", "f: T", "o: T",
                                          "ci: T", "co: T", "h: T"};

std::vector<std::string> Join(std::vector<std::string> a,
                              const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

void Add(OpRegistry& registry, absl::string_view name, absl::string_view doc,
         std::vector<std::string> inputs, std::vector<std::string> outputs,
         std::vector<std::string> attrs, ShapeFunction shape) {
  OpSpec spec;
  spec.name = std::string(name);
  spec.doc = doc;
  spec.inputs = std::move(inputs);
  spec.outputs = std::move(outputs);
  spec.attrs = std::move(attrs);
  spec.attrs.push_back("T: {half, float}");
  spec.shape = shape;
  registry.Add(std::move(spec),
               {ExpensiveOnCpu({{"T", {DType::kHalf, DType::kFloat}}})});
}

}  // namespace

void Register(OpRegistry& registry) {
  const std::vector<std::string> block_inputs =
      Join({"seq_len_max: int64"}, kCellInputs);
  const std::vector<std::string> block_grad_inputs =
      Join(Join(block_inputs, kStates), {"cs_grad: T", "h_grad: T"});
  const std::vector<std::string> block_gradients = {
      "x_grad: T",   "cs_prev_grad: T", "h_prev_grad: T", "w_grad: T",
      "wci_grad: T", "wcf_grad: T",     "wco_grad: T",    "b_grad: T"};
  const std::vector<std::string> attrs = {"forget_bias: float = 1",
                                          "cell_clip: float = 3",
                                          "use_peephole: bool = false"};
  Add(registry, "LSTMBlockCell", "Computes one step of an LSTM.", kCellInputs,
      kStates, attrs, CellShape);
  Add(registry, "LSTMBlockCellGrad",
      "Computes the gradient of LSTMBlockCell with respect to its gates.",
      Join(kCellInputs, {"i: T", "cs: T", "f: T", "o: T", "ci: T", "co: T",
                         "cs_grad: T", "h_grad: T"}),
      {"cs_prev_grad: T", "dicfo: T", "wci_grad: T", "wcf_grad: T",
       "wco_grad: T"},
      {"use_peephole: bool"}, CellGradShape);
  Add(registry, "BlockLSTM", "Computes all steps of an LSTM.", block_inputs,
      kStates, attrs, BlockShape);
  Add(registry, "BlockLSTMGrad",
      "Computes the gradients of all inputs of BlockLSTM.", block_grad_inputs,
      block_gradients, {"use_peephole: bool"}, BlockGradShape);
  Add(registry, "BlockLSTMV2",
      "Computes all steps of an LSTM, with the forget gate before the cell's "
      "input.",
      block_inputs, kStates,
      {"cell_clip: float = 0", "use_peephole: bool = false"}, BlockShape);
  Add(registry, "BlockLSTMGradV2",
      "Computes the gradients of all inputs of BlockLSTMV2.", block_grad_inputs,
      block_gradients, {"use_peephole: bool"}, BlockGradShape);
}

}  // namespace leat::ops::block_lstm
