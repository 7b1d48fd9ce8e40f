// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines LSTMBlockCell, BlockLSTM, BlockLSTMV2 and the ops of their gradients.
#include <string>
#include <utility>
#include <vector>

#include <algorithm>
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "leat/core/shape.h"
#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"
#include "leat/graph/work_functions.h"

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

// The kernels compute in float.
constexpr double kFloatBytes = sizeof(float);
// A cell computes five sigmoids and tanhs for its gates and states, and
// combines them.
constexpr double kCellFlops = 5 * kTranscendentalFlops + 15;
constexpr double kCellGradFlops = 30;

// Holds the sizes of an LSTM.
struct Sizes {
  // Input `first` is x, before the last output and the weights.
  Sizes(const WorkContext& context, int first)
      : batch(context.InputExtent(first + 1, 0)),
        cells(context.InputExtent(first + 1, -1)),
        weights(context.input(first + 3).num_elements()),
        rows(context.input(first).num_elements() /
             std::max(context.InputExtent(first, -1), 1.0)) {}

  double gate_bytes() const { return kFloatBytes * 4 * rows * cells; }
  // Returns the size of the weights of the last output, which each step but the
  // first one reads once more.
  double reread_bytes() const {
    const double steps = rows / std::max(batch, 1.0);
    return std::max(steps - 1, 0.0) * kFloatBytes * 4 * cells * cells;
  }

  double batch, cells, weights;
  double rows;  // examples of all steps
};

// Computes products of x and of the last outputs, which are temporary tensors.
Work LstmWork(const WorkContext& context, int first) {
  const Sizes s(context, first);
  Work work = works::Move(context);
  work.flops = s.rows * (2 * s.weights + kCellFlops * s.cells);
  work.bytes_read += 2 * s.gate_bytes() + s.reread_bytes();
  work.bytes_written += 2 * s.gate_bytes();
  work.scratch_bytes = s.gate_bytes() + kFloatBytes * 4 * s.batch * s.cells;
  return work;
}

Work CellWork(const WorkContext& context) { return LstmWork(context, 0); }
// Input 0 is the number of steps.
Work BlockWork(const WorkContext& context) { return LstmWork(context, 1); }

// Computes gradients of the gates only, without x, the last output, the weights
// and the bias.
Work CellGradWork(const WorkContext& context) {
  Work work = works::Move(context);
  for (const int i : {0, 2, 3, 7}) {
    work.bytes_read -= context.input(i).num_bytes();
  }
  work.flops = kCellGradFlops * context.input(1).num_elements();
  return work;
}

// Computes the gradients of the gates, and from them four products that give
// the gradients of the inputs and of the weights.
Work BlockGradWork(const WorkContext& context) {
  const Sizes s(context, 1);
  Work work = works::Move(context);
  work.flops = s.rows * (4 * s.weights + kCellGradFlops * s.cells);
  work.bytes_read += 4 * s.gate_bytes() + s.reread_bytes();
  work.bytes_written += s.gate_bytes();
  work.scratch_bytes =
      s.gate_bytes() + kFloatBytes * (s.rows + 2 * s.batch) * s.cells;
  return work;
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
         std::vector<std::string> attrs, ShapeFunction shape,
         WorkFunction work) {
  OpSpec spec;
  spec.name = std::string(name);
  spec.doc = doc;
  spec.inputs = std::move(inputs);
  spec.outputs = std::move(outputs);
  spec.attrs = std::move(attrs);
  spec.attrs.push_back("T: {half, float}");
  spec.shape = shape;
  spec.work = work;
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
      kStates, attrs, CellShape, CellWork);
  Add(registry, "LSTMBlockCellGrad",
      "Computes the gradient of LSTMBlockCell with respect to its gates.",
      Join(kCellInputs, {"i: T", "cs: T", "f: T", "o: T", "ci: T", "co: T",
                         "cs_grad: T", "h_grad: T"}),
      {"cs_prev_grad: T", "dicfo: T", "wci_grad: T", "wcf_grad: T",
       "wco_grad: T"},
      {"use_peephole: bool"}, CellGradShape, CellGradWork);
  Add(registry, "BlockLSTM", "Computes all steps of an LSTM.", block_inputs,
      kStates, attrs, BlockShape, BlockWork);
  Add(registry, "BlockLSTMGrad",
      "Computes the gradients of all inputs of BlockLSTM.", block_grad_inputs,
      block_gradients, {"use_peephole: bool"}, BlockGradShape, BlockGradWork);
  Add(registry, "BlockLSTMV2",
      "Computes all steps of an LSTM, with the forget gate before the cell's "
      "input.",
      block_inputs, kStates,
      {"cell_clip: float = 0", "use_peephole: bool = false"}, BlockShape,
      BlockWork);
  Add(registry, "BlockLSTMGradV2",
      "Computes the gradients of all inputs of BlockLSTMV2.", block_grad_inputs,
      block_gradients, {"use_peephole: bool"}, BlockGradShape, BlockGradWork);
}

}  // namespace leat::ops::block_lstm
