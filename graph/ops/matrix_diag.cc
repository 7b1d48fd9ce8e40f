// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the ops on diagonals: of matrices in the last two axes (MatrixDiagV3,
// MatrixBandPart and so on), and of whole tensors (Diag, DiagPart).
#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/shape.h"
#include "leat/core/status_macros.h"
#include "leat/core/tensor.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"
#include "leat/graph/work_functions.h"

namespace leat::ops::matrix_diag {
namespace {

constexpr int64_t kUnknown = PartialShape::kUnknown;

// Names the diagonals from `lower` to `upper`. Diagonal 0 is the main one, and
// those with positive numbers lie above it.
struct Diagonals {
  int64_t lower = 0;
  int64_t upper = 0;

  int64_t count() const { return upper - lower + 1; }
};

absl::Status CheckRankAtMost(const InferenceContext& context, int i, int rank) {
  const PartialShape& shape = context.input(i);
  if (!shape.rank_known() || shape.rank() <= rank) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "Shape must be at most rank ", rank, " but is rank ", shape.rank()));
}

// Returns the diagonals that input `i` names, or nothing if they are not known.
// Without such an input, returns the main diagonal.
absl::StatusOr<std::optional<Diagonals>> KnownDiagonals(
    const InferenceContext& context, int i) {
  if (i >= context.num_inputs()) return Diagonals();
  LEAT_RETURN_IF_ERROR(CheckRankAtMost(context, i, 1));
  const Tensor* k = context.input_value(i);
  if (k == nullptr) return std::nullopt;
  LEAT_ASSIGN_OR_RETURN(const Dims values, GetIndices(*k, "k"));
  if (values.empty() || values.size() > 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("diag_index must have only one or two elements, received ",
                     values.size(), " elements."));
  }
  const Diagonals diagonals = {.lower = values.front(), .upper = values.back()};
  if (diagonals.lower > diagonals.upper) {
    return absl::InvalidArgumentError(absl::StrCat(
        "lower_diag_index must not be larger than upper_diag_index: ",
        diagonals.lower, " > ", diagonals.upper));
  }
  return diagonals;
}

// Returns the length of the longest diagonal of a matrix, or kUnknown.
absl::StatusOr<int64_t> LongestDiagonal(int64_t rows, int64_t columns,
                                        const Diagonals& diagonals) {
  for (const int64_t d : {diagonals.lower, diagonals.upper}) {
    if (d != 0 && ((rows != kUnknown && d <= -rows) ||
                   (columns != kUnknown && d >= columns))) {
      return absl::InvalidArgumentError(
          absl::StrCat("Diagonal ", d, " is out of range of a matrix with ",
                       rows, " rows and ", columns, " columns"));
    }
  }
  if (rows == kUnknown || columns == kUnknown) return kUnknown;
  return std::min(rows + std::min<int64_t>(diagonals.upper, 0),
                  columns - std::max<int64_t>(diagonals.lower, 0));
}

// Returns the number of rows or columns that input `i` asks for. Returns -1,
// which stands for "as few as possible", if the op has no such input, and
// nothing if the number is not known.
absl::StatusOr<std::optional<int64_t>> WantedExtent(
    const InferenceContext& context, int i) {
  if (i >= context.num_inputs()) return -1;
  return ScalarInput(context, i);
}

// Returns the smallest extents of a matrix that has diagonals of this length.
// Fails on overflow.
absl::StatusOr<std::pair<int64_t, int64_t>> SmallestMatrix(
    int64_t length, const Diagonals& diagonals) {
  LEAT_ASSIGN_OR_RETURN(
      const int64_t rows,
      AddExtents(length, -std::clamp<int64_t>(diagonals.upper, -INT64_MAX, 0)));
  LEAT_ASSIGN_OR_RETURN(
      const int64_t columns,
      AddExtents(length, std::max<int64_t>(diagonals.lower, 0)));
  return std::pair(rows, columns);
}

// Returns the rows and columns of a matrix with diagonals of this length.
absl::StatusOr<std::pair<int64_t, int64_t>> MatrixExtents(
    const InferenceContext& context, int64_t length,
    const Diagonals& diagonals) {
  LEAT_ASSIGN_OR_RETURN(const std::optional<int64_t> rows,
                        WantedExtent(context, 2));
  LEAT_ASSIGN_OR_RETURN(const std::optional<int64_t> columns,
                        WantedExtent(context, 3));
  const auto known = [](const std::optional<int64_t>& extent) {
    return extent.has_value() && *extent != -1 ? *extent : kUnknown;
  };
  if (length == kUnknown || !rows.has_value() || !columns.has_value()) {
    return std::pair(known(rows), known(columns));
  }
  LEAT_ASSIGN_OR_RETURN(const auto least, SmallestMatrix(length, diagonals));
  const auto [least_rows, least_columns] = least;
  if (*rows == -1 && *columns == -1) {
    const int64_t extent = std::max(least_rows, least_columns);
    return std::pair(extent, extent);
  }
  const std::pair<int64_t, int64_t> extents = {
      *rows == -1 ? least_rows : *rows,
      *columns == -1 ? least_columns : *columns};
  if (extents.first < least_rows || extents.second < least_columns ||
      (extents.first > least_rows && extents.second > least_columns)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "A matrix with ", extents.first, " rows and ", extents.second,
        " columns does not have diagonals of length ", length));
  }
  return extents;
}

