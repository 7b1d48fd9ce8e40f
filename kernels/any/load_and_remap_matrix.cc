// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernel of LoadAndRemapMatrix. It loads a matrix from a checkpoint
// and moves the rows and columns to new places. A model uses it if its
// vocabulary has changed since the checkpoint was saved: each row or column of
// the matrix belongs to a word.
#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/checkpoint/bundle_reader.h"
#include "leat/core/saturating.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/file_kernel.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::any::load_and_remap_matrix {
namespace {

// Maps the rows (or columns) of the old matrix to those of the new matrix. The
// id of a row or column is its index in its matrix.
class Remapping {
 public:
  // `old_ids[i]` is the old id for the new id i, or negative if there is none.
  // Returns UNIMPLEMENTED, in TensorFlow's words, if an old id occurs twice.
  static absl::StatusOr<Remapping> Create(KernelContext& context,
                                          absl::Span<const int64_t> old_ids) {
    Remapping remapping(old_ids);
    LEAT_ASSIGN_OR_RETURN(
        remapping.order_,
        context.AllocateTemporary(DType::kInt64,
                                  Shape{static_cast<int64_t>(old_ids.size())}));
    const absl::Span<int64_t> order = remapping.order_.mutable_data<int64_t>();
    for (size_t i = 0; i < order.size(); ++i) {
      order[i] = static_cast<int64_t>(i);
    }
    std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      return std::pair(old_ids[a], a) < std::pair(old_ids[b], b);
    });
    const int64_t* twice = nullptr;  // the first new id that repeats an old id
    for (size_t i = 1; i < order.size(); ++i) {
      if (old_ids[order[i]] >= 0 &&
          old_ids[order[i]] == old_ids[order[i - 1]] &&
          (twice == nullptr || order[i] < *twice)) {
        twice = &order[i];
      }
    }
    if (twice == nullptr) return remapping;
    return absl::UnimplementedError(absl::StrCat(
        "Old ID ", old_ids[*twice], " is mapped to both new ID ", *(twice - 1),
        " and ", *twice, ", which is not supported."));
  }

  bool IsMissing(int64_t new_id) const { return old_ids_[new_id] < 0; }
  // least and greatest return the least and the greatest old id that has a new
  // id. They return a negative number if there is none.
  int64_t least() const {
    const absl::Span<const int64_t> wanted = From(0);
    return wanted.empty() ? -1 : old_ids_[wanted.front()];
  }
  int64_t greatest() const {
    const absl::Span<const int64_t> wanted = From(0);
    return wanted.empty() ? -1 : old_ids_[wanted.back()];
  }

  // Calls `visit(old_id, new_id)` for each old id in [begin, end) that has a
  // new id.
  template <class Visit>
  void ForEach(int64_t begin, int64_t end, Visit visit) const {
    for (const int64_t new_id : From(begin)) {
      if (old_ids_[new_id] >= end) return;
      visit(old_ids_[new_id], new_id);
    }
  }

 private:
  explicit Remapping(absl::Span<const int64_t> old_ids) : old_ids_(old_ids) {}

  // Returns the new ids whose old ids are `begin` or greater, sorted by their
  // old ids.
  absl::Span<const int64_t> From(int64_t begin) const {
    const absl::Span<const int64_t> order = order_.data<int64_t>();
    const auto first = std::lower_bound(
        order.begin(), order.end(), begin,
        [this](int64_t a, int64_t id) { return old_ids_[a] < id; });
    return order.subspan(static_cast<size_t>(first - order.begin()));
  }

  absl::Span<const int64_t> old_ids_;  // by new id
  Tensor order_;                       // the new ids, sorted by old id
};

class LoadAndRemapMatrix final : public FileKernel {
 public:
  LoadAndRemapMatrix(int64_t num_rows, int64_t num_cols, int64_t rows_at_once)
      : num_rows_(num_rows), num_cols_(num_cols), rows_at_once_(rows_at_once) {}

