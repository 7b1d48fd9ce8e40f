// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of MatMul, _FusedMatMul and BatchMatMul in its three
// versions. oneDNN multiplies floats, and Eigen multiplies all other types.
// Before the multiplication, half and bfloat16 are converted to float, and
// int16 to int32.
#include <algorithm>
#include <array>
#include <memory>
#include <type_traits>
#include <utility>

#include "Eigen/Core"
#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/mutex.h"
#include "leat/core/threads/parallel_for.h"
#include "leat/kernels/broadcast.h"
#include "leat/kernels/dense.h"
#include "leat/kernels/functors/number_types.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/shapes/matmul_shapes.h"

namespace leat::kernels::cpu::matmul {
namespace {

constexpr auto kTypes = kFloatsAndComplexes + kIndices;
constexpr auto kBatchTypes = kTypes + DTypeList<int16_t>();
// The types that BatchMatMulV3 also multiplies, after it has converted them.
constexpr DTypeList<int8_t, uint8_t> kNarrowInts;

// Is the type in which products of T are computed. 16-bit types are computed in
// a wider type, so no product is compiled for them.
template <class T>
using Arithmetic = std::conditional_t<
    sizeof(T) != 2, T,
    std::conditional_t<std::is_integral_v<T>, int32_t, float>>;

// Computes the rows [begin, end) of c with Eigen. Integers wrap around.
template <class T>
void MultiplyRows(const MatMulShape& s, const T* a, const T* b, T* c,
                  int64_t begin, int64_t end) {
  using Element =
      typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>,
                                  std::common_type<T>>::type;
  using Matrix =
      Eigen::Matrix<Element, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using Input = Eigen::Map<const Matrix>;
  const Input a_stored(reinterpret_cast<const Element*>(a),
                       s.transpose_a ? s.k : s.m, s.transpose_a ? s.m : s.k);
  const Input b_stored(reinterpret_cast<const Element*>(b),
                       s.transpose_b ? s.n : s.k, s.transpose_b ? s.k : s.n);
  Eigen::Map<Matrix> product(reinterpret_cast<Element*>(c) + begin * s.n,
                             end - begin, s.n);
  auto multiply = [&](const auto& rows) {
    if (s.transpose_b) {
      product.noalias() = rows * b_stored.transpose();
    } else {
      product.noalias() = rows * b_stored;
    }
  };
  if (s.transpose_a) {
    multiply(a_stored.middleCols(begin, end - begin).transpose());
  } else {
    multiply(a_stored.middleRows(begin, end - begin));
  }
}

// Returns about how many nanoseconds one row of a product takes.
int64_t RowCost(const MatMulShape& s) {
  return s.n / 4 * std::max<int64_t>(1, s.k) + 1;  // at about 8 GFLOP/s
}

// Computes one product of a batch on this thread. REQUIRES: T is not a 16-bit
// type.
template <class T>
absl::Status MultiplyOne(const MatMulShape& s, const T* a, const T* b, T* c) {
  if constexpr (std::is_same_v<T, float>) {
    return MatMulOnOneThread(s, a, b, c);
  } else {
    MultiplyRows(s, a, b, c, 0, s.m);
    return absl::OkStatus();
  }
}

// Computes one product, in parallel on `queue`. REQUIRES: T is not a 16-bit
// type.
template <class T>
absl::Status Multiply(WorkQueue& queue, const MatMulShape& s, const T* a,
                      const T* b, T* c) {
  if (s.m == 0 || s.n == 0) return absl::OkStatus();
  if constexpr (std::is_same_v<T, float>) {
    return kernels::MatMul(queue, s, a, b, c);
  } else {
    ParallelFor(queue, s.m, RowCost(s), [&](int64_t begin, int64_t end) {
      MultiplyRows(s, a, b, c, begin, end);
    });
    return absl::OkStatus();
  }
}

// Converts the elements of `from` to the type of `to`.
template <class From, class To>
void Convert(WorkQueue& queue, const Tensor& from, Tensor& to) {
  const From* source = from.data<From>().data();
  To* target = to.mutable_data<To>().data();
  ParallelFor(queue, from.num_elements(), 1, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      target[i] = To(static_cast<Arithmetic<From>>(source[i]));
    }
  });
}

