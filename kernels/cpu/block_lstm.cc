// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of LSTMBlockCell, which computes one step of an LSTM, of
// BlockLSTM and BlockLSTMV2, which compute all steps, and of their gradients.
// The product of the inputs of all steps with the weights is one product of
// matrices. The kernels compute half in float.
#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/cpu/rnn_cells.h"
#include "leat/kernels/dense/dense.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/through_float.h"

namespace leat::kernels::cpu::block_lstm {
namespace {

struct Attrs {
  bool is_block = false;  // the op has steps and not only one
  bool use_peephole = false;
  float forget_bias = 0;
  float cell_clip = 0;  // no clipping if it is not positive
  // These are the places of the cell's input and of the forget gate among the
  // four gates. The input gate is at 0, the output gate at 3.
  int64_t ci = 1, f = 2;
};

absl::StatusOr<Attrs> ReadAttrs(const NodeDef& node) {
  Attrs attrs;
  attrs.is_block = absl::StartsWith(node.op->name, "Block");
  LEAT_ASSIGN_OR_RETURN(attrs.use_peephole,
                        node.attrs.GetOr<bool>("use_peephole", false));
  LEAT_ASSIGN_OR_RETURN(attrs.forget_bias,
                        node.attrs.GetOr<float>("forget_bias", 0.0f));
  LEAT_ASSIGN_OR_RETURN(attrs.cell_clip,
                        node.attrs.GetOr<float>("cell_clip", 0.0f));
  if (absl::EndsWith(node.op->name, "V2")) std::swap(attrs.ci, attrs.f);
  return attrs;
}

// Holds the sizes of one run, and where the inputs are.
struct Sizes {
  int64_t steps = 1;  // that are computed
  int64_t max_steps = 1;
  int64_t batch = 0;
  int64_t input = 0;
  int64_t cells = 0;
  int64_t gates = 0;  // four for each cell
  int first = 0;      // the number of the input x

  int64_t rows() const { return steps * batch; }
};

// Holds the inputs that all ops have.
struct Inputs {
  Inputs(const KernelContext& c, int first)
      : x(Floats(c, first)),
        cs_prev(Floats(c, first + 1)),
        h_prev(Floats(c, first + 2)),
        w(Floats(c, first + 3)),
        wci(Floats(c, first + 4)),
        wcf(Floats(c, first + 5)),
        wco(Floats(c, first + 6)),
        b(Floats(c, first + 7)) {}
  const float *x, *cs_prev, *h_prev, *w, *wci, *wcf, *wco, *b;
};

absl::Status CheckSteps(const KernelContext& context, Sizes& s) {
  LEAT_RETURN_IF_ERROR(CheckRank(context, 0, 0));
  s.max_steps = context.input(1).dim(0);
  s.steps = context.input(0).data<int64_t>()[0];
  if (s.steps >= 0 && s.steps <= s.max_steps) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("seq_len_max must be in [0, ", s.max_steps,
                   "], the number of steps in x, but is ", s.steps));
}

// Checks the inputs that all ops have.
absl::StatusOr<Sizes> CheckInputs(const KernelContext& context,
                                  const Attrs& attrs) {
  Sizes s;
  s.first = attrs.is_block ? 1 : 0;
  const int x_rank = attrs.is_block ? 3 : 2;
  LEAT_RETURN_IF_ERROR(CheckRank(context, s.first, x_rank));
  LEAT_RETURN_IF_ERROR(CheckRank(context, s.first + 1, 2));
  if (attrs.is_block) LEAT_RETURN_IF_ERROR(CheckSteps(context, s));
  const Tensor& x = context.input(s.first);
  s.batch = x.dim(x_rank - 2);
  s.input = x.dim(x_rank - 1);
  s.cells = context.input(s.first + 1).dim(1);
  LEAT_ASSIGN_OR_RETURN(s.gates, CheckedMultiply(s.cells, 4));
  LEAT_ASSIGN_OR_RETURN(const int64_t rows, CheckedAdd(s.input, s.cells));
  const Extent batch = {"batch_size", s.batch};
  const Extent cells = {"cell_size", s.cells};
  const Extent gates = {"cell_size * 4", s.gates};
  LEAT_RETURN_IF_ERROR(CheckExtents(context, s.first + 1, {batch, cells}));
  LEAT_RETURN_IF_ERROR(CheckExtents(context, s.first + 2, {batch, cells}));
  LEAT_RETURN_IF_ERROR(CheckExtents(context, s.first + 3,
                                    {{"input_size + cell_size", rows}, gates}));
  for (const int i : {4, 5, 6}) {
    // LSTMBlockCell and its gradient do not read the weights of peepholes if
    // there are none, so they take weights of any size.
    LEAT_RETURN_IF_ERROR(CheckRank(context, s.first + i, 1));
    if (!attrs.is_block && !attrs.use_peephole) continue;
    LEAT_RETURN_IF_ERROR(CheckExtents(context, s.first + i, {cells}));
  }
  LEAT_RETURN_IF_ERROR(CheckExtents(context, s.first + 7, {gates}));
  if (!attrs.is_block && context.input(1).num_elements() == 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "cs_prev_tensor is empty, has shape: (", s.batch, ",", s.cells, ")."));
  }
  return s;
}

