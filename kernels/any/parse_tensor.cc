// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernel of ParseTensor.
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "leat/core/codec/parsed_bytes.h"
#include "leat/core/codec/tensor_codec.h"
#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/protos/tensor.pb.h"

namespace leat::kernels::any::parse_tensor {
namespace {

// An error shows at most this many bytes of a damaged message.
constexpr size_t kMaxShownBytes = 1024;

absl::Status CannotParse(absl::string_view bytes) {
  return absl::InvalidArgumentError(
      absl::StrCat("Could not parse `serialized` as TensorProto, base64: ",
                   absl::Base64Escape(bytes.substr(0, kMaxShownBytes))));
}

class ParseTensor final : public Kernel {
 public:
  explicit ParseTensor(DType type) : type_(type) {}

  absl::Status Compute(KernelContext& context) const override {
    const Tensor& serialized = context.input(0);
    if (!serialized.shape().IsScalar()) {
      return absl::InvalidArgumentError(
          absl::StrCat("Expected `serialized` to be a scalar, got shape: ",
                       serialized.shape().DebugString()));
    }
    Allocator& allocator = context.step().device->allocator();
    const std::string& bytes = serialized.scalar<std::string>();
    // The message takes memory until the tensor is made.
    const BufferRef counted = allocator.Reserve(ParsedBytes(
        bytes, *pb::TensorProto::descriptor(), kMaxDecodedTensorBytes));
    if (counted == nullptr) {
      return absl::ResourceExhaustedError(absl::StrCat(
          "there is no memory to parse a tensor of ", bytes.size(), " bytes"));
    }
    pb::TensorProto proto;
    if (!proto.ParseFromString(bytes)) return CannotParse(bytes);
    absl::StatusOr<Tensor> tensor = DecodeTensor(
        proto, allocator, kMaxDecodedTensorBytes, &BuiltinOps().variants());
    if (absl::IsResourceExhausted(tensor.status())) return tensor.status();
    if (!tensor.ok()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Cannot parse tensor from proto: ", tensor.status().message()));
    }
    if (tensor->dtype() != type_) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Type mismatch between parsed tensor (", Name(tensor->dtype()),
          ") and dtype (", Name(type_), ")"));
    }
    context.set_output(0, *std::move(tensor));
    return absl::OkStatus();
  }

 private:
  const DType type_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeParseTensor(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const DType type, node.attrs.Get<DType>("out_type"));
  return std::unique_ptr<Kernel>(std::make_unique<ParseTensor>(type));
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("ParseTensor", kCpu, &MakeParseTensor);
}

}  // namespace leat::kernels::any::parse_tensor
