// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of Softmax, LogSoftmax, SoftmaxCrossEntropyWithLogits and
// SparseSoftmaxCrossEntropyWithLogits, which work on rows of classes.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "Eigen/Core"
#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/parallel_for.h"
#include "leat/kernels/functors/number_types.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/shapes/softmax_shapes.h"

namespace leat::kernels::cpu::softmax {
namespace {

template <class T>
using Row = Eigen::Array<Wide<T>, Eigen::Dynamic, 1>;

constexpr int kNanosecondsPerClass = 3;

template <class T>
void Load(const T* from, int64_t count, Row<T>& row) {
  for (int64_t i = 0; i < count; ++i) row[i] = static_cast<Wide<T>>(from[i]);
}
template <class T>
void Store(const Row<T>& row, int64_t count, T* to) {
  for (int64_t i = 0; i < count; ++i) to[i] = T(row[i]);
}

// Computes exp(row - max) and returns its sum. `shifted` receives row - max.
template <class T>
Wide<T> Exponentials(const Row<T>& row, Row<T>& shifted, Row<T>& exps) {
  shifted = row - row.maxCoeff();
  exps = shifted.exp();
  return exps.sum();
}

// Holds the scratch rows of one thread.
template <class T>
struct Scratch {
  explicit Scratch(int64_t classes)
      : row(classes), shifted(classes), exps(classes) {}
  Row<T> row, shifted, exps;
};
// Calls `body(row, scratch)` for each of `rows` rows, in parallel.
template <class T, class Body>
void ForRows(WorkQueue& queue, int64_t rows, int64_t classes, Body body) {
  ParallelFor(queue, rows, classes * kNanosecondsPerClass,
              [&](int64_t begin, int64_t end) {
                Scratch<T> scratch(classes);
                for (int64_t i = begin; i < end; ++i) body(i, scratch);
              });
}

template <class T, bool log>
class Softmax final : public Kernel {
 public:
  absl::Status Compute(KernelContext& context) const final {
    const Tensor& logits = context.input(0);
    LEAT_RETURN_IF_ERROR(CheckSoftmaxShape(logits.shape()));
    LEAT_ASSIGN_OR_RETURN(Tensor * output,
                          context.ForwardOrAllocate({0}, 0, logits.shape()));
    if (output->num_elements() == 0) return absl::OkStatus();
    const int64_t classes = logits.dim(logits.rank() - 1);
    const int64_t rows = logits.num_elements() / classes;
    const T* from = logits.data<T>().data();
    T* to = output->mutable_data<T>().data();
    ForRows<T>(context.compute_queue(), rows, classes,
               [&](int64_t i, Scratch<T>& s) {
                 Load(from + i * classes, classes, s.row);
                 const Wide<T> sum = Exponentials<T>(s.row, s.shifted, s.exps);
                 if constexpr (log) {
                   s.row = s.shifted - std::log(sum);
                 } else {
                   s.row = s.exps * (Wide<T>(1) / sum);
                 }
                 Store(s.row, classes, to + i * classes);
               });
    return absl::OkStatus();
  }
};

// Is a view of an input of shape [1 or rows, 1 or classes] that broadcasts the
// input to [rows, classes]. Borrows the tensor.
template <class T>
class BroadcastRows {
 public:
  BroadcastRows(const Tensor& tensor, int64_t row_extent, int64_t class_extent)
      : data_(tensor.data<T>().data()),
        row_stride_(row_extent == 1 ? 0 : class_extent),
        class_stride_(class_extent == 1 ? 0 : 1) {}

  void Load(int64_t i, int64_t classes, Row<T>& row) const {
    const T* from = data_ + i * row_stride_;
    for (int64_t j = 0; j < classes; ++j) {
      row[j] = static_cast<Wide<T>>(from[j * class_stride_]);
    }
  }

 private:
  const T* data_;
  int64_t row_stride_, class_stride_;
};

template <class T>
class CrossEntropy final : public Kernel {
 public:
  absl::Status Compute(KernelContext& context) const final {
    const Tensor& logits = context.input(0);
    const Tensor& labels = context.input(1);
    LEAT_ASSIGN_OR_RETURN(const Shape shape, CrossEntropyShape(context));
    const int64_t rows = shape.dim(0), classes = shape.dim(1);
    LEAT_ASSIGN_OR_RETURN(Tensor * loss,
                          context.AllocateOutput(0, Shape{rows}));
    LEAT_ASSIGN_OR_RETURN(Tensor * backprop, context.AllocateOutput(1, shape));
    if (shape.num_elements() == 0) {  // without classes, the loss is 0
      std::fill_n(loss->mutable_data<T>().data(), rows, T(0));
      return absl::OkStatus();
    }
    const BroadcastRows<T> logit_rows = Rows(logits);
    const BroadcastRows<T> label_rows = Rows(labels);
    T* losses = loss->mutable_data<T>().data();
    T* gradients = backprop->mutable_data<T>().data();
    ForRows<T>(context.compute_queue(), rows, classes,
               [&](int64_t i, Scratch<T>& s) {
                 logit_rows.Load(i, classes, s.row);
                 const Wide<T> sum = Exponentials<T>(s.row, s.shifted, s.exps);
                 label_rows.Load(i, classes, s.row);
                 losses[i] = T((s.row * (std::log(sum) - s.shifted)).sum());
                 s.row = s.exps / sum - s.row;
                 Store(s.row, classes, gradients + i * classes);
               });
    return absl::OkStatus();
  }

