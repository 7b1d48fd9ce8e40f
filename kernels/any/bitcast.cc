// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernel of Bitcast, which reads the bytes of a tensor as elements
// of another type.
#include <cstdint>
#include <cstring>
#include <memory>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::any::bitcast {
namespace {

// Returns the shape of a tensor of shape `from` whose elements of `from_type`
// are read as elements of `to_type`. If those are smaller, there is a new last
// dimension, and if they are larger, the last dimension goes.
absl::StatusOr<Shape> BitcastShape(const Shape& from, DType from_type,
                                   DType to_type) {
  const auto from_size = static_cast<int64_t>(SizeOf(from_type));
  const auto to_size = static_cast<int64_t>(SizeOf(to_type));
  Dims dims(from.dims().begin(), from.dims().end());
  if (from_size > to_size) {
    dims.push_back(from_size / to_size);
  } else if (from_size < to_size) {
    if (dims.empty() || dims.back() != to_size / from_size) {
      return absl::InvalidArgumentError(
          absl::StrCat("Cannot bitcast from ", static_cast<int>(from_type),
                       " to ", static_cast<int>(to_type)));
    }
    dims.pop_back();
  }
  return Shape::Create(dims);
}

absl::Status ComputeBitcast(KernelContext& context) {
  const DType type = context.node().output_types[0];
  Tensor input = context.input(0);
  LEAT_ASSIGN_OR_RETURN(const Shape shape,
                        BitcastShape(input.shape(), input.dtype(), type));
  // Part of a tensor of small elements may lie where no larger one may begin.
  const auto address = reinterpret_cast<uintptr_t>(input.raw_data());
  if (input.num_elements() > 0 && address % SizeOf(type) == 0) {
    context.set_output(0, Tensor::FromBuffer(type, shape, input.buffer(),
                                             input.mutable_raw_data()));
    return absl::OkStatus();
  }
  LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(0, shape));
  if (input.num_elements() > 0) {
    std::memcpy(output->mutable_raw_data(), input.raw_data(),
                static_cast<size_t>(input.num_bytes()));
  }
  return absl::OkStatus();
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("Bitcast", kCpu, &MakeFunction<&ComputeBitcast>);
}

}  // namespace leat::kernels::any::bitcast