// Checks that the inputs from number `begin` up to number `end` have a value
// for each cell, in each step of a block.
absl::Status CheckStates(const KernelContext& context, const Attrs& attrs,
                         const Sizes& s, int begin, int end) {
  const Extent batch = {"batch_size", s.batch};
  const Extent cells = {"cell_size", s.cells};
  for (int i = begin; i < end; ++i) {
    LEAT_RETURN_IF_ERROR(
        attrs.is_block
            ? CheckExtents(context, i, {{"timelen", s.max_steps}, batch, cells})
            : CheckExtents(context, i, {batch, cells}));
  }
  return absl::OkStatus();
}

// Are the outputs of a step, in the order of the op's.
enum State { kI, kCs, kF, kO, kCi, kCo, kH, kNumStates };

// Computes the states of one row of a step. `x_gates` and `h_gates` are the
// products of the input and of the last output with the weights.
void ComputeRow(const Attrs& attrs, int64_t cells, const Inputs& in,
                const float* cs_prev_row, const float* x_gates,
                const float* h_gates,
                const std::array<float*, kNumStates>& states) {
  const ConstRow cs_prev(cs_prev_row, cells);
  const auto state = [&](State which) { return Row(states[which], cells); };
  const auto gate = [&](int64_t place) {
    const int64_t at = place * cells;
    return ConstRow(x_gates + at, cells) + ConstRow(h_gates + at, cells) +
           ConstRow(in.b + at, cells);
  };
  Row i = state(kI), f = state(kF), o = state(kO), cs = state(kCs);
  i = gate(0);
  f = gate(attrs.f) + attrs.forget_bias;
  o = gate(3);
  if (attrs.use_peephole) {
    i += cs_prev * ConstRow(in.wci, cells);
    f += cs_prev * ConstRow(in.wcf, cells);
  }
  i = Sigmoid(i);
  f = Sigmoid(f);
  Row ci = state(kCi), co = state(kCo);
  ci = gate(attrs.ci).tanh();
  cs = ci * i + cs_prev * f;
  if (attrs.cell_clip > 0) cs = cs.min(attrs.cell_clip).max(-attrs.cell_clip);
  if (attrs.use_peephole) o += cs * ConstRow(in.wco, cells);
  o = Sigmoid(o);
  co = cs.tanh();
  state(kH) = co * o;
}

// Is the kernel of LSTMBlockCell, BlockLSTM and BlockLSTMV2.
class Lstm final : public Kernel {
 public:
  explicit Lstm(const Attrs& attrs) : attrs_(attrs) {}

