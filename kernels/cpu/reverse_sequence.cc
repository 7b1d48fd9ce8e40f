// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernel of ReverseSequence, which reverses the start of each
// sequence in a batch.
#include <algorithm>
#include <memory>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/parallel_for.h"
#include "leat/kernels/element_copy.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::cpu::reverse_sequence {
namespace {

// Returns INVALID_ARGUMENT unless both dimensions exist and differ.
absl::Status CheckDimensions(int64_t seq_dim, int64_t batch_dim, int rank) {
  if (batch_dim < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("Invalid batch_dim ", batch_dim));
  }
  if (seq_dim < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("Invalid seq_dim ", seq_dim));
  }
  if (batch_dim == seq_dim) {
    return absl::InvalidArgumentError(
        absl::StrCat("batch_dim == seq_dim == ", seq_dim));
  }
  if (seq_dim >= rank) {
    return absl::InvalidArgumentError(absl::StrCat(
        "seq_dim must be < input rank ( ", seq_dim, " vs. ", rank, ")"));
  }
  if (batch_dim >= rank) {
    return absl::InvalidArgumentError(absl::StrCat(
        "batch_dim must be < input rank ( ", batch_dim, " vs. ", rank, ")"));
  }
  return absl::OkStatus();
}

// Returns how many elements of each sequence are reversed.
absl::StatusOr<Dims> GetLengths(const Tensor& tensor, const Shape& input,
                                int seq_dim, int batch_dim) {
  if (tensor.rank() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("seq_lengths must be 1-dim, not ", tensor.rank()));
  }
  if (tensor.dim(0) != input.dim(batch_dim)) {
    return absl::InvalidArgumentError(
        absl::StrCat("Length of seq_lengths != input.dims(", batch_dim, "), (",
                     tensor.dim(0), " vs. ", input.dim(batch_dim), ")"));
  }
  LEAT_ASSIGN_OR_RETURN(Dims lengths, GetIndices(tensor, "seq_lengths"));
  for (size_t i = 0; i < lengths.size(); ++i) {
    if (lengths[i] < 0) {
      return absl::InvalidArgumentError(absl::StrCat("seq_lens(", i, ") < 0"));
    }
    if (lengths[i] > input.dim(seq_dim)) {
      return absl::InvalidArgumentError(
          absl::StrCat("seq_lens(", i, ") > input.dims(", seq_dim, ")"));
    }
  }
  return lengths;
}

template <class E>
class ReverseSequence final : public Kernel {
 public:
  ReverseSequence(int64_t seq_dim, int64_t batch_dim)
      : seq_dim_(seq_dim), batch_dim_(batch_dim) {}

  absl::Status Compute(KernelContext& context) const final {
    const Tensor& input = context.input(0);
    LEAT_RETURN_IF_ERROR(CheckDimensions(seq_dim_, batch_dim_, input.rank()));
    const int seq_dim = static_cast<int>(seq_dim_);
    const int batch_dim = static_cast<int>(batch_dim_);
    LEAT_ASSIGN_OR_RETURN(
        const Dims lengths,
        GetLengths(context.input(1), input.shape(), seq_dim, batch_dim));
    LEAT_ASSIGN_OR_RETURN(Tensor * output,
                          context.AllocateOutput(0, input.shape()));
    if (input.num_elements() == 0) return absl::OkStatus();
    const Dims strides = input.shape().Strides();
    // A row is what lies behind the last of the two dimensions.
    const int64_t row_size = strides[std::max(seq_dim, batch_dim)];
    const int64_t seq_stride = strides[seq_dim] / row_size;
    const int64_t batch_stride = strides[batch_dim] / row_size;
    const int64_t seq_extent = input.dim(seq_dim);
    const int64_t batch_extent = input.dim(batch_dim);
    const E* from = Elements<E>(input);
    E* to = MutableElements<E>(*output);
    ParallelFor(
        context.compute_queue(), input.num_elements() / row_size,
        /*cost_per_item=*/8 + row_size / 4, [&](int64_t begin, int64_t end) {
          for (int64_t row = begin; row < end; ++row) {
            const int64_t time = row / seq_stride % seq_extent;
            const int64_t length = lengths[row / batch_stride % batch_extent];
            const int64_t shift =
                time < length ? (length - 1 - 2 * time) * seq_stride : 0;
            CopyElements(from + (row + shift) * row_size, row_size,
                         to + row * row_size);
          }
        });
    return absl::OkStatus();
  }

 private:
  const int64_t seq_dim_;
  const int64_t batch_dim_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeReverseSequence(
    const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const int64_t seq_dim, node.attrs.GetInt32("seq_dim"));
  LEAT_ASSIGN_OR_RETURN(const int64_t batch_dim,
                        node.attrs.GetInt32("batch_dim"));
  return MakeForElement(node, "T", [&](auto tag) -> std::unique_ptr<Kernel> {
    using E = typename decltype(tag)::type;
    return std::make_unique<ReverseSequence<E>>(seq_dim, batch_dim);
  });
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("ReverseSequence", kCpu, &MakeReverseSequence);
}

}  // namespace leat::kernels::cpu::reverse_sequence