// Calls `multiply(a, b, c)` with pointers to the elements. For a 16-bit T, the
// pointers point to copies in the wider type, and the result is converted back.
template <class T, class Body>
absl::Status InArithmeticType(KernelContext& context, const Tensor& a,
                              const Tensor& b, Tensor& c, Body multiply) {
  using Wide = Arithmetic<T>;
  if constexpr (!std::is_same_v<T, Wide>) {
    WorkQueue& queue = context.compute_queue();
    LEAT_ASSIGN_OR_RETURN(Tensor wide_a,
                          context.AllocateTemporary(kDTypeOf<Wide>, a.shape()));
    LEAT_ASSIGN_OR_RETURN(Tensor wide_b,
                          context.AllocateTemporary(kDTypeOf<Wide>, b.shape()));
    LEAT_ASSIGN_OR_RETURN(Tensor wide_c,
                          context.AllocateTemporary(kDTypeOf<Wide>, c.shape()));
    Convert<T, Wide>(queue, a, wide_a);
    Convert<T, Wide>(queue, b, wide_b);
    LEAT_RETURN_IF_ERROR(multiply(wide_a.data<Wide>().data(),
                                  wide_b.data<Wide>().data(),
                                  wide_c.mutable_data<Wide>().data()));
    Convert<Wide, T>(queue, wide_c, c);
    return absl::OkStatus();
  } else {
    return multiply(a.data<T>().data(), b.data<T>().data(),
                    c.mutable_data<T>().data());
  }
}

template <class T>
class MatMulKernel final : public Kernel {
 public:
  MatMulKernel(bool transpose_a, bool transpose_b)
      : transpose_a_(transpose_a), transpose_b_(transpose_b) {}

  absl::Status Compute(KernelContext& context) const final {
    const Tensor& a = context.input(0);
    const Tensor& b = context.input(1);
    LEAT_ASSIGN_OR_RETURN(MatMulShape s,
                          MatrixProduct(context, transpose_a_, transpose_b_));
    LEAT_ASSIGN_OR_RETURN(Shape shape, Shape::Create({s.m, s.n}));
    LEAT_ASSIGN_OR_RETURN(Tensor * c, context.AllocateOutput(0, shape));
    if (c->num_elements() == 0) return absl::OkStatus();
    return InArithmeticType<T>(
        context, a, b, *c, [&](const auto* x, const auto* y, auto* z) {
          return Multiply(context.compute_queue(), s, x, y, z);
        });
  }

 private:
  const bool transpose_a_;
  const bool transpose_b_;
};

class FusedMatMul final : public Kernel {
 public:
  FusedMatMul(bool transpose_a, bool transpose_b, const FusedOps& fused_ops)
      : transpose_a_(transpose_a),
        transpose_b_(transpose_b),
        fused_ops_(fused_ops) {}

  absl::Status Compute(KernelContext& context) const final {
    LEAT_ASSIGN_OR_RETURN(MatMulShape s,
                          MatrixProduct(context, transpose_a_, transpose_b_));
    LEAT_ASSIGN_OR_RETURN(Shape shape, Shape::Create({s.m, s.n}));
    LEAT_ASSIGN_OR_RETURN(const Epilogue epilogue,
                          MakeEpilogue(context, 2, shape, s.n,
                                       /*channels_first=*/false, fused_ops_));
    LEAT_ASSIGN_OR_RETURN(Tensor * c, context.AllocateOutput(0, shape));
    if (c->num_elements() == 0) return absl::OkStatus();
    return kernels::MatMul(context.compute_queue(), s,
                           context.input(0).data<float>().data(),
                           context.input(1).data<float>().data(),
                           c->mutable_data<float>().data(), &epilogue);
  }

 private:
  const bool transpose_a_;
  const bool transpose_b_;
  const FusedOps fused_ops_;
};

