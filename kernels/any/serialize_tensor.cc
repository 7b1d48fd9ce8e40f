// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernel of SerializeTensor.
#include <string>

#include "absl/strings/str_cat.h"
#include "leat/core/codec/tensor_codec.h"
#include "leat/core/held_bytes.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/protos/tensor.pb.h"

namespace leat::kernels::any::serialize_tensor {
namespace {

absl::Status SerializeTensor(KernelContext& context) {
  const Tensor& tensor = context.input(0);
  // The message takes about as much memory as the tensor.
  const BufferRef counted = context.step().device->allocator().Reserve(
      tensor.num_bytes() + tensor.held_bytes());
  if (counted == nullptr) {
    return absl::ResourceExhaustedError(
        absl::StrCat("there is no memory to serialize a tensor of ",
                     tensor.num_bytes(), " bytes"));
  }
  pb::TensorProto proto;
  LEAT_RETURN_IF_ERROR(EncodeTensor(tensor, &proto));
  const size_t size = proto.ByteSizeLong();
  LEAT_ASSIGN_OR_RETURN(
      Tensor* const output,
      context.AllocateOutput(0, Shape{}, HeldBytesOfText(size)));
  if (!proto.SerializeToString(&output->mutable_data<std::string>()[0])) {
    return absl::InvalidArgumentError("the tensor does not fit into a message");
  }
  return absl::OkStatus();
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("SerializeTensor", kCpu, &MakeFunction<&SerializeTensor>);
}

}  // namespace leat::kernels::any::serialize_tensor
