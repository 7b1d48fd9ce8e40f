// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/dense/matrix_products.h"

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

#include "Eigen/Core"
#include "leat/core/status_macros.h"
#include "leat/core/threads/mutex.h"
#include "leat/core/threads/parallel_for.h"
#include "leat/kernels/functors/number_types.h"

namespace leat::kernels {
namespace {

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

// Is the number of multiplications up to which plain loops take less time than
// a call of a library.
constexpr int64_t kSmall = 32;

// Computes a product of at most kSmall multiplications.
template <class T>
void MultiplySmall(const MatMulShape& s, const T* a, const T* b, T* c) {
  const int64_t a_row = s.transpose_a ? 1 : s.k,
                a_column = s.transpose_a ? s.m : 1;
  const int64_t b_row = s.transpose_b ? 1 : s.n,
                b_column = s.transpose_b ? s.k : 1;
  for (int64_t i = 0; i < s.m; ++i) {
    for (int64_t j = 0; j < s.n; ++j) {
      Ring<T> sum = 0;
      for (int64_t l = 0; l < s.k; ++l) {
        sum += static_cast<Ring<T>>(a[i * a_row + l * a_column]) *
               static_cast<Ring<T>>(b[l * b_row + j * b_column]);
      }
      c[i * s.n + j] = static_cast<T>(sum);
    }
  }
}

// Computes one product of a batch on this thread. REQUIRES: T is not a 16-bit
// type.
template <class T>
absl::Status MultiplyOne(const MatMulShape& s, const T* a, const T* b, T* c) {
  if (static_cast<double>(s.m) * static_cast<double>(s.n) *
          static_cast<double>(s.k) <=
      kSmall) {
    MultiplySmall(s, a, b, c);
    return absl::OkStatus();
  }
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

// Computes the products of a batch.
template <class Element>
absl::Status MultiplyAll(WorkQueue& queue, const MatMulShape& s,
                         const BroadcastPlan<2>& batch, const Element* x,
                         const Element* y, Element* output) {
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

// Calls `multiply(tag)` with the TypeTag of the tensor's type, and returns its
// result. REQUIRES: the type is in kProductTypes.
template <class Body>
absl::Status ForProductType(const Tensor& c, Body multiply) {
  absl::Status status;
  VisitDType(kProductTypes, c.dtype(),
             [&](auto tag) { status = multiply(tag); });
  return status;
}

}  // namespace

absl::Status MultiplyMatrices(KernelContext& context, const MatMulShape& shape,
                              const Tensor& a, const Tensor& b, Tensor& c) {
  return ForProductType(c, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return InArithmeticType<T>(
        context, a, b, c, [&](const auto* x, const auto* y, auto* z) {
          return Multiply(context.compute_queue(), shape, x, y, z);
        });
  });
}

absl::Status MultiplyBatches(KernelContext& context, const MatMulShape& shape,
                             const BroadcastPlan<2>& batch, const Tensor& a,
                             const Tensor& b, Tensor& c) {
  return ForProductType(c, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return InArithmeticType<T>(
        context, a, b, c, [&](const auto* x, const auto* y, auto* z) {
          return MultiplyAll(context.compute_queue(), shape, batch, x, y, z);
        });
  });
}

}  // namespace leat::kernels
