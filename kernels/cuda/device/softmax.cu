// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/cuda/device/softmax.h"

#include <cmath>
#include <limits>

#include "leat/kernels/cuda/device/launch.h"
#include "leat/kernels/functors/number_types.h"
#include "leat/kernels/functors/reduction.h"

namespace leat::cuda {
namespace {

constexpr int kRowThreads = 128;

template <class W>
struct RowShared {
  W values[kRowThreads];
};

// Wraps the static function of `Op` in a function object.
template <class Op>
struct Combine {
  template <class W>
  LEAT_DEVICE W operator()(W a, W b) const {
    return Op::Do(a, b);
  }
};

// Holds the largest element of a row, and the sum of exp(element - max).
template <class W>
struct RowSum {
  W max;
  W sum;
};

// Computes the RowSum of get(0), ..., get(classes - 1).
template <class W, class Get>
LEAT_DEVICE RowSum<W> SumOfRow(Block<kRowThreads>& block, RowShared<W>& shared,
                               int64_t classes, Get get) {
  PerThread<W, kRowThreads> value;
  block.Phase([&](int t) {
    value[t] = -std::numeric_limits<W>::infinity();
    for (int64_t j = t; j < classes; j += kRowThreads) {
      value[t] = kernels::functors::Max::Do(value[t], get(j));
    }
  });
  RowSum<W> result;
  result.max = BlockReduce(block, value, shared.values,
                           Combine<kernels::functors::Max>());
  block.Phase([&](int t) {
    value[t] = W(0);
    for (int64_t j = t; j < classes; j += kRowThreads) {
      value[t] += std::exp(get(j) - result.max);
    }
  });
  result.sum = BlockReduce(block, value, shared.values,
                           Combine<kernels::functors::Sum>());
  return result;
}

template <class T>
struct Softmax {
  using W = kernels::Wide<T>;
  using Shared = RowShared<W>;
  static constexpr int kThreads = kRowThreads;
  const T* logits;
  T* output;
  int64_t classes;
  bool log;

  LEAT_DEVICE void operator()(Block<kThreads>& block, Shared& shared,
                              int64_t row) const {
    const T* from = logits + row * classes;
    T* to = output + row * classes;
    const auto get = [&](int64_t j) { return static_cast<W>(from[j]); };
    const RowSum<W> row_sum = SumOfRow(block, shared, classes, get);
    block.Phase([&](int t) {
      const W log_sum = std::log(row_sum.sum);
      for (int64_t j = t; j < classes; j += kThreads) {
        const W shifted = get(j) - row_sum.max;
        to[j] = static_cast<T>(log ? shifted - log_sum
                                   : std::exp(shifted) / row_sum.sum);
      }
    });
  }
};

template <class T>
struct CrossEntropy {
  using W = kernels::Wide<T>;
  using Shared = RowShared<W>;
  static constexpr int kThreads = kRowThreads;
  BroadcastMatrix logits;
  BroadcastMatrix labels;
  T* losses;
  T* gradients;
  int64_t classes;

  LEAT_DEVICE static W Get(const BroadcastMatrix& matrix, int64_t row,
                           int64_t column) {
    return static_cast<W>(static_cast<const T*>(
        matrix.data)[row * matrix.row_stride + column * matrix.column_stride]);
  }

  LEAT_DEVICE void operator()(Block<kThreads>& block, Shared& shared,
                              int64_t row) const {
    const auto get = [&](int64_t j) { return Get(logits, row, j); };
    const RowSum<W> row_sum = SumOfRow(block, shared, classes, get);
    PerThread<W, kThreads> loss;
    block.Phase([&](int t) {
      const W log_sum = std::log(row_sum.sum);
      loss[t] = W(0);
      for (int64_t j = t; j < classes; j += kThreads) {
        const W shifted = get(j) - row_sum.max;
        const W label = Get(labels, row, j);
        loss[t] += label * (log_sum - shifted);
        gradients[row * classes + j] =
            static_cast<T>(std::exp(shifted) / row_sum.sum - label);
      }
    });
    const W sum = BlockReduce(block, loss, shared.values,
                              Combine<kernels::functors::Sum>());
    block.Phase([&](int t) {
      if (t == 0) losses[row] = static_cast<T>(sum);
    });
  }
};

template <class T, class Label>
struct SparseCrossEntropy {
  using W = kernels::Wide<T>;
  using Shared = RowShared<W>;
  static constexpr int kThreads = kRowThreads;
  const T* logits;
  const Label* labels;
  T* losses;
  T* gradients;
  int64_t classes;

  LEAT_DEVICE void operator()(Block<kThreads>& block, Shared& shared,
                              int64_t row) const {
    const T* from = logits + row * classes;
    const auto get = [&](int64_t j) { return static_cast<W>(from[j]); };
    const RowSum<W> row_sum = SumOfRow(block, shared, classes, get);
    const int64_t label = static_cast<int64_t>(labels[row]);
    const bool is_class = label >= 0 && label < classes;
    const W nan = std::numeric_limits<W>::quiet_NaN();
    // The loss is computed before the gradients, which may replace the logits.
    block.Phase([&](int t) {
      if (t != 0) return;
      losses[row] = static_cast<T>(
          is_class ? std::log(row_sum.sum) - (get(label) - row_sum.max) : nan);
    });
    block.Phase([&](int t) {
      for (int64_t j = t; j < classes; j += kThreads) {
        const W probability = std::exp(get(j) - row_sum.max) / row_sum.sum;
        gradients[row * classes + j] = static_cast<T>(
            is_class ? probability - (j == label ? W(1) : W(0)) : nan);
      }
    });
  }
};

template <class Label>
bool LaunchSparse(CUstream_st* stream, ElementType type, const void* logits,
                  const void* labels, void* losses, void* gradients,
                  int64_t rows, int64_t classes) {
  return VisitType(Floats(), type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    ForEachBlock(
        stream, rows,
        SparseCrossEntropy<T, Label>{
            static_cast<const T*>(logits), static_cast<const Label*>(labels),
            static_cast<T*>(losses), static_cast<T*>(gradients), classes});
  });
}

}  // namespace

bool LaunchSoftmax(CUstream_st* stream, ElementType type, bool log,
                   const void* logits, void* output, int64_t rows,
                   int64_t classes) {
  return VisitType(Floats(), type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    ForEachBlock(stream, rows,
                 Softmax<T>{static_cast<const T*>(logits),
                            static_cast<T*>(output), classes, log});
  });
}

bool LaunchCrossEntropy(CUstream_st* stream, ElementType type,
                        const BroadcastMatrix& logits,
                        const BroadcastMatrix& labels, void* losses,
                        void* gradients, int64_t rows, int64_t classes) {
  return VisitType(Floats(), type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    ForEachBlock(stream, rows,
                 CrossEntropy<T>{logits, labels, static_cast<T*>(losses),
                                 static_cast<T*>(gradients), classes});
  });
}

bool LaunchSparseCrossEntropy(CUstream_st* stream, ElementType type,
                              ElementType label_type, const void* logits,
                              const void* labels, void* losses, void* gradients,
                              int64_t rows, int64_t classes) {
  if (label_type == ElementType::kInt32) {
    return LaunchSparse<int32_t>(stream, type, logits, labels, losses,
                                 gradients, rows, classes);
  }
  if (label_type != ElementType::kInt64) return false;
  return LaunchSparse<int64_t>(stream, type, logits, labels, losses, gradients,
                               rows, classes);
}

}  // namespace leat::cuda