 private:
  static BroadcastRows<T> Rows(const Tensor& tensor) {
    const int rank = tensor.rank();
    return BroadcastRows<T>(tensor, rank < 2 ? 1 : tensor.dim(0),
                            rank < 1 ? 1 : tensor.dim(rank - 1));
  }
};

template <class Label>
absl::Status CheckLabels(absl::Span<const Label> labels, int64_t classes) {
  for (size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] < 0 || labels[i] >= classes) {
      return absl::InvalidArgumentError(
          absl::StrCat("Received a label value of ", labels[i],
                       " which is outside the valid range of [0, ", classes,
                       ").  Label ", i, " of ", labels.size()));
    }
  }
  return absl::OkStatus();
}

template <class T, class Label>
class SparseCrossEntropy final : public Kernel {
 public:
  absl::Status Compute(KernelContext& context) const final {
    const Tensor& logits = context.input(0);
    LEAT_RETURN_IF_ERROR(CheckSparseCrossEntropyShapes(context));
    const int64_t rows = logits.dim(0), classes = logits.dim(1);
    const auto labels = context.input(1).data<Label>();
    LEAT_RETURN_IF_ERROR(CheckLabels(labels, classes));
    LEAT_ASSIGN_OR_RETURN(Tensor * loss,
                          context.AllocateOutput(0, Shape{rows}));
    LEAT_ASSIGN_OR_RETURN(Tensor * backprop,
                          context.ForwardOrAllocate({0}, 1, logits.shape()));
    if (logits.num_elements() == 0) return absl::OkStatus();
    const T* from = logits.data<T>().data();
    T* losses = loss->mutable_data<T>().data();
    T* gradients = backprop->mutable_data<T>().data();
    ForRows<T>(context.compute_queue(), rows, classes,
               [&](int64_t i, Scratch<T>& s) {
                 Load(from + i * classes, classes, s.row);
                 const Wide<T> sum = Exponentials<T>(s.row, s.shifted, s.exps);
                 const int64_t label = static_cast<int64_t>(labels[i]);
                 losses[i] = T(std::log(sum) - s.shifted[label]);
                 s.row = s.exps / sum;
                 s.row[label] -= Wide<T>(1);
                 Store(s.row, classes, gradients + i * classes);
               });
    return absl::OkStatus();
  }
};

template <bool log>
absl::StatusOr<std::unique_ptr<Kernel>> MakeSoftmax(const NodeDef& node) {
  return MakeForType(node, "T", kFloats, [](auto type) {
    return std::make_unique<Softmax<typename decltype(type)::type, log>>();
  });
}

absl::StatusOr<std::unique_ptr<Kernel>> MakeCrossEntropy(const NodeDef& node) {
  return MakeForType(node, "T", kFloats, [](auto type) {
    return std::make_unique<CrossEntropy<typename decltype(type)::type>>();
  });
}

absl::StatusOr<std::unique_ptr<Kernel>> MakeSparseCrossEntropy(
    const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(DType label, node.attrs.Get<DType>("Tlabels"));
  return MakeForType(
      node, "T", kFloats, [&](auto type) -> std::unique_ptr<Kernel> {
        using T = typename decltype(type)::type;
        if (label == DType::kInt32) {
          return std::make_unique<SparseCrossEntropy<T, int32_t>>();
        }
        return std::make_unique<SparseCrossEntropy<T, int64_t>>();
      });
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("Softmax", kCpu, &MakeSoftmax<false>);
  registry.Add("LogSoftmax", kCpu, &MakeSoftmax<true>);
  registry.Add("SoftmaxCrossEntropyWithLogits", kCpu, &MakeCrossEntropy);
  registry.Add("SparseSoftmaxCrossEntropyWithLogits", kCpu,
               &MakeSparseCrossEntropy);
}

}  // namespace leat::kernels::cpu::softmax