absl::Status MatrixDiagShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const PartialShape diagonal,
                        context.WithRankAtLeast(0, 1));
  if (context.num_inputs() == 5) {
    LEAT_RETURN_IF_ERROR(context.WithRank(4, 0).status());
  }
  LEAT_ASSIGN_OR_RETURN(const std::optional<Diagonals> diagonals,
                        KnownDiagonals(context, 1));
  if (!diagonal.rank_known() || !diagonals.has_value()) {
    return absl::OkStatus();
  }
  const bool is_band = diagonals->count() > 1;
  if (is_band) {
    LEAT_RETURN_IF_ERROR(context.WithRankAtLeast(0, 2).status());
    LEAT_RETURN_IF_ERROR(
        MergeExtents(ExtentOf(diagonal, -2), diagonals->count()).status());
  }
  const PartialShape batch = Subshape(diagonal, 0, is_band ? -2 : -1);
  Dims dims(batch.dims().begin(), batch.dims().end());
  LEAT_ASSIGN_OR_RETURN(
      const auto extents,
      MatrixExtents(context, ExtentOf(diagonal, -1), *diagonals));
  dims.push_back(extents.first);
  dims.push_back(extents.second);
  return SetOutput(dims, context);
}

// Returns the shape of the given diagonals of matrices of shape `input`.
// REQUIRES: the rank of `input` is known and at least 2.
absl::StatusOr<PartialShape> DiagonalsShape(const PartialShape& input,
                                            const Diagonals& diagonals) {
  LEAT_ASSIGN_OR_RETURN(
      const int64_t length,
      LongestDiagonal(ExtentOf(input, -2), ExtentOf(input, -1), diagonals));
  const PartialShape batch = Subshape(input, 0, -2);
  Dims dims(batch.dims().begin(), batch.dims().end());
  if (diagonals.count() > 1) dims.push_back(diagonals.count());
  dims.push_back(length);
  return PartialShape::Create(dims);
}

absl::Status MatrixDiagPartShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const PartialShape input,
                        context.WithRankAtLeast(0, 2));
  if (context.num_inputs() == 3) {
    LEAT_RETURN_IF_ERROR(context.WithRank(2, 0).status());
  }
  LEAT_ASSIGN_OR_RETURN(const std::optional<Diagonals> diagonals,
                        KnownDiagonals(context, 1));
  if (!input.rank_known() || !diagonals.has_value()) return absl::OkStatus();
  LEAT_ASSIGN_OR_RETURN(PartialShape output, DiagonalsShape(input, *diagonals));
  context.set_output(0, std::move(output));
  return absl::OkStatus();
}

absl::Status MatrixSetDiagShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(PartialShape input, context.WithRankAtLeast(0, 2));
  LEAT_RETURN_IF_ERROR(context.WithRankAtLeast(1, 1).status());
  LEAT_ASSIGN_OR_RETURN(const std::optional<Diagonals> diagonals,
                        KnownDiagonals(context, 2));
  if (!diagonals.has_value()) {
    context.set_output(0, std::move(input));
    return absl::OkStatus();
  }
  const int packed_axes = diagonals->count() > 1 ? 2 : 1;
  LEAT_ASSIGN_OR_RETURN(PartialShape packed,
                        context.WithRankAtLeast(1, packed_axes));
  if (input.rank_known()) {
    LEAT_ASSIGN_OR_RETURN(const PartialShape expected,
                          DiagonalsShape(input, *diagonals));
    LEAT_ASSIGN_OR_RETURN(packed, Merge(packed, expected));
  }
  // The diagonals and the matrices have the same batch.
  LEAT_ASSIGN_OR_RETURN(
      const PartialShape output,
      ConcatenateShapes(Subshape(packed, 0, -packed_axes),
                        input.rank_known() ? Subshape(input, -2)
                                           : PartialShape::UnknownOfRank(2)));
  LEAT_ASSIGN_OR_RETURN(input, Merge(input, output));
  context.set_output(0, std::move(input));
  return absl::OkStatus();
}

absl::Status MatrixBandPartShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(PartialShape input, context.WithRankAtLeast(0, 2));
  LEAT_RETURN_IF_ERROR(context.WithRank(1, 0).status());
  LEAT_RETURN_IF_ERROR(context.WithRank(2, 0).status());
  context.set_output(0, std::move(input));
  return absl::OkStatus();
}

absl::Status DiagShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const PartialShape input,
                        context.WithRankAtLeast(0, 1));
  LEAT_ASSIGN_OR_RETURN(PartialShape output, ConcatenateShapes(input, input));
  context.set_output(0, std::move(output));
  return absl::OkStatus();
}

