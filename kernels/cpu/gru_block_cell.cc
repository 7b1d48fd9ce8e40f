// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of GRUBlockCell, which computes one step of a GRU, and of
// its gradient.
#include <memory>

#include "leat/core/status_macros.h"
#include "leat/kernels/cpu/rnn_cells.h"
#include "leat/kernels/dense/dense.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::cpu::gru_block_cell {
namespace {

struct Sizes {
  int64_t batch = 0;
  int64_t input = 0;
  int64_t cells = 0;
  int64_t gates = 0;  // the two gates r and u of each cell
};

// Checks the inputs that both ops have.
absl::StatusOr<Sizes> CheckInputs(const KernelContext& context) {
  LEAT_RETURN_IF_ERROR(CheckRank(context, 0, 2));
  LEAT_RETURN_IF_ERROR(CheckRank(context, 1, 2));
  Sizes s;
  s.batch = context.input(0).dim(0);
  s.input = context.input(0).dim(1);
  s.cells = context.input(1).dim(1);
  LEAT_ASSIGN_OR_RETURN(s.gates, CheckedMultiply(s.cells, 2));
  LEAT_ASSIGN_OR_RETURN(const int64_t rows, CheckedAdd(s.input, s.cells));
  const Extent width = {"input_size + cell_size", rows};
  const Extent cells = {"cell_size", s.cells};
  const Extent gates = {"cell_size * 2", s.gates};
  LEAT_RETURN_IF_ERROR(
      CheckExtents(context, 1, {{"batch_size", s.batch}, cells}));
  LEAT_RETURN_IF_ERROR(CheckExtents(context, 2, {width, gates}));
  LEAT_RETURN_IF_ERROR(CheckExtents(context, 3, {width, cells}));
  LEAT_RETURN_IF_ERROR(CheckExtents(context, 4, {gates}));
  LEAT_RETURN_IF_ERROR(CheckExtents(context, 5, {cells}));
  return s;
}

absl::StatusOr<Tensor> Temporary(KernelContext& context, int64_t rows,
                                 int64_t columns) {
  LEAT_ASSIGN_OR_RETURN(const Shape shape, Shape::Create({rows, columns}));
  return context.AllocateTemporary(DType::kFloat, shape);
}

float* FloatsOf(Tensor& tensor) { return tensor.mutable_data<float>().data(); }

// The weights have rows for the input x and, below, rows for the last output.
// Computes x and `h`, times these weights, which have `columns` columns.
struct Products {
  static absl::StatusOr<Products> Compute(KernelContext& context,
                                          const Sizes& s, const float* h,
                                          const float* weights,
                                          int64_t columns) {
    Products products;
    LEAT_ASSIGN_OR_RETURN(products.of_x, Temporary(context, s.batch, columns));
    LEAT_ASSIGN_OR_RETURN(products.of_h, Temporary(context, s.batch, columns));
    WorkQueue& queue = context.compute_queue();
    LEAT_RETURN_IF_ERROR(
        MatMul(queue, {.m = s.batch, .n = columns, .k = s.input},
               Floats(context, 0), weights, FloatsOf(products.of_x)));
    LEAT_RETURN_IF_ERROR(
        MatMul(queue, {.m = s.batch, .n = columns, .k = s.cells}, h,
               weights + s.input * columns, FloatsOf(products.of_h)));
    return products;
  }

  // Returns the sum of both products for one row and `count` columns.
  auto Sum(int64_t row, int64_t columns, int64_t first, int64_t count) const {
    const int64_t at = row * columns + first;
    return ConstRow(of_x.data<float>().data() + at, count) +
           ConstRow(of_h.data<float>().data() + at, count);
  }