  absl::Status Compute(KernelContext& context) const final {
    LEAT_ASSIGN_OR_RETURN(const Sizes s, CheckInputs(context, attrs_));
    const Shape shape = attrs_.is_block ? Shape{s.max_steps, s.batch, s.cells}
                                        : Shape{s.batch, s.cells};
    const int64_t step_size = s.batch * s.cells;
    std::array<float*, kNumStates> states;
    for (int i = 0; i < kNumStates; ++i) {
      LEAT_ASSIGN_OR_RETURN(states[i], NewFloats(context, i, shape));
      std::fill_n(states[i] + s.steps * step_size,
                  (s.max_steps - s.steps) * step_size, 0.0f);
    }
    if (s.steps * step_size == 0) return absl::OkStatus();
    const Inputs in(context, s.first);
    LEAT_ASSIGN_OR_RETURN(const Shape all_gates,
                          Shape::Create({s.rows(), s.gates}));
    LEAT_ASSIGN_OR_RETURN(Tensor x_gates,
                          context.AllocateTemporary(DType::kFloat, all_gates));
    LEAT_ASSIGN_OR_RETURN(
        Tensor h_gates,
        context.AllocateTemporary(DType::kFloat, Shape{s.batch, s.gates}));
    WorkQueue& queue = context.compute_queue();
    float* const from_x = x_gates.mutable_data<float>().data();
    LEAT_RETURN_IF_ERROR(MatMul(queue,
                                {.m = s.rows(), .n = s.gates, .k = s.input},
                                in.x, in.w, from_x));
    for (int64_t t = 0; t < s.steps; ++t) {
      LEAT_RETURN_IF_ERROR(ComputeStep(queue, s, in, t, from_x,
                                       h_gates.mutable_data<float>().data(),
                                       states));
    }
    return absl::OkStatus();
  }

 private:
  absl::Status ComputeStep(WorkQueue& queue, const Sizes& s, const Inputs& in,
                           int64_t t, const float* x_gates, float* h_gates,
                           const std::array<float*, kNumStates>& states) const {
    const int64_t last = (t - 1) * s.batch * s.cells;
    const float* const cs_prev = t == 0 ? in.cs_prev : states[kCs] + last;
    const float* const h_prev = t == 0 ? in.h_prev : states[kH] + last;
    LEAT_RETURN_IF_ERROR(MatMul(queue,
                                {.m = s.batch, .n = s.gates, .k = s.cells},
                                h_prev, in.w + s.input * s.gates, h_gates));
    ForRows(queue, s.batch, s.cells, [&](int64_t row) {
      const int64_t step_row = t * s.batch + row;
      std::array<float*, kNumStates> of_row = states;
      for (float*& state : of_row) state += step_row * s.cells;
      ComputeRow(attrs_, s.cells, in, cs_prev + row * s.cells,
                 x_gates + step_row * s.gates, h_gates + row * s.gates, of_row);
    });
    return absl::OkStatus();
  }

  const Attrs attrs_;
};

// Holds one row of a step's states and of their gradients.
struct RowGradients {
  const float *cs_prev, *i, *cs, *f, *o, *ci, *co;
  const float *cs_grad, *h_grad;
  float *cs_prev_grad, *gates;
};

// Computes the gradients of the gates and of cs_prev.
void DifferentiateRow(const Attrs& attrs, int64_t cells, const Inputs& in,
                      const RowGradients& r) {
  const ConstRow cs_prev(r.cs_prev, cells), i(r.i, cells), f(r.f, cells),
      o(r.o, cells), ci(r.ci, cells), co(r.co, cells), h_grad(r.h_grad, cells);
  const auto gate = [&](int64_t place) {
    return Row(r.gates + place * cells, cells);
  };
  Row di = gate(0), dci = gate(attrs.ci), df = gate(attrs.f), d_o = gate(3);
  d_o = o * (1.0f - o) * h_grad * co;
  Row dcs(r.cs_prev_grad, cells);
  dcs = (1.0f - co * co) * h_grad * o + ConstRow(r.cs_grad, cells);
  if (attrs.use_peephole) dcs += d_o * ConstRow(in.wco, cells);
  dci = (1.0f - ci * ci) * dcs * i;
  df = f * (1.0f - f) * dcs * cs_prev;
  di = i * (1.0f - i) * dcs * ci;
  dcs *= f;  // the gradient of cs_prev
  if (attrs.use_peephole) {
    dcs += di * ConstRow(in.wci, cells) + df * ConstRow(in.wcf, cells);
  }
}

