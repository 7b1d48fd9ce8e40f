// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernel of Einsum. It is a product of batches of matrices. Views
// bring the axes of the inputs into the order of the product, and those of the
// product into the order of the output. An axis that only one input has is
// summed up by a product with ones.
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/graph/einsum_equation.h"
#include "leat/kernels/broadcast.h"
#include "leat/kernels/dense/matrix_products.h"
#include "leat/kernels/element_copy.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::cpu::einsum {
namespace {

constexpr auto kTypes = kFloatsAndComplexes + kIndices;

// A label stands for an axis. It is a character of the equation, or kBroadcast
// + k for the axis of an ellipsis that k other ones follow.
using Label = int;
using Labels = absl::InlinedVector<Label, 8>;
constexpr Label kBroadcast = 256;

bool Has(const Labels& labels, Label label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

Labels operator+(Labels a, const Labels& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// A Layout says where the elements of a tensor lie, by the labels of its axes.
struct Layout {
  // Axis i of the tensor has the label axis_labels[i]. Where several axes have
  // one label, the layout has their diagonal only.
  Layout(const Shape& shape, const Labels& axis_labels) {
    const Dims strides = shape.Strides();
    for (size_t i = 0; i < axis_labels.size(); ++i) {
      const int64_t extent = shape.dim(static_cast<int>(i));
      const auto [it, is_new] =
          axes.emplace(axis_labels[i], Axis{extent, strides[i]});
      if (is_new) {
        labels.push_back(axis_labels[i]);
      } else {
        it->second.stride += strides[i];
      }
    }
  }

  struct Axis {
    int64_t extent, stride;
  };
  Dims Extents(const Labels& of) const {
    Dims extents;
    for (const Label label : of) extents.push_back(axes.at(label).extent);
    return extents;
  }
  Dims Strides(const Labels& of) const {
    Dims strides;
    for (const Label label : of) strides.push_back(axes.at(label).stride);
    return strides;
  }
  // Returns the number of elements of axes with these labels. REQUIRES: the
  // tensor has elements, so that the product does not overflow.
  int64_t Count(const Labels& of) const {
    int64_t count = 1;
    for (const Label label : of) count *= axes.at(label).extent;
    return count;
  }
  // Returns true if the elements lie in memory in the order of these labels.
  bool IsInOrder(const Labels& order) const {
    int64_t stride = 1;
    for (size_t i = order.size(); i-- > 0;) {
      const Axis& axis = axes.at(order[i]);
      if (axis.extent == 1) continue;
      if (axis.stride != stride) return false;
      stride *= axis.extent;
    }
    return true;
  }

  Labels labels = {};  // each once, in the order of the axes
  std::map<Label, Axis> axes = {};
};

// A View is a tensor whose elements are found by labels.
struct View : Layout {
  View(Tensor input, const Labels& axis_labels)
      : Layout(input.shape(), axis_labels), tensor(std::move(input)) {}
  Tensor tensor;
};

// Copies the elements of a view, in the order of these labels, to places in
// `to` with these strides.
absl::Status Copy(KernelContext& context, const View& view, const Labels& order,
                  const Dims& to_strides, Tensor& to) {
  LEAT_ASSIGN_OR_RETURN(const Shape shape, Shape::Create(view.Extents(order)));
  const BroadcastPlan<2> plan =
      PlanStrided(shape, view.Strides(order), to_strides);
  VisitPlainElement(to.dtype(), [&](auto tag) {
    using E = typename decltype(tag)::type;
    CopyBetweenStrided(context.compute_queue(), plan, Elements<E>(view.tensor),
                       MutableElements<E>(to));
  });
  return absl::OkStatus();
}

// Holds the elements of a view as an operand of a product.
struct Matrices {
  Tensor elements = {};
  bool is_transposed = false;
};

// Returns the elements of `view` in the order of the labels `batch`, `rows` and
// `columns`. If they already lie in memory in the order of `batch`, `columns`
// and `rows`, returns them as they are.
absl::StatusOr<Matrices> Arrange(KernelContext& context, const View& view,
                                 const Labels& batch, const Labels& rows,
                                 const Labels& columns) {
  const Labels order = batch + rows + columns;
  if (view.IsInOrder(order)) return Matrices{view.tensor, false};
  if (view.IsInOrder(batch + columns + rows)) {
    return Matrices{view.tensor, true};
  }
  LEAT_ASSIGN_OR_RETURN(const Shape shape, Shape::Create(view.Extents(order)));
  Matrices matrices;
  LEAT_ASSIGN_OR_RETURN(matrices.elements,
                        context.AllocateTemporary(view.tensor.dtype(), shape));
  LEAT_RETURN_IF_ERROR(
      Copy(context, view, order, shape.Strides(), matrices.elements));
  return matrices;
}

absl::StatusOr<Tensor> Ones(KernelContext& context, DType dtype, int64_t n) {
  LEAT_ASSIGN_OR_RETURN(Tensor ones,
                        context.AllocateTemporary(dtype, Shape{n}));
  VisitDType(kTypes, dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const absl::Span<T> values = ones.mutable_data<T>();
    std::fill(values.begin(), values.end(), T(1));
  });
  return ones;
}

// Sums the elements of a view over all labels that are not in `kept`.
absl::StatusOr<View> SumExcept(KernelContext& context, View view,
                               const Labels& kept) {
  Labels rows, summed;
  for (const Label label : view.labels) {
    (Has(kept, label) ? rows : summed).push_back(label);
  }
  if (summed.empty()) return view;
  LEAT_ASSIGN_OR_RETURN(const Matrices a,
                        Arrange(context, view, {}, rows, summed));
  const MatMulShape product = {.m = view.Count(rows),
                               .n = 1,
                               .k = view.Count(summed),
                               .transpose_a = a.is_transposed};
  const DType dtype = view.tensor.dtype();
  LEAT_ASSIGN_OR_RETURN(const Tensor ones, Ones(context, dtype, product.k));
  LEAT_ASSIGN_OR_RETURN(const Shape shape, Shape::Create(view.Extents(rows)));
  LEAT_ASSIGN_OR_RETURN(Tensor sums, context.AllocateTemporary(dtype, shape));
  LEAT_RETURN_IF_ERROR(
      MultiplyMatrices(context, product, a.elements, ones, sums));
  return View(std::move(sums), rows);
}

// Multiplies two views, and sums over the labels that the output does not have.
absl::StatusOr<View> Product(KernelContext& context, View a, View b,
                             const Labels& output) {
  LEAT_ASSIGN_OR_RETURN(a, SumExcept(context, std::move(a), output + b.labels));
  LEAT_ASSIGN_OR_RETURN(b, SumExcept(context, std::move(b), output + a.labels));
  Labels batch, contracted, a_free, b_free;
  for (const Label label : a.labels) {
    if (!Has(b.labels, label)) {
      a_free.push_back(label);
    } else {
      (Has(output, label) ? batch : contracted).push_back(label);
    }
  }
  for (const Label label : b.labels) {
    if (!Has(a.labels, label)) b_free.push_back(label);
  }
  LEAT_ASSIGN_OR_RETURN(const Matrices x,
                        Arrange(context, a, batch, a_free, contracted));
  LEAT_ASSIGN_OR_RETURN(const Matrices y,
                        Arrange(context, b, batch, contracted, b_free));
  LEAT_ASSIGN_OR_RETURN(const Shape x_batch, Shape::Create(a.Extents(batch)));
  LEAT_ASSIGN_OR_RETURN(const Shape y_batch, Shape::Create(b.Extents(batch)));
  LEAT_ASSIGN_OR_RETURN(const BroadcastPlan<2> plan,
                        PlanBroadcast(x_batch, y_batch));
  const MatMulShape product = {.m = a.Count(a_free),
                               .n = b.Count(b_free),
                               .k = a.Count(contracted),
                               .transpose_a = x.is_transposed,
                               .transpose_b = y.is_transposed};
  Dims dims(plan.shape.dims().begin(), plan.shape.dims().end());
  for (const int64_t extent : a.Extents(a_free)) dims.push_back(extent);
  for (const int64_t extent : b.Extents(b_free)) dims.push_back(extent);
  LEAT_ASSIGN_OR_RETURN(const Shape shape, Shape::Create(dims));
  LEAT_ASSIGN_OR_RETURN(Tensor result,
                        context.AllocateTemporary(x.elements.dtype(), shape));
  LEAT_RETURN_IF_ERROR(
      MultiplyBatches(context, product, plan, x.elements, y.elements, result));
  return View(std::move(result), batch + a_free + b_free);
}

// Sets the output, whose axes have the given labels, to the elements of `view`.
// Where several axes have one label, only their diagonal is not 0.
absl::Status SetOutput(KernelContext& context, const View& view,
                       const Labels& labels, const Shape& shape) {
  if (view.labels == labels && view.IsInOrder(labels)) {
    LEAT_ASSIGN_OR_RETURN(Tensor output, view.tensor.Reshaped(shape));
    context.set_output(0, std::move(output));
    return absl::OkStatus();
  }
  LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(0, shape));
  const Layout places(shape, labels);
  if (places.labels.size() < labels.size()) {
    std::fill_n(output->mutable_raw_data(), output->num_bytes(), '\0');
  }
  return Copy(context, view, places.labels, places.Strides(places.labels),
              *output);
}

// Holds the labels and the extents that the inputs of one run have.
class Axes {
 public:
  // Adds the axes of input `i`.
  absl::Status AddInput(int i, const std::string& subscript,
                        const Shape& shape) {
    const bool has_ellipsis = HasLabel(subscript, EinsumEquation::kEllipsis);
    const int named =
        static_cast<int>(subscript.size()) - (has_ellipsis ? 1 : 0);
    if (has_ellipsis ? shape.rank() < named : shape.rank() != named) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Expected input ", i, " to have rank ",
          has_ellipsis ? "at least " : "", named, " but got: ", shape.rank()));
    }
    broadcast_rank_ = std::max(broadcast_rank_, shape.rank() - named);
    inputs_.push_back(Expand(subscript, shape.rank() - named));
    for (int axis = 0; axis < shape.rank(); ++axis) {
      LEAT_RETURN_IF_ERROR(AddAxis(shape, axis));
    }
    return absl::OkStatus();
  }

  const Labels& input(int i) const { return inputs_[static_cast<size_t>(i)]; }

  // Returns the labels of the output.
  absl::StatusOr<Labels> Output(const std::string& subscript) const {
    if (broadcast_rank_ > 0 &&
        !HasLabel(subscript, EinsumEquation::kEllipsis)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Output contains ", broadcast_rank_,
          " broadcasting dimension(s) but no ellipsis (...) was found in the "
          "output subscripts."));
    }
    return Expand(subscript, broadcast_rank_);
  }

  absl::StatusOr<Shape> ShapeOf(const Labels& labels) const {
    Dims dims;
    for (const Label label : labels) dims.push_back(extents_.at(label));
    return Shape::Create(dims);
  }

 private:
  // Returns the label of each axis. The ellipsis stands for `broadcast_rank`
  // axes.
  static Labels Expand(const std::string& subscript, int broadcast_rank) {
    Labels labels;
    for (const char c : subscript) {
      if (c != EinsumEquation::kEllipsis) {
        labels.push_back(static_cast<unsigned char>(c));
        continue;
      }
      for (int k = broadcast_rank; k-- > 0;) labels.push_back(kBroadcast + k);
    }
    return labels;
  }

  // Adds an axis of the last input.
  absl::Status AddAxis(const Shape& shape, int axis) {
    const Label label = inputs_.back()[static_cast<size_t>(axis)];
    const int64_t extent = shape.dim(axis);
    int64_t& known = extents_.emplace(label, extent).first->second;
    if (known == extent || (label >= kBroadcast && extent == 1)) {
      return absl::OkStatus();
    }
    if (label >= kBroadcast && known == 1) {
      known = extent;
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(
        absl::StrCat("Expected dimension ", known, " at axis ", axis,
                     " of the input shaped ", shape.DebugString(),
                     " but got dimension ", extent));
  }

  std::vector<Labels> inputs_ = {};
  std::map<Label, int64_t> extents_ = {};
  int broadcast_rank_ = 0;
};