  Tensor of_x, of_h;
};

class GruCell final : public Kernel {
 public:
  absl::Status Compute(KernelContext& context) const final {
    LEAT_ASSIGN_OR_RETURN(const Sizes s, CheckInputs(context));
    const Shape shape = {s.batch, s.cells};
    LEAT_ASSIGN_OR_RETURN(float* const r, NewFloats(context, 0, shape));
    LEAT_ASSIGN_OR_RETURN(float* const u, NewFloats(context, 1, shape));
    LEAT_ASSIGN_OR_RETURN(float* const c, NewFloats(context, 2, shape));
    LEAT_ASSIGN_OR_RETURN(float* const h, NewFloats(context, 3, shape));
    if (shape.num_elements() == 0) return absl::OkStatus();
    const float* const h_prev = Floats(context, 1);
    const float* const b_ru = Floats(context, 4);
    LEAT_ASSIGN_OR_RETURN(
        const Products gates,
        Products::Compute(context, s, h_prev, Floats(context, 2), s.gates));
    LEAT_ASSIGN_OR_RETURN(Tensor reset, Temporary(context, s.batch, s.cells));
    float* const reset_h = FloatsOf(reset);
    WorkQueue& queue = context.compute_queue();
    ForRows(queue, s.batch, s.cells, [&](int64_t row) {
      const int64_t at = row * s.cells;
      Row(r + at, s.cells) = Sigmoid(gates.Sum(row, s.gates, 0, s.cells) +
                                     ConstRow(b_ru, s.cells));
      Row(u + at, s.cells) = Sigmoid(gates.Sum(row, s.gates, s.cells, s.cells) +
                                     ConstRow(b_ru + s.cells, s.cells));
      Row(reset_h + at, s.cells) =
          ConstRow(r + at, s.cells) * ConstRow(h_prev + at, s.cells);
    });
    LEAT_ASSIGN_OR_RETURN(
        const Products candidates,
        Products::Compute(context, s, reset_h, Floats(context, 3), s.cells));
    const ConstRow b_c(Floats(context, 5), s.cells);
    ForRows(queue, s.batch, s.cells, [&](int64_t row) {
      const int64_t at = row * s.cells;
      Row c_row(c + at, s.cells);
      c_row = (candidates.Sum(row, s.cells, 0, s.cells) + b_c).tanh();
      const ConstRow u_row(u + at, s.cells);
      Row(h + at, s.cells) =
          u_row * ConstRow(h_prev + at, s.cells) + (1.0f - u_row) * c_row;
    });
    return absl::OkStatus();
  }
};

class GruCellGrad final : public Kernel {
 public:
  absl::Status Compute(KernelContext& context) const final {
    LEAT_ASSIGN_OR_RETURN(const Sizes s, CheckInputs(context));
    for (int i = 6; i < 10; ++i) {
      LEAT_RETURN_IF_ERROR(CheckExtents(
          context, i, {{"batch_size", s.batch}, {"cell_size", s.cells}}));
    }
    const Shape shape = {s.batch, s.cells};
    LEAT_ASSIGN_OR_RETURN(float* const dx,
                          NewFloats(context, 0, context.input(0).shape()));
    LEAT_ASSIGN_OR_RETURN(float* const dh_prev, NewFloats(context, 1, shape));
    LEAT_ASSIGN_OR_RETURN(float* const dc, NewFloats(context, 2, shape));
    LEAT_ASSIGN_OR_RETURN(float* const dru,
                          NewFloats(context, 3, Shape{s.batch, s.gates}));
    if (s.batch == 0) return absl::OkStatus();
    const auto in = [&](int i, int64_t row) {
      return ConstRow(Floats(context, i) + row * s.cells, s.cells);
    };
    constexpr int kHPrev = 1, kR = 6, kU = 7, kC = 8, kDH = 9;
    WorkQueue& queue = context.compute_queue();
    ForRows(queue, s.batch, s.cells, [&](int64_t row) {
      const auto u = in(kU, row), c = in(kC, row), dh = in(kDH, row);
      Row(dc + row * s.cells, s.cells) = dh * (1.0f - u) * (1.0f - c * c);
      Row(dru + row * s.gates + s.cells, s.cells) =
          dh * (in(kHPrev, row) - c) * u * (1.0f - u);
    });
    LEAT_ASSIGN_OR_RETURN(Tensor from_c, Backward(context, s, dc, s.cells, 3));
    const int64_t width = s.input + s.cells;
    const auto part = [&](Tensor& tensor, int64_t row, int64_t first,
                          int64_t count) {
      return Row(FloatsOf(tensor) + row * width + first, count);
    };
    ForRows(queue, s.batch, s.cells, [&](int64_t row) {
      const auto r = in(kR, row);
      Row(dru + row * s.gates, s.cells) = part(from_c, row, s.input, s.cells) *
                                          in(kHPrev, row) * r * (1.0f - r);
    });
    LEAT_ASSIGN_OR_RETURN(Tensor from_gates,
                          Backward(context, s, dru, s.gates, 2));
    ForRows(queue, s.batch, width, [&](int64_t row) {
      Row(dx + row * s.input, s.input) =
          part(from_gates, row, 0, s.input) + part(from_c, row, 0, s.input);
      Row(dh_prev + row * s.cells, s.cells) =
          part(from_gates, row, s.input, s.cells) +
          part(from_c, row, s.input, s.cells) * in(kR, row) +
          in(kDH, row) * in(kU, row);
    });
    return absl::OkStatus();
  }

 private:
  // Returns `gradients`, which have `columns` columns, times the transposed
  // weights in input `weights`. A row has the gradients of x, and then those of
  // the last output.
  static absl::StatusOr<Tensor> Backward(KernelContext& context, const Sizes& s,
                                         const float* gradients,
                                         int64_t columns, int weights) {
    const int64_t width = s.input + s.cells;
    LEAT_ASSIGN_OR_RETURN(Tensor product, Temporary(context, s.batch, width));
    if (width == 0) return product;
    LEAT_RETURN_IF_ERROR(
        MatMul(context.compute_queue(),
               {.m = s.batch, .n = width, .k = columns, .transpose_b = true},
               gradients, Floats(context, weights), FloatsOf(product)));
    return product;
  }
};

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("GRUBlockCell", kCpu, &Make<GruCell>);
  registry.Add("GRUBlockCellGrad", kCpu, &Make<GruCellGrad>);
}

}  // namespace leat::kernels::cpu::gru_block_cell
