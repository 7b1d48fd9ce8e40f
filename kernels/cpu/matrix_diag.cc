// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of MatrixDiag, MatrixDiagPart and MatrixSetDiag and of
// their forms V3. They move diagonals of matrices.
//
// Diagonals are packed: each is a row as long as the longest one, the uppermost
// first. A shorter one lies at the left or at the right end of its row.
#include <algorithm>
#include <memory>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/parallel_for.h"
#include "leat/kernels/element_copy.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::cpu::matrix_diag {
namespace {

// Says where the diagonals above and below the main one lie in their rows.
struct Alignment {
  bool above_is_right = false;
  bool below_is_right = false;
};

// Describes diagonals of matrices. Number 0 is the main diagonal, and those
// with positive numbers lie above it.
struct Diagonals {
  int64_t lower = 0;
  int64_t upper = 0;
  int64_t rows = 0;     // of a matrix
  int64_t columns = 0;  // of a matrix
  int64_t longest = 0;  // the length of the longest diagonal
  Alignment align = {};

  int64_t count() const { return upper - lower + 1; }
  int64_t LengthOf(int64_t d) const {
    return std::max<int64_t>(0, std::min(rows + std::min<int64_t>(d, 0),
                                         columns - std::max<int64_t>(d, 0)));
  }
};

// Reads which diagonals input `i` names. An op without this input is about the
// main diagonal.
absl::Status ReadNumbers(const KernelContext& context, int i,
                         Diagonals& diagonals) {
  if (i >= context.num_inputs()) return absl::OkStatus();
  const Tensor& k = context.input(i);
  if (k.rank() > 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("diag_index must be a scalar or vector, received shape: ",
                     k.shape().DebugString()));
  }
  if (k.num_elements() == 0) {
    return absl::InvalidArgumentError(
        "Expected diag_index to have at least 1 element");
  }
  if (k.num_elements() > 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("diag_index must have only one or two elements, received ",
                     k.num_elements(), " elements."));
  }
  LEAT_ASSIGN_OR_RETURN(const Dims values, GetIndices(k, "diag_index"));
  diagonals.lower = values.front();
  diagonals.upper = values.back();
  if (diagonals.lower > diagonals.upper) {
    return absl::InvalidArgumentError(absl::StrCat(
        "lower_diag_index must not be larger than upper_diag_index: ",
        diagonals.lower, " > ", diagonals.upper));
  }
  return absl::OkStatus();
}

absl::Status CheckRank(const Tensor& tensor, absl::string_view name, int rank) {
  if (tensor.rank() >= rank) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(name, " must be at least ", rank,
                   "-dim, received shape: ", tensor.shape().DebugString()));
}