class Einsum final : public Kernel {
 public:
  explicit Einsum(EinsumEquation equation) : equation_(std::move(equation)) {}

  absl::Status Compute(KernelContext& context) const final {
    Axes axes;
    bool is_empty = false;
    for (int i = 0; i < context.num_inputs(); ++i) {
      const Shape& shape = context.input(i).shape();
      LEAT_RETURN_IF_ERROR(
          axes.AddInput(i, equation_.inputs[static_cast<size_t>(i)], shape));
      is_empty |= shape.num_elements() == 0;
    }
    LEAT_ASSIGN_OR_RETURN(const Labels labels, axes.Output(equation_.output));
    LEAT_ASSIGN_OR_RETURN(const Shape shape, axes.ShapeOf(labels));
    if (is_empty) {  // each sum has no terms
      LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(0, shape));
      std::fill_n(output->mutable_raw_data(), output->num_bytes(), '\0');
      return absl::OkStatus();
    }
    View first(context.input(0), axes.input(0));
    if (context.num_inputs() == 1) {
      LEAT_ASSIGN_OR_RETURN(const View sums,
                            SumExcept(context, std::move(first), labels));
      return SetOutput(context, sums, labels, shape);
    }
    LEAT_ASSIGN_OR_RETURN(
        const View product,
        Product(context, std::move(first),
                View(context.input(1), axes.input(1)), labels));
    return SetOutput(context, product, labels, shape);
  }

 private:
  const EinsumEquation equation_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeEinsum(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const DType dtype, node.attrs.Get<DType>("T"));
  if (!kTypes.Contains(dtype)) return UnsupportedType(node, "T", dtype);
  LEAT_ASSIGN_OR_RETURN(const int64_t num_inputs, node.attrs.Get<int64_t>("N"));
  LEAT_ASSIGN_OR_RETURN(const std::string text,
                        node.attrs.Get<std::string>("equation"));
  LEAT_ASSIGN_OR_RETURN(EinsumEquation equation,
                        ParseEinsumEquation(text, num_inputs));
  return std::unique_ptr<Kernel>(std::make_unique<Einsum>(std::move(equation)));
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("Einsum", kCpu, &MakeEinsum);
}

}  // namespace leat::kernels::cpu::einsum