// Holds the gradients of the weights of the peepholes.
struct PeepholeGradients {
  // Allocates the outputs from number `i` on, as zeros.
  static absl::StatusOr<PeepholeGradients> New(KernelContext& context, int i,
                                               int first) {
    PeepholeGradients gradients;
    for (int k = 0; k < 3; ++k) {
      const Shape& shape = context.input(first + 4 + k).shape();
      LEAT_ASSIGN_OR_RETURN(gradients.sums[k],
                            NewFloats(context, i + k, shape));
      std::fill_n(gradients.sums[k], shape.num_elements(), 0.0f);
    }
    return gradients;
  }

  // Adds the gradients of one row.
  void Add(const Attrs& attrs, int64_t cells, const RowGradients& r) {
    const auto gate = [&](int64_t place) {
      return ConstRow(r.gates + place * cells, cells);
    };
    const ConstRow cs_prev(r.cs_prev, cells);
    Row(sums[0], cells) += gate(0) * cs_prev;
    Row(sums[1], cells) += gate(attrs.f) * cs_prev;
    Row(sums[2], cells) += gate(3) * ConstRow(r.cs, cells);
  }

  std::array<float*, 3> sums = {};  // of wci, wcf and wco
};

// Is the kernel of LSTMBlockCellGrad.
class LstmCellGrad final : public Kernel {
 public:
  explicit LstmCellGrad(const Attrs& attrs) : attrs_(attrs) {}

  absl::Status Compute(KernelContext& context) const final {
    LEAT_ASSIGN_OR_RETURN(const Sizes s, CheckInputs(context, attrs_));
    LEAT_RETURN_IF_ERROR(CheckStates(context, attrs_, s, 8, 16));
    LEAT_ASSIGN_OR_RETURN(float* const cs_prev_grad,
                          NewFloats(context, 0, Shape{s.batch, s.cells}));
    LEAT_ASSIGN_OR_RETURN(float* const gates,
                          NewFloats(context, 1, Shape{s.batch, s.gates}));
    LEAT_ASSIGN_OR_RETURN(PeepholeGradients peepholes,
                          PeepholeGradients::New(context, 2, 0));
    const Inputs in(context, 0);
    const auto row_of = [&](int64_t row) {
      const int64_t at = row * s.cells;
      const auto state = [&](int i) { return Floats(context, i) + at; };
      return RowGradients{in.cs_prev + at,
                          state(8),
                          state(9),
                          state(10),
                          state(11),
                          state(12),
                          state(13),
                          state(14),
                          state(15),
                          cs_prev_grad + at,
                          gates + row * s.gates};
    };
    ForRows(context.compute_queue(), s.batch, s.cells, [&](int64_t row) {
      DifferentiateRow(attrs_, s.cells, in, row_of(row));
    });
    if (!attrs_.use_peephole) return absl::OkStatus();
    for (int64_t row = 0; row < s.batch; ++row) {
      peepholes.Add(attrs_, s.cells, row_of(row));
    }
    return absl::OkStatus();
  }

 private:
  const Attrs attrs_;
};

// Is one run of BlockLSTMGrad or BlockLSTMGradV2.
class BlockGradient {
 public:
  BlockGradient(KernelContext& context, const Attrs& attrs, const Sizes& s)
      : context_(context), attrs_(attrs), s_(s), in_(context, s.first) {}

  absl::Status Compute() {
    LEAT_RETURN_IF_ERROR(Allocate());
    for (int64_t t = s_.steps; t-- > 0;) {
      LEAT_RETURN_IF_ERROR(DifferentiateStep(t));
    }
    return DifferentiateInputs();
  }