// Sets the extents of the matrices to those of `input`. Returns
// INVALID_ARGUMENT if they do not have the diagonals.
absl::Status SetMatrices(const Shape& input, Diagonals& diagonals) {
  diagonals.rows = input.dim(input.rank() - 2);
  diagonals.columns = input.dim(input.rank() - 1);
  const auto check = [&](absl::string_view name, int64_t d) {
    if (d == 0 || (-diagonals.rows < d && d < diagonals.columns)) {
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(absl::StrCat(
        name, "_diag_index is out of bound: ", d, ". It must be between ",
        -diagonals.rows, " and ", diagonals.columns));
  };
  LEAT_RETURN_IF_ERROR(check("lower", diagonals.lower));
  LEAT_RETURN_IF_ERROR(check("upper", diagonals.upper));
  diagonals.longest =
      std::min(diagonals.rows + std::min<int64_t>(diagonals.upper, 0),
               diagonals.columns - std::max<int64_t>(diagonals.lower, 0));
  return absl::OkStatus();
}

// Returns the shape of the packed diagonals of matrices of shape `input`.
absl::StatusOr<Shape> PackedShape(const Shape& input,
                                  const Diagonals& diagonals) {
  Dims dims(input.dims().begin(), input.dims().end() - 2);
  if (diagonals.count() > 1) dims.push_back(diagonals.count());
  dims.push_back(diagonals.longest);
  return Shape::Create(dims);
}

// Holds where one diagonal of one matrix lies.
struct Place {
  int64_t in_matrices = 0;  // of its first element
  int64_t in_row = 0;       // of its first element, in its row
  int64_t length = 0;
};

// Calls `visit(row, place)` for each row of the packed diagonals of `batch`
// matrices, in parallel.
template <class Visit>
void ForEachDiagonal(WorkQueue& queue, const Diagonals& diagonals,
                     int64_t batch, Visit visit) {
  ParallelFor(
      queue, batch * diagonals.count(), /*cost_per_item=*/8 + diagonals.longest,
      [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row) {
          const int64_t matrix = row / diagonals.count();
          const int64_t d = diagonals.upper - row % diagonals.count();
          Place place;
          place.length = diagonals.LengthOf(d);
          place.in_matrices =
              (matrix * diagonals.rows + std::max<int64_t>(-d, 0)) *
                  diagonals.columns +
              std::max<int64_t>(d, 0);
          const bool is_right = d > 0 ? diagonals.align.above_is_right
                                      : diagonals.align.below_is_right;
          place.in_row = is_right ? diagonals.longest - place.length : 0;
          visit(row, place);
        }
      });
}

// Writes packed diagonals to matrices.
template <class E>
void WriteDiagonals(WorkQueue& queue, const Diagonals& diagonals, int64_t batch,
                    const E* packed, E* matrices) {
  const int64_t step = diagonals.columns + 1;
  ForEachDiagonal(queue, diagonals, batch, [&](int64_t row, const Place& at) {
    const E* from = packed + row * diagonals.longest + at.in_row;
    E* to = matrices + at.in_matrices;
    for (int64_t i = 0; i < at.length; ++i) to[i * step] = from[i];
  });
}

template <class E>
class MatrixDiag final : public Kernel {
 public:
  explicit MatrixDiag(Alignment align) : align_(align) {}