 private:
  absl::Status Run(KernelContext& context,
                   const FileAccess& files) const override {
    LEAT_RETURN_IF_ERROR(CheckInputs(context));
    LEAT_ASSIGN_OR_RETURN(
        const Remapping rows,
        Remapping::Create(context, context.input(2).data<int64_t>()));
    LEAT_ASSIGN_OR_RETURN(
        const Remapping cols,
        Remapping::Create(context, context.input(3).data<int64_t>()));
    const bool same_cols = context.input(3).num_elements() == 0;
    const auto& name = context.input(1).scalar<std::string>();
    LEAT_ASSIGN_OR_RETURN(
        const auto reader,
        BundleReader::Open(files, context.input(0).scalar<std::string>(),
                           OptionsOf(context)));
    LEAT_ASSIGN_OR_RETURN(const BundleEntry entry, reader->Find(name));
    LEAT_RETURN_IF_ERROR(CheckEntry(name, entry, same_cols));
    LEAT_ASSIGN_OR_RETURN(Tensor * matrix, context.AllocateOutput(
                                               0, Shape{num_rows_, num_cols_}));
    const absl::Span<float> out = matrix->mutable_data<float>();
    // Elements stay 0 if their column does not exist in the old matrix.
    // TensorFlow leaves these elements uninitialized.
    std::fill(out.begin(), out.end(), 0.0f);
    if (rows.greatest() >= 0) {
      LEAT_RETURN_IF_ERROR(Load(*reader, name, entry.shape, rows,
                                same_cols ? nullptr : &cols, out));
    }
    return Initialize(context, rows, same_cols ? nullptr : &cols, out);
  }