 private:
  absl::Status Allocate() {
    const auto like = [&](int output, int input) {
      return NewFloats(context_, output, context_.input(input).shape());
    };
    LEAT_ASSIGN_OR_RETURN(x_grad_, like(0, 1));
    LEAT_ASSIGN_OR_RETURN(cs_prev_grad_, like(1, 2));
    LEAT_ASSIGN_OR_RETURN(h_prev_grad_, like(2, 3));
    LEAT_ASSIGN_OR_RETURN(w_grad_, like(3, 4));
    LEAT_ASSIGN_OR_RETURN(peepholes_, PeepholeGradients::New(context_, 4, 1));
    LEAT_ASSIGN_OR_RETURN(b_grad_, like(7, 8));
    std::fill_n(cs_prev_grad_, s_.batch * s_.cells, 0.0f);
    std::fill_n(h_prev_grad_, s_.batch * s_.cells, 0.0f);
    LEAT_ASSIGN_OR_RETURN(const Shape gates,
                          Shape::Create({s_.rows(), s_.gates}));
    LEAT_ASSIGN_OR_RETURN(gates_,
                          context_.AllocateTemporary(DType::kFloat, gates));
    const Shape step = {s_.batch, s_.cells};
    LEAT_ASSIGN_OR_RETURN(cs_grad_,
                          context_.AllocateTemporary(DType::kFloat, step));
    LEAT_ASSIGN_OR_RETURN(h_grad_,
                          context_.AllocateTemporary(DType::kFloat, step));
    return absl::OkStatus();
  }

  RowGradients RowOf(int64_t t, int64_t row) {
    const int64_t in_step = row * s_.cells;
    const int64_t at = t * s_.batch * s_.cells + in_step;
    const auto state = [&](int which) {
      return Floats(context_, 9 + which) + at;
    };
    const float* const cs_prev =
        t == 0 ? in_.cs_prev + in_step : state(kCs) - s_.batch * s_.cells;
    return {cs_prev,
            state(kI),
            state(kCs),
            state(kF),
            state(kO),
            state(kCi),
            state(kCo),
            cs_grad_.data<float>().data() + in_step,
            h_grad_.data<float>().data() + in_step,
            cs_prev_grad_ + in_step,
            Gates(t) + row * s_.gates};
  }

  float* Gates(int64_t t) {
    return gates_.mutable_data<float>().data() + t * s_.batch * s_.gates;
  }

  // Computes the gradients of the gates, of cs_prev and of h_prev of a step.
  absl::Status DifferentiateStep(int64_t t) {
    const int64_t size = s_.batch * s_.cells;
    // The gradient of a state comes from the outputs and from the next step.
    Row(cs_grad_.mutable_data<float>().data(), size) =
        ConstRow(Floats(context_, 16) + t * size, size) +
        ConstRow(cs_prev_grad_, size);
    Row(h_grad_.mutable_data<float>().data(), size) =
        ConstRow(Floats(context_, 17) + t * size, size) +
        ConstRow(h_prev_grad_, size);
    WorkQueue& queue = context_.compute_queue();
    ForRows(queue, s_.batch, s_.cells, [&](int64_t row) {
      DifferentiateRow(attrs_, s_.cells, in_, RowOf(t, row));
    });
    if (attrs_.use_peephole) {
      for (int64_t row = 0; row < s_.batch; ++row) {
        peepholes_.Add(attrs_, s_.cells, RowOf(t, row));
      }
    }
    if (size == 0) return absl::OkStatus();
    return MatMul(
        queue,
        {.m = s_.batch, .n = s_.cells, .k = s_.gates, .transpose_b = true},
        Gates(t), in_.w + s_.input * s_.gates, h_prev_grad_);
  }