  absl::Status Compute(KernelContext& context) const final {
    const Tensor& input = context.input(0);
    LEAT_RETURN_IF_ERROR(CheckRank(input, "diagonal", 1));
    Diagonals diagonals = {.align = align_};
    LEAT_RETURN_IF_ERROR(ReadNumbers(context, 1, diagonals));
    const bool is_band = diagonals.count() > 1;
    if (is_band && (input.rank() < 2 ||
                    input.dim(input.rank() - 2) != diagonals.count())) {
      return absl::InvalidArgumentError(
          "The number of diagonals provided in the input does not match the "
          "lower_diag_index and upper_diag_index range.");
    }
    diagonals.longest = input.dim(input.rank() - 1);
    LEAT_RETURN_IF_ERROR(SetExtents(context, diagonals));
    Dims dims(input.shape().dims().begin(),
              input.shape().dims().end() - (is_band ? 2 : 1));
    dims.push_back(diagonals.rows);
    dims.push_back(diagonals.columns);
    LEAT_ASSIGN_OR_RETURN(const Shape shape, Shape::Create(dims));
    E padding = {};
    if (context.num_inputs() > 4) {
      if (context.input(4).rank() != 0) {
        return absl::InvalidArgumentError("padding_value must be a scalar");
      }
      padding = *Elements<E>(context.input(4));
    }
    LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(0, shape));
    E* to = MutableElements<E>(*output);
    ParallelFor(context.compute_queue(), shape.num_elements(),
                /*cost_per_item=*/1, [&](int64_t begin, int64_t end) {
                  std::fill(to + begin, to + end, padding);
                });
    if (input.num_elements() == 0) return absl::OkStatus();
    WriteDiagonals(context.compute_queue(), diagonals,
                   input.num_elements() / diagonals.longest / diagonals.count(),
                   Elements<E>(input), to);
    return absl::OkStatus();
  }

 private:
  // Returns the wanted number of rows or columns, which is input `i`, or -1 if
  // it is not given.
  static absl::StatusOr<int64_t> GetExtent(const KernelContext& context, int i,
                                           absl::string_view name) {
    if (i >= context.num_inputs()) return -1;
    if (context.input(i).rank() != 0) {
      return absl::InvalidArgumentError(
          absl::StrCat(name, " must be a scalar"));
    }
    return context.input(i).scalar<int32_t>();
  }

  // Sets the rows and columns of the matrices. What is not given is as small as
  // possible.
  static absl::Status SetExtents(const KernelContext& context,
                                 Diagonals& diagonals) {
    LEAT_ASSIGN_OR_RETURN(diagonals.rows, GetExtent(context, 2, "num_rows"));
    LEAT_ASSIGN_OR_RETURN(diagonals.columns, GetExtent(context, 3, "num_cols"));
    LEAT_ASSIGN_OR_RETURN(
        const int64_t rows,
        CheckedAdd(diagonals.longest, std::max<int64_t>(-diagonals.upper, 0)));
    LEAT_ASSIGN_OR_RETURN(
        const int64_t columns,
        CheckedAdd(diagonals.longest, std::max<int64_t>(diagonals.lower, 0)));
    if (diagonals.rows == -1 && diagonals.columns == -1) {
      diagonals.rows = diagonals.columns = std::max(rows, columns);
      return absl::OkStatus();
    }
    if (diagonals.rows == -1) diagonals.rows = rows;
    if (diagonals.columns == -1) diagonals.columns = columns;
    if (diagonals.rows < rows) {
      return absl::InvalidArgumentError("The number of rows is too small.");
    }
    if (diagonals.columns < columns) {
      return absl::InvalidArgumentError("The number of columns is too small.");
    }
    if (diagonals.rows > rows && diagonals.columns > columns) {
      return absl::InvalidArgumentError(
          "The number of rows or columns is not consistent with the specified "
          "d_lower, d_upper, and diagonal.");
    }
    return absl::OkStatus();
  }

  const Alignment align_;
};

template <class E>
class MatrixDiagPart final : public Kernel {
 public:
  explicit MatrixDiagPart(Alignment align) : align_(align) {}

  absl::Status Compute(KernelContext& context) const final {
    const Tensor& input = context.input(0);
    LEAT_RETURN_IF_ERROR(CheckRank(input, "input", 2));
    Diagonals diagonals = {.align = align_};
    LEAT_RETURN_IF_ERROR(ReadNumbers(context, 1, diagonals));
    LEAT_RETURN_IF_ERROR(SetMatrices(input.shape(), diagonals));
    E padding = {};
    if (context.num_inputs() > 2) {
      if (context.input(2).num_elements() != 1) {
        return absl::InvalidArgumentError("Padding must be scalar.");
      }
      padding = *Elements<E>(context.input(2));
    }
    LEAT_ASSIGN_OR_RETURN(const Shape shape,
                          PackedShape(input.shape(), diagonals));
    LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(0, shape));
    if (shape.num_elements() == 0) return absl::OkStatus();
    const E* from = Elements<E>(input);
    E* to = MutableElements<E>(*output);
    const int64_t longest = diagonals.longest;
    const int64_t step = diagonals.columns + 1;
    ForEachDiagonal(context.compute_queue(), diagonals,
                    shape.num_elements() / longest / diagonals.count(),
                    [&](int64_t row, const Place& at) {
                      E* out = to + row * longest;
                      const E* in = from + at.in_matrices;
                      std::fill(out, out + at.in_row, padding);
                      for (int64_t i = 0; i < at.length; ++i) {
                        out[at.in_row + i] = in[i * step];
                      }
                      std::fill(out + at.in_row + at.length, out + longest,
                                padding);
                    });
    return absl::OkStatus();
  }

 private:
  const Alignment align_;
};