  absl::Status CheckInputs(const KernelContext& context) const {
    const Shape& rows = context.input(2).shape();
    const Shape& cols = context.input(3).shape();
    if (!rows.IsVector()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "The `row_remapping` tensor must be 1-D, got a tensor of shape ",
          rows.DebugString()));
    }
    if (rows.dim(0) != num_rows_) {
      return absl::InvalidArgumentError(
          absl::StrCat("Size of row_remapping is ", rows.dim(0),
                       " instead of being equal to num_rows=", num_rows_));
    }
    // TensorFlow ends the process in this case.
    if (!cols.IsVector()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "The `col_remapping` tensor must be 1-D, got a tensor of shape ",
          cols.DebugString()));
    }
    if (cols.dim(0) > 0 && cols.dim(0) != num_cols_) {
      return absl::InvalidArgumentError(
          absl::StrCat("Provided col_remapping, but its size is ", cols.dim(0),
                       " instead of being equal to num_cols=", num_cols_));
    }
    for (const int i : {0, 1}) {
      if (context.input(i).num_elements() == 1) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("The `", i == 0 ? "ckpt_path" : "old_tensor_name",
                       "` tensor must have exactly one element, got tensor of "
                       "shape ",
                       context.input(i).shape().DebugString()));
    }
    return absl::OkStatus();
  }

  absl::Status CheckEntry(const std::string& name, const BundleEntry& entry,
                          bool same_cols) const {
    const std::string tensor = absl::StrCat("Tensor ", name);
    if (entry.dtype != DType::kFloat) {
      return absl::InvalidArgumentError(
          absl::StrCat(tensor, " has invalid type ", Name(entry.dtype),
                       " instead of expected type float"));
    }
    const std::string shape = entry.shape.DebugString();
    if (entry.shape.rank() != 2) {
      return absl::InvalidArgumentError(absl::StrCat(
          tensor, " has shape ", shape, " of invalid rank ", entry.shape.rank(),
          " instead of expected shape of rank 2."));
    }
    if (!same_cols || entry.shape.dim(1) == num_cols_) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat(
        tensor, " has shape ", shape,
        ", where the size of its 2nd dimension is ", entry.shape.dim(1),
        " instead of being equal to num_cols=", num_cols_));
  }

  // Returns all rows that are needed, as one range. If the matrix does not have
  // some of these rows, returns TensorFlow's error. TensorFlow reads
  // `rows_at_once_` rows at a time, and its error names the rows of the first
  // read that fails.
  absl::StatusOr<TensorSlice> RowsToRead(const Shape& shape,
                                         const Remapping& rows) const {
    int64_t start = rows.least();
    int64_t count = SaturatingAdd(rows.greatest() - start, 1);
    if (rows.greatest() >= shape.dim(0) && rows_at_once_ > 0) {
      const int64_t left = std::max<int64_t>(0, shape.dim(0) - start);
      start += left / rows_at_once_ * rows_at_once_;
      count =
          std::min(rows_at_once_, SaturatingAdd(rows.greatest() - start, 1));
    }
    LEAT_ASSIGN_OR_RETURN(TensorSlice slice, TensorSlice::Parse(absl::StrCat(
                                                 start, ",", count, ":-")));
    LEAT_RETURN_IF_ERROR(slice.ShapeWithin(shape).status());
    return slice;
  }

  // Copies the wanted elements to their new places. Holds only a few elements
  // in memory at a time, whatever max_rows_in_memory is.
  absl::Status Load(const BundleReader& reader, const std::string& name,
                    const Shape& shape, const Remapping& rows,
                    const Remapping* cols, absl::Span<float> out) const {
    LEAT_ASSIGN_OR_RETURN(const TensorSlice slice, RowsToRead(shape, rows));
    const int64_t width = shape.dim(1);
    const auto put = [&](int64_t first, absl::string_view bytes) {
      first += rows.least() * width;
      const int64_t end =
          first + static_cast<int64_t>(bytes.size() / sizeof(float));
      const auto copy = [&](int64_t old_element, int64_t new_element,
                            int64_t count) {
        std::memcpy(&out[new_element],
                    bytes.data() + (old_element - first) *
                                       static_cast<int64_t>(sizeof(float)),
                    static_cast<size_t>(count) * sizeof(float));
      };
      rows.ForEach(
          first / width, (end + width - 1) / width,
          [&](int64_t old_row, int64_t new_row) {
            const int64_t row = old_row * width;
            const int64_t from = std::max(first - row, int64_t{0});
            const int64_t to = std::min(end - row, width);
            if (cols == nullptr) {
              copy(row + from, new_row * num_cols_ + from, to - from);
              return;
            }
            cols->ForEach(from, to, [&](int64_t old_col, int64_t new_col) {
              copy(row + old_col, new_row * num_cols_ + new_col, 1);
            });
          });
    };
    return reader.Visit(name, slice, put);
  }

  // Fills the rows and columns that do not come from the old matrix with the
  // values of the input initializing_values.
  absl::Status Initialize(const KernelContext& context, const Remapping& rows,
                          const Remapping* cols, absl::Span<float> out) const {
    const absl::Span<const float> values = context.input(4).data<float>();
    size_t used = 0;
    for (int64_t row = 0; row < num_rows_; ++row) {
      for (int64_t col = 0; col < num_cols_; ++col) {
        if (!rows.IsMissing(row) &&
            (cols == nullptr || !cols->IsMissing(col))) {
          continue;
        }
        if (used == values.size()) {
          return absl::InvalidArgumentError(
              absl::StrCat("initializing_values contained ", values.size(),
                           " elements, but more missing values remain."));
        }
        out[row * num_cols_ + col] = values[used++];
      }
    }
    if (used == values.size()) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat(
        "initializing_values contained ", values.size(), " elements, but only ",
        used, " elements were used to fill in missing values."));
  }

  const int64_t num_rows_;
  const int64_t num_cols_;
  const int64_t rows_at_once_;  // max_rows_in_memory
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeLoad(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const int64_t num_rows,
                        node.attrs.Get<int64_t>("num_rows"));
  LEAT_ASSIGN_OR_RETURN(const int64_t num_cols,
                        node.attrs.Get<int64_t>("num_cols"));
  LEAT_ASSIGN_OR_RETURN(const int64_t rows_at_once,
                        node.attrs.Get<int64_t>("max_rows_in_memory"));
  // Checks that the shape is possible.
  LEAT_RETURN_IF_ERROR(Shape::Create({num_rows, num_cols}).status());
  return std::unique_ptr<Kernel>(
      std::make_unique<LoadAndRemapMatrix>(num_rows, num_cols, rows_at_once));
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("LoadAndRemapMatrix", kCpu, &MakeLoad);
}

}  // namespace leat::kernels::any::load_and_remap_matrix
