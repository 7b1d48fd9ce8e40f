// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of DecodeRaw and DecodePaddedRaw, which read the bytes of
// strings as numbers.
#include <algorithm>
#include <complex>
#include <cstring>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/parallel_for.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::any::decode_raw {
namespace {

// Says how the bytes of an element lie in a string.
struct Layout {
  int64_t size = 1;       // of an element
  int64_t part_size = 1;  // of the real part of a complex number
  bool is_reversed = false;
};

absl::StatusOr<Layout> ReadLayout(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const DType type, node.attrs.Get<DType>("out_type"));
  LEAT_ASSIGN_OR_RETURN(const bool little_endian,
                        node.attrs.Get<bool>("little_endian"));
  Layout layout;
  layout.size = static_cast<int64_t>(SizeOf(type));
  layout.part_size = layout.size / (kComplexes.Contains(type) ? 2 : 1);
  layout.is_reversed = !little_endian;
  return layout;
}

// Copies the elements of each string to a row of the output, and fills the row
// with zeros. A row has `row_bytes` bytes.
void CopyRows(const Layout& layout, absl::Span<const std::string> rows,
              int64_t row_bytes, char* to, KernelContext& context) {
  ParallelFor(context.compute_queue(), static_cast<int64_t>(rows.size()),
              /*cost_per_item=*/10 + row_bytes / 4,
              [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) {
                  char* const row = to + i * row_bytes;
                  const auto bytes =
                      std::min(static_cast<int64_t>(rows[i].size()), row_bytes);
                  std::copy_n(rows[i].data(), bytes, row);
                  std::fill(row + bytes, row + row_bytes, '\0');
                  if (!layout.is_reversed || layout.part_size == 1) continue;
                  for (char* part = row; part < row + row_bytes;
                       part += layout.part_size) {
                    std::reverse(part, part + layout.part_size);
                  }
                }
              });
}

// A byte other than 0 becomes true, as the only value that a bool may have.
void MakeBools(char* bytes, int64_t count) {
  for (int64_t i = 0; i < count; ++i) bytes[i] = bytes[i] != 0 ? 1 : 0;
}

absl::StatusOr<Shape> WithLastAxis(const Shape& shape, int64_t extent) {
  Dims dims(shape.dims().begin(), shape.dims().end());
  dims.push_back(extent);
  return Shape::Create(dims);
}

class DecodeRaw final : public Kernel {
 public:
  explicit DecodeRaw(const Layout& layout) : layout_(layout) {}

  absl::Status Compute(KernelContext& context) const override {
    const Tensor& input = context.input(0);
    const auto rows = input.data<std::string>();
    const int64_t row_bytes =
        rows.empty() ? 0 : static_cast<int64_t>(rows[0].size());
    for (size_t i = 1; i < rows.size(); ++i) {
      if (static_cast<int64_t>(rows[i].size()) != row_bytes) {
        return absl::InvalidArgumentError(absl::StrCat(
            "DecodeRaw requires input strings to all be the same size, but "
            "element ",
            i, " has size ", row_bytes, " != ", rows[i].size()));
      }
    }
    const DType type = context.node().output_types[0];
    if (row_bytes % layout_.size != 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("Input to DecodeRaw has length ", row_bytes,
                       " that is not a multiple of ", layout_.size,
                       ", the size of ", Name(type)));
    }
    LEAT_ASSIGN_OR_RETURN(
        const Shape shape,
        WithLastAxis(input.shape(), row_bytes / layout_.size));
    LEAT_ASSIGN_OR_RETURN(Tensor* const output,
                          context.AllocateOutput(0, shape));
    CopyRows(layout_, rows, row_bytes, output->mutable_raw_data(), context);
    if (type == DType::kBool) {
      MakeBools(output->mutable_raw_data(), output->num_elements());
    }
    return absl::OkStatus();
  }

 private:
  const Layout layout_;
};

class DecodePaddedRaw final : public Kernel {
 public:
  explicit DecodePaddedRaw(const Layout& layout) : layout_(layout) {}

  absl::Status Compute(KernelContext& context) const override {
    const Tensor& input = context.input(0);
    const Tensor& fixed_length = context.input(1);
    if (!fixed_length.shape().IsScalar()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "k must be scalar, got shape ", fixed_length.shape().DebugString()));
    }
    const int64_t row_bytes = fixed_length.scalar<int32_t>();
    if (row_bytes <= 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          "fixed_length (", row_bytes, ") must be greater than zero."));
    }
    if (row_bytes % layout_.size != 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          "fixed_length (", row_bytes,
          ") must be a multiple of the size of out_type (", layout_.size, ")"));
    }
    LEAT_ASSIGN_OR_RETURN(
        const Shape shape,
        WithLastAxis(input.shape(), row_bytes / layout_.size));
    LEAT_ASSIGN_OR_RETURN(Tensor* const output,
                          context.AllocateOutput(0, shape));
    CopyRows(layout_, input.data<std::string>(), row_bytes,
             output->mutable_raw_data(), context);
    return absl::OkStatus();
  }

 private:
  const Layout layout_;
};

template <class K>
absl::StatusOr<std::unique_ptr<Kernel>> MakeWithLayout(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const Layout layout, ReadLayout(node));
  return std::unique_ptr<Kernel>(std::make_unique<K>(layout));
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("DecodeRaw", kCpu, &MakeWithLayout<DecodeRaw>);
  registry.Add("DecodePaddedRaw", kCpu, &MakeWithLayout<DecodePaddedRaw>);
}

}  // namespace leat::kernels::any::decode_raw