// Calls `visit(i, x, y)` for the products [begin, end) of a batch. Product i
// multiplies matrix x of input 0 with matrix y of input 1. `batch` plans a loop
// over the batch dimensions of the inputs.
template <class Visit>
void ForProducts(const BroadcastPlan<2>& batch, int64_t begin, int64_t end,
                 Visit visit) {
  const int64_t row_size = batch.row_size();
  const int64_t x_step = batch.strides[0].back();
  const int64_t y_step = batch.strides[1].back();
  int64_t i = begin;
  batch.ForEachRow(begin / row_size, (end - 1) / row_size + 1,
                   [&](const std::array<int64_t, 2>& from) {
                     const int64_t row = i / row_size * row_size;
                     for (; i < std::min(end, row + row_size); ++i) {
                       visit(i, from[0] + (i - row) * x_step,
                             from[1] + (i - row) * y_step);
                     }
                   });
}

// The kernel of products of elements of type T. Inputs of a narrower type are
// converted to T first.
template <class T>
class BatchMatMulKernel final : public Kernel {
 public:
  // Unless `broadcasts` is set, both inputs must have the same batch
  // dimensions.
  BatchMatMulKernel(bool adjoint_x, bool adjoint_y, bool broadcasts)
      : adjoint_x_(adjoint_x), adjoint_y_(adjoint_y), broadcasts_(broadcasts) {}

  absl::Status Compute(KernelContext& context) const final {
    if (!broadcasts_) LEAT_RETURN_IF_ERROR(CheckEqualBatches(context));
    LEAT_ASSIGN_OR_RETURN(const BatchProduct p,
                          BatchMatrixProduct(context, adjoint_x_, adjoint_y_));
    LEAT_ASSIGN_OR_RETURN(const Tensor x, Operand(context, 0, adjoint_x_));
    LEAT_ASSIGN_OR_RETURN(const Tensor y, Operand(context, 1, adjoint_y_));
    LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(0, p.shape));
    if (output->num_elements() == 0) return absl::OkStatus();
    LEAT_ASSIGN_OR_RETURN(const BroadcastPlan<2> batch,
                          PlanBroadcast(p.a_batch, p.b_batch));
    return InArithmeticType<T>(context, x, y, *output,
                               [&](const auto* a, const auto* b, auto* c) {
                                 return MultiplyAll(context.compute_queue(),
                                                    p.matrices, batch, a, b, c);
                               });
  }

 private:
  // Returns input `i` of the product. If `is_adjoint` is true and T is complex,
  // returns its conjugate instead, because the adjoint of a matrix is the
  // transposed conjugate. The product does the transposition.
  static absl::StatusOr<Tensor> Operand(KernelContext& context, int i,
                                        bool is_adjoint) {
    const Tensor& input = context.input(i);
    if (input.dtype() != kDTypeOf<T>) return Converted(context, input);
    if (!kComplexes.Contains(kDTypeOf<T>) || !is_adjoint) return input;
    LEAT_ASSIGN_OR_RETURN(Tensor conjugate, context.AllocateTemporary(
                                                input.dtype(), input.shape()));
    const T* const from = input.data<T>().data();
    T* const to = conjugate.template mutable_data<T>().data();
    ParallelFor(context.compute_queue(), input.num_elements(), /*cost=*/1,
                [=](int64_t begin, int64_t end) {
                  for (int64_t k = begin; k < end; ++k) {
                    to[k] = Conjugate(from[k]);
                  }
                });
    return conjugate;
  }

  // Returns the elements of `input`, which are 8-bit integers, as elements of
  // type T.
  static absl::StatusOr<Tensor> Converted(KernelContext& context,
                                          const Tensor& input) {
    LEAT_ASSIGN_OR_RETURN(Tensor converted, context.AllocateTemporary(
                                                kDTypeOf<T>, input.shape()));
    T* const to = converted.template mutable_data<T>().data();
    VisitDType(kNarrowInts, input.dtype(), [&](auto tag) {
      const auto from = input.data<typename decltype(tag)::type>();
      ParallelFor(context.compute_queue(), input.num_elements(), /*cost=*/1,
                  [=](int64_t begin, int64_t end) {
                    for (int64_t k = begin; k < end; ++k) {
                      to[k] = T(static_cast<Wide<T>>(from[k]));
                    }
                  });
    });
    return converted;
  }

  template <class Element>
  static absl::Status MultiplyAll(WorkQueue& queue, const MatMulShape& s,
                                  const BroadcastPlan<2>& batch,
                                  const Element* x, const Element* y,
                                  Element* output) {
    const int64_t count = batch.shape.num_elements();
    absl::Status status;
    if (count < queue.num_threads()) {
      // There are fewer products than threads, so each product is split.
      ForProducts(batch, 0, count, [&](int64_t i, int64_t a, int64_t b) {
        status.Update(Multiply(queue, s, x + a * s.m * s.k, y + b * s.k * s.n,
                               output + i * s.m * s.n));
      });
      return status;
    }
    const int64_t cost =
        std::is_same_v<Element, float>
            ? static_cast<int64_t>(static_cast<double>(s.m) *
                                   static_cast<double>(s.n) *
                                   static_cast<double>(s.k) / 40) +
                  200
            : s.m * RowCost(s);
    Mutex mutex;  // guards `status`
    ParallelFor(queue, count, cost, [&](int64_t begin, int64_t end) {
      absl::Status first_error;
      ForProducts(batch, begin, end, [&](int64_t i, int64_t a, int64_t b) {
        first_error.Update(MultiplyOne(s, x + a * s.m * s.k, y + b * s.k * s.n,
                                       output + i * s.m * s.n));
      });
      if (first_error.ok()) return;
      MutexLock lock(mutex);
      status.Update(std::move(first_error));
    });
    return status;
  }

  const bool adjoint_x_;
  const bool adjoint_y_;
  const bool broadcasts_;
};