absl::Status DiagPartShape(InferenceContext& context) {
  const PartialShape& input = context.input(0);
  if (!input.rank_known()) return absl::OkStatus();
  const int half = input.rank() / 2;
  if (input.rank() == 0 || input.rank() % 2 != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("Input must have even and non-zero rank, input rank is ",
                     input.rank()));
  }
  LEAT_ASSIGN_OR_RETURN(PartialShape output,
                        Merge(Subshape(input, 0, half), Subshape(input, half)));
  context.set_output(0, std::move(output));
  return absl::OkStatus();
}

constexpr char kAlign[] =
    "align: {'LEFT_RIGHT', 'RIGHT_LEFT', 'LEFT_LEFT', 'RIGHT_RIGHT'} = "
    "'RIGHT_LEFT'";

void RegisterBands(OpRegistry& registry) {
  registry.Add(
      {.name = "MatrixDiagV3",
       .doc = "Makes matrices with the given diagonals, and padding_value in "
              "all other places.",
       .inputs = {"diagonal: T", "k: int32", "num_rows: int32",
                  "num_cols: int32", "padding_value: T"},
       .outputs = {"output: T"},
       .attrs = {"T: type", kAlign},
       .shape = MatrixDiagShape,
       .work = works::Move},
      {OnCpu({{"T", kPlain.dtypes()}})});
  registry.Add(
      {.name = "MatrixDiagPartV3",
       .doc = "Returns diagonals of matrices, filled up with padding_value to "
              "the longest one.",
       .inputs = {"input: T", "k: int32", "padding_value: T"},
       .outputs = {"diagonal: T"},
       .attrs = {"T: type", kAlign},
       .shape = MatrixDiagPartShape,
       .work = works::Take},
      {OnCpu({{"T", kPlain.dtypes()}})});
  registry.Add({.name = "MatrixSetDiagV3",
                .doc = "Replaces the given diagonals of matrices.",
                .inputs = {"input: T", "diagonal: T", "k: int32"},
                .outputs = {"output: T"},
                .attrs = {"T: type", kAlign},
                .shape = MatrixSetDiagShape,
                .work = works::Move},
               {OnCpu({{"T", kPlain.dtypes()}})});
  registry.Add(
      {.name = "MatrixBandPart",
       .doc = "Keeps a band around the main diagonal of matrices, and sets all "
              "else to zero.",
       .inputs = {"input: T", "num_lower: Tindex", "num_upper: Tindex"},
       .outputs = {"band: T"},
       .attrs = {"T: type", "Tindex: {int32, int64} = int64"},
       .shape = MatrixBandPartShape,
       .work = works::Move},
      {OnCpu({{"T", kPlain.dtypes()}})});
}

}  // namespace

void Register(OpRegistry& registry) {
  RegisterBands(registry);
  registry.Add({.name = "MatrixDiag",
                .doc = "Makes square matrices with the given main diagonal and "
                       "zeros elsewhere.",
                .inputs = {"diagonal: T"},
                .outputs = {"output: T"},
                .attrs = {"T: type"},
                .shape = MatrixDiagShape,
                .work = works::Move},
               {OnCpu({{"T", kPlain.dtypes()}})});
  registry.Add({.name = "MatrixDiagPart",
                .doc = "Returns the main diagonals of matrices.",
                .inputs = {"input: T"},
                .outputs = {"diagonal: T"},
                .attrs = {"T: type"},
                .shape = MatrixDiagPartShape,
                .work = works::Take},
               {OnCpu({{"T", kPlain.dtypes()}})});
  registry.Add({.name = "MatrixSetDiag",
                .doc = "Replaces the main diagonals of matrices.",
                .inputs = {"input: T", "diagonal: T"},
                .outputs = {"output: T"},
                .attrs = {"T: type"},
                .shape = MatrixSetDiagShape,
                .work = works::Move},
               {OnCpu({{"T", kPlain.dtypes()}})});
  registry.Add(
      {.name = "Diag",
       .doc = "Makes a tensor of twice the rank that has zeros everywhere but "
              "on its diagonal.",
       .inputs = {"diagonal: T"},
       .outputs = {"output: T"},
       .attrs = {"T: {bfloat16, half, float, double, int32, int64, complex64, "
                 "complex128}"},
       .shape = DiagShape,
       .work = works::Move},
      {OnCpu({{"T", (kFloatsAndComplexes + kIndices).dtypes()}})});
  registry.Add(
      {.name = "DiagPart",
       .doc = "Returns the diagonal of a tensor whose two halves of axes have "
              "the same extents.",
       .inputs = {"input: T"},
       .outputs = {"diagonal: T"},
       .attrs = {"T: {bfloat16, half, float, double, int32, int64, complex64, "
                 "complex128}"},
       .shape = DiagPartShape,
       .work = works::Take},
      {OnCpu({{"T", (kFloatsAndComplexes + kIndices).dtypes()}})});
}

}  // namespace leat::ops::matrix_diag