template <class E>
class MatrixSetDiag final : public Kernel {
 public:
  explicit MatrixSetDiag(Alignment align) : align_(align) {}

  absl::Status Compute(KernelContext& context) const final {
    const Tensor& input = context.input(0);
    const Tensor& packed = context.input(1);
    LEAT_RETURN_IF_ERROR(CheckRank(input, "input", 2));
    LEAT_RETURN_IF_ERROR(CheckRank(packed, "diagonal", 1));
    Diagonals diagonals = {.align = align_};
    LEAT_RETURN_IF_ERROR(ReadNumbers(context, 2, diagonals));
    LEAT_RETURN_IF_ERROR(SetMatrices(input.shape(), diagonals));
    LEAT_RETURN_IF_ERROR(CheckPacked(input.shape(), packed.shape(), diagonals));
    LEAT_ASSIGN_OR_RETURN(Tensor * output,
                          context.ForwardOrAllocate({0}, 0, input.shape()));
    const E* from = Elements<E>(input);
    E* to = MutableElements<E>(*output);
    if (to != from) {
      ParallelFor(context.compute_queue(), input.num_elements(),
                  /*cost_per_item=*/1, [&](int64_t begin, int64_t end) {
                    CopyElements(from + begin, end - begin, to + begin);
                  });
    }
    if (packed.num_elements() == 0) return absl::OkStatus();
    WriteDiagonals(
        context.compute_queue(), diagonals,
        packed.num_elements() / diagonals.longest / diagonals.count(),
        Elements<E>(packed), to);
    return absl::OkStatus();
  }

 private:
  static absl::Status CheckPacked(const Shape& input, const Shape& packed,
                                  const Diagonals& diagonals) {
    if (diagonals.count() > 1 &&
        (packed.rank() < 2 ||
         packed.dim(packed.rank() - 2) != diagonals.count())) {
      return absl::InvalidArgumentError(
          "The number of diagonals provided in `diag` is not consistent with "
          "`lower_diag_index` and `upper_diag_index`");
    }
    LEAT_ASSIGN_OR_RETURN(const Shape expected, PackedShape(input, diagonals));
    if (packed == expected) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat(
        "Either first dimensions of diagonal don't match input.shape[:-2], or "
        "diagonal.shape[:-1] is not equal to the longests diagonal in range "
        "[lower_diag_index:upper_diag_index]. Input shape: ",
        input.DebugString(), " Diagonal shape: ", packed.DebugString(),
        " Expected diagonal shape: ", expected.DebugString()));
  }

  const Alignment align_;
};

// Makes a kernel K<E>. The ops without the attr align are about the main
// diagonal only, which needs none.
template <template <class> class K>
absl::StatusOr<std::unique_ptr<Kernel>> MakeKernel(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const std::string align,
                        node.attrs.GetOr<std::string>("align", "RIGHT_LEFT"));
  const Alignment alignment = {
      .above_is_right = absl::StartsWith(align, "RIGHT"),
      .below_is_right = absl::EndsWith(align, "RIGHT")};
  return MakeForElement(node, "T", [&](auto tag) -> std::unique_ptr<Kernel> {
    return std::make_unique<K<typename decltype(tag)::type>>(alignment);
  });
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("MatrixDiag", kCpu, &MakeKernel<MatrixDiag>);
  registry.Add("MatrixDiagV3", kCpu, &MakeKernel<MatrixDiag>);
  registry.Add("MatrixDiagPart", kCpu, &MakeKernel<MatrixDiagPart>);
  registry.Add("MatrixDiagPartV3", kCpu, &MakeKernel<MatrixDiagPart>);
  registry.Add("MatrixSetDiag", kCpu, &MakeKernel<MatrixSetDiag>);
  registry.Add("MatrixSetDiagV3", kCpu, &MakeKernel<MatrixSetDiag>);
}

}  // namespace leat::kernels::cpu::matrix_diag