template <template <class> class K, class Types>
absl::StatusOr<std::unique_ptr<Kernel>> MakeProduct(const NodeDef& node,
                                                    Types types,
                                                    absl::string_view first,
                                                    absl::string_view second) {
  LEAT_ASSIGN_OR_RETURN(bool a, node.attrs.GetOr<bool>(first, false));
  LEAT_ASSIGN_OR_RETURN(bool b, node.attrs.GetOr<bool>(second, false));
  return MakeForType(node, "T", types, [&](auto type) {
    return std::make_unique<K<typename decltype(type)::type>>(a, b);
  });
}

absl::StatusOr<std::unique_ptr<Kernel>> MakeMatMul(const NodeDef& node) {
  return MakeProduct<MatMulKernel>(node, kTypes, "transpose_a", "transpose_b");
}
absl::StatusOr<std::unique_ptr<Kernel>> MakeFusedMatMul(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const DType dtype, node.attrs.Get<DType>("T"));
  if (dtype != DType::kFloat) return UnsupportedType(node, "T", dtype);
  LEAT_ASSIGN_OR_RETURN(bool a, node.attrs.GetOr<bool>("transpose_a", false));
  LEAT_ASSIGN_OR_RETURN(bool b, node.attrs.GetOr<bool>("transpose_b", false));
  LEAT_ASSIGN_OR_RETURN(const FusedOps fused_ops, ReadFusedOps(node));
  return std::unique_ptr<Kernel>(
      std::make_unique<FusedMatMul>(a, b, fused_ops));
}

// Makes the kernel of a product of batches. `attr` is the type attr of the
// output.
template <const auto& attr, bool broadcasts>
absl::StatusOr<std::unique_ptr<Kernel>> MakeBatchMatMul(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(bool x, node.attrs.GetOr<bool>("adj_x", false));
  LEAT_ASSIGN_OR_RETURN(bool y, node.attrs.GetOr<bool>("adj_y", false));
  return MakeForType(
      node, attr, kBatchTypes, [&](auto tag) -> std::unique_ptr<Kernel> {
        using T = typename decltype(tag)::type;
        return std::make_unique<BatchMatMulKernel<T>>(x, y, broadcasts);
      });
}

constexpr char kInputType[] = "T";
constexpr char kOutputType[] = "Tout";

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("MatMul", kCpu, &MakeMatMul);
  registry.Add("_FusedMatMul", kCpu, &MakeFusedMatMul);
  registry.Add("BatchMatMul", kCpu, &MakeBatchMatMul<kInputType, false>);
  registry.Add("BatchMatMulV2", kCpu, &MakeBatchMatMul<kInputType, true>);
  registry.Add("BatchMatMulV3", kCpu, &MakeBatchMatMul<kOutputType, true>);
}

}  // namespace leat::kernels::cpu::matmul
