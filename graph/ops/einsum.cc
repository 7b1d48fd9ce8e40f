// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines Einsum: products and sums of tensors over axes that have labels.
#include <map>
#include <string>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/shape.h"
#include "leat/core/status_macros.h"
#include "leat/graph/einsum_equation.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"
#include "leat/graph/work_functions.h"

namespace leat::ops::einsum {
namespace {

constexpr char kEllipsis = EinsumEquation::kEllipsis;

// Holds what is known of the axes of all inputs.
struct Axes {
  std::map<char, int64_t> extents = {};  // of each label
  PartialShape broadcast = Shape();      // the ellipsis
};

// Adds the axes of input `i`, whose subscript is `subscript`.
absl::Status AddInput(const InferenceContext& context, int i,
                      const std::string& subscript, Axes& axes) {
  const size_t ellipsis = subscript.find(kEllipsis);
  const bool has_ellipsis = ellipsis != std::string::npos;
  const int named = static_cast<int>(subscript.size()) - (has_ellipsis ? 1 : 0);
  LEAT_ASSIGN_OR_RETURN(const PartialShape shape,
                        has_ellipsis ? context.WithRankAtLeast(i, named)
                                     : context.WithRank(i, named));
  for (int k = 0; k < static_cast<int>(subscript.size()); ++k) {
    const char label = subscript[static_cast<size_t>(k)];
    if (label == kEllipsis) continue;
    const bool is_behind = has_ellipsis && static_cast<size_t>(k) > ellipsis;
    const int axis = is_behind ? k - static_cast<int>(subscript.size()) : k;
    const auto [it, is_new] =
        axes.extents.emplace(label, PartialShape::kUnknown);
    LEAT_ASSIGN_OR_RETURN(it->second,
                          MergeExtents(it->second, ExtentOf(shape, axis)));
  }
  if (!has_ellipsis) return absl::OkStatus();
  const int before = static_cast<int>(ellipsis);
  const PartialShape between =
      shape.rank_known()
          ? Subshape(shape, before, shape.rank() - (named - before))
          : PartialShape();
  LEAT_ASSIGN_OR_RETURN(axes.broadcast,
                        BroadcastPartialShapes(axes.broadcast, between));
  return absl::OkStatus();
}

absl::Status EinsumShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const std::string text,
                        context.Attr<std::string>("equation"));
  LEAT_ASSIGN_OR_RETURN(const EinsumEquation equation,
                        ParseEinsumEquation(text, context.num_inputs()));
  Axes axes;
  for (int i = 0; i < context.num_inputs(); ++i) {
    LEAT_RETURN_IF_ERROR(
        AddInput(context, i, equation.inputs[static_cast<size_t>(i)], axes));
  }
  const bool has_ellipsis = HasLabel(equation.output, kEllipsis);
  if (!axes.broadcast.rank_known()) {
    if (has_ellipsis) return absl::OkStatus();
  } else if (!has_ellipsis && axes.broadcast.rank() > 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Shape must be at most rank 0 but is rank ", axes.broadcast.rank(),
        "\n\t for einsum equation '", text,
        "' without ellipsis (...) in the output subscripts where input(s) have "
        "non-empty broadcasting shape"));
  }
  Dims dims;
  for (const char label : equation.output) {
    if (label != kEllipsis) {
      dims.push_back(axes.extents.at(label));
    } else {
      const auto broadcast = axes.broadcast.dims();
      dims.insert(dims.end(), broadcast.begin(), broadcast.end());
    }
  }
  return SetOutput(dims, context);
}

// Returns the extent of the axis of input `i` that has the label.
double ExtentOfLabel(const WorkContext& context, int i,
                     const std::string& subscript, char label) {
  const size_t at = subscript.find(label);
  const bool is_behind = subscript.find(kEllipsis) < at;
  const int axis = static_cast<int>(at);
  return context.InputExtent(
      i, is_behind ? axis - static_cast<int>(subscript.size()) : axis);
}

// Adds the work of a copy of `tensor` whose axes have another order.
void AddCopy(const TensorSpec& tensor, Work& work) {
  work.bytes_read += tensor.num_bytes();
  work.bytes_written += tensor.num_bytes();
  work.scratch_bytes += tensor.num_bytes();
}

// Adds the work of the product of two inputs. It is a stack of products of
// matrices, for which tensors are copied whose axes have another order.
void AddProduct(const EinsumEquation& equation, const WorkContext& context,
                Work& work) {
  const std::string& a = equation.inputs[0];
  const std::string& b = equation.inputs[1];
  std::string batch, contracted, free[2];
  double count = 1;
  for (const char label : a) {
    const bool is_kept = HasLabel(equation.output, label);
    if (!HasLabel(b, label)) {
      if (is_kept) free[0] += label;
    } else if (is_kept) {
      batch += label;
    } else if (!HasLabel(contracted, label)) {
      contracted += label;
      count *= ExtentOfLabel(context, 0, a, label);
    }
  }
  for (const char label : b) {
    if (!HasLabel(a, label) && HasLabel(equation.output, label)) {
      free[1] += label;
    }
  }
  for (const int i : {0, 1}) {
    const std::string& labels = equation.inputs[static_cast<size_t>(i)];
    if (labels != batch + contracted + free[i] &&
        labels != batch + free[i] + contracted) {
      AddCopy(context.input(i), work);
    }
  }
  if (equation.output != batch + free[0] + free[1]) {
    AddCopy(context.output(0), work);
  }
  work.flops += 2 * count * FlopsOf(context.output(0));
}

Work EinsumWork(const WorkContext& context) {
  Work work = works::Move(context);
  const auto text = context.attrs().Get<std::string>("equation");
  const auto equation =
      ParseEinsumEquation(text.ok() ? *text : std::string(),
                          static_cast<int64_t>(context.inputs().size()));
  if (!equation.ok()) return work;
  const bool has_two = equation->inputs.size() == 2;
  for (size_t i = 0; i < equation->inputs.size(); ++i) {
    // A product with ones first sums up the labels that only this input has.
    const auto is_summed = [&](char label) {
      return !HasLabel(equation->output, label) &&
             !(has_two && HasLabel(equation->inputs[1 - i], label));
    };
    if (absl::c_any_of(equation->inputs[i], is_summed)) {
      work.flops += 2 * FlopsOf(context.input(static_cast<int>(i)));
    }
  }
  if (has_two) AddProduct(*equation, context, work);
  return work;
}

}  // namespace

void Register(OpRegistry& registry) {
  registry.Add(
      {.name = "Einsum",
       .doc = "Multiplies one or two tensors along axes with labels, and sums "
              "over labels.",
       .inputs = {"inputs: N * T"},
       .outputs = {"output: T"},
       .attrs = {"equation: string", "N: int >= 1", "T: type"},
       .shape = EinsumShape,
       .work = EinsumWork},
      {ExpensiveOnCpu({{"T", (kFloatsAndComplexes + kIndices).dtypes()}})});
}

}  // namespace leat::ops::einsum
