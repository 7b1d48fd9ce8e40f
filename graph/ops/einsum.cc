// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines Einsum: products and sums of tensors over axes that have labels.
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/shape.h"
#include "leat/core/status_macros.h"
#include "leat/graph/einsum_equation.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"

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

}  // namespace

void Register(OpRegistry& registry) {
  registry.Add(
      {.name = "Einsum",
       .doc = "Multiplies one or two tensors along axes with labels, and sums "
              "over labels.",
       .inputs = {"inputs: N * T"},
       .outputs = {"output: T"},
       .attrs = {"equation: string", "N: int >= 1", "T: type"},
       .shape = EinsumShape},
      {ExpensiveOnCpu({{"T", (kFloatsAndComplexes + kIndices).dtypes()}})});
}

}  // namespace leat::ops::einsum