  // Computes the gradients of x, w and b from those of all gates.
  absl::Status DifferentiateInputs() {
    WorkQueue& queue = context_.compute_queue();
    const int64_t rows = s_.rows();
    std::fill_n(x_grad_ + rows * s_.input,
                (s_.max_steps - s_.steps) * s_.batch * s_.input, 0.0f);
    SumRows(Gates(0), rows, s_.gates, b_grad_);
    if (s_.gates == 0) {
      std::fill_n(x_grad_, rows * s_.input, 0.0f);
      return absl::OkStatus();
    }
    if (rows > 0 && s_.input > 0) {
      LEAT_RETURN_IF_ERROR(MatMul(
          queue, {.m = rows, .n = s_.input, .k = s_.gates, .transpose_b = true},
          Gates(0), in_.w, x_grad_));
    }
    if (s_.input > 0) {
      LEAT_RETURN_IF_ERROR(
          MatMul(queue, WeightProduct(s_.input), in_.x, Gates(0), w_grad_));
    }
    LEAT_ASSIGN_OR_RETURN(const Tensor h_prev, LastOutputs());
    return MatMul(queue, WeightProduct(s_.cells), h_prev.data<float>().data(),
                  Gates(0), w_grad_ + s_.input * s_.gates);
  }

  // Describes the product that gives the gradient of `m` rows of w.
  MatMulShape WeightProduct(int64_t m) const {
    return {.m = m, .n = s_.gates, .k = s_.rows(), .transpose_a = true};
  }

  // Returns h_prev of all steps.
  absl::StatusOr<Tensor> LastOutputs() {
    const int64_t size = s_.batch * s_.cells;
    LEAT_ASSIGN_OR_RETURN(
        Tensor all,
        context_.AllocateTemporary(DType::kFloat, Shape{s_.rows() * s_.cells}));
    if (s_.steps == 0) return all;
    float* const to = all.mutable_data<float>().data();
    std::copy_n(in_.h_prev, size, to);
    std::copy_n(Floats(context_, 9 + kH), (s_.steps - 1) * size, to + size);
    return all;
  }

  KernelContext& context_;
  const Attrs& attrs_;
  const Sizes& s_;
  const Inputs in_;
  float *x_grad_ = nullptr, *cs_prev_grad_ = nullptr, *h_prev_grad_ = nullptr;
  float *w_grad_ = nullptr, *b_grad_ = nullptr;
  PeepholeGradients peepholes_ = {};
  Tensor gates_;  // the gradients of the gates of all steps
  // Are the gradients of the states of one step.
  Tensor cs_grad_, h_grad_;
};

// Is the kernel of BlockLSTMGrad and BlockLSTMGradV2.
class BlockLstmGrad final : public Kernel {
 public:
  explicit BlockLstmGrad(const Attrs& attrs) : attrs_(attrs) {}

  absl::Status Compute(KernelContext& context) const final {
    LEAT_ASSIGN_OR_RETURN(const Sizes s, CheckInputs(context, attrs_));
    LEAT_RETURN_IF_ERROR(CheckStates(context, attrs_, s, 9, 18));
    return BlockGradient(context, attrs_, s).Compute();
  }

 private:
  const Attrs attrs_;
};

template <class K>
absl::StatusOr<std::unique_ptr<Kernel>> MakeLstm(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const DType dtype, node.attrs.Get<DType>("T"));
  if (dtype == DType::kHalf) return ThroughFloat(node, &MakeLstm<K>);
  if (dtype != DType::kFloat) return UnsupportedType(node, "T", dtype);
  LEAT_ASSIGN_OR_RETURN(const Attrs attrs, ReadAttrs(node));
  return std::unique_ptr<Kernel>(std::make_unique<K>(attrs));
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("LSTMBlockCell", kCpu, &MakeLstm<Lstm>);
  registry.Add("LSTMBlockCellGrad", kCpu, &MakeLstm<LstmCellGrad>);
  registry.Add("BlockLSTM", kCpu, &MakeLstm<Lstm>);
  registry.Add("BlockLSTMV2", kCpu, &MakeLstm<Lstm>);
  registry.Add("BlockLSTMGrad", kCpu, &MakeLstm<BlockLstmGrad>);
  registry.Add("BlockLSTMGradV2", kCpu, &MakeLstm<BlockLstmGrad>);
}

}  // namespace leat::kernels::cpu::block_lstm
