// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of SaveV2 and RestoreV2, which write and read
// checkpoints.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/checkpoint/bundle_reader.h"
#include "leat/checkpoint/bundle_writer.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/file_kernel.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::any::save {
namespace {

constexpr int kFirstTensor = 3;  // the first input of SaveV2 that is saved

// Holds the inputs that both ops have: the prefix of the checkpoint, and the
// names and slices of the tensors.
struct Request {
  std::string prefix;
  absl::Span<const std::string> names;
  absl::Span<const std::string> slices;  // "" stands for the whole tensor
};

// Checks the first three inputs, with TensorFlow's words.
absl::StatusOr<Request> GetRequest(const KernelContext& context) {
  const Tensor& prefix = context.input(0);
  const Tensor& names = context.input(1);
  const Tensor& slices = context.input(2);
  if (prefix.num_elements() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("Input prefix should have a single element, got ",
                     prefix.num_elements(), " instead."));
  }
  if (!names.shape().IsVector() || !slices.shape().IsVector()) {
    return absl::InvalidArgumentError(
        absl::StrCat("Input tensor_names and shape_and_slices should be an 1-D "
                     "tensors, got ",
                     names.shape().DebugString(), " and ",
                     slices.shape().DebugString(), " instead."));
  }
  if (names.num_elements() != slices.num_elements()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "tensor_names and shape_and_slices have different number of elements: ",
        names.num_elements(), " vs. ", slices.num_elements()));
  }
  return Request{prefix.scalar<std::string>(), names.data<std::string>(),
                 slices.data<std::string>()};
}

class SaveV2 final : public FileKernel {
  absl::Status Run(KernelContext& context,
                   const FileAccess& files) const override {
    LEAT_ASSIGN_OR_RETURN(const Request request, GetRequest(context));
    const int num_tensors = context.num_inputs() - kFirstTensor;
    if (request.names.size() != static_cast<size_t>(num_tensors)) {
      return absl::InvalidArgumentError(
          absl::StrCat("Got ", request.names.size(), " tensor names but ",
                       num_tensors, " tensors."));
    }
    LEAT_ASSIGN_OR_RETURN(
        const auto writer,
        BundleWriter::Create(files, request.prefix, OptionsOf(context)));
    for (size_t i = 0; i < request.names.size(); ++i) {
      const Tensor& tensor = context.input(kFirstTensor + static_cast<int>(i));
      if (request.slices[i].empty()) {
        LEAT_RETURN_IF_ERROR(writer->Add(request.names[i], tensor));
        continue;
      }
      LEAT_ASSIGN_OR_RETURN(const ShapeAndSlice part,
                            ParseShapeAndSlice(request.slices[i]));
      LEAT_RETURN_IF_ERROR(
          writer->AddSlice(request.names[i], part.full, part.slice, tensor));
    }
    return writer->Finish();
  }
};

class RestoreV2 final : public FileKernel {
 public:
  explicit RestoreV2(std::vector<PartialShape> shapes)
      : shapes_(std::move(shapes)) {}

 private:
  absl::Status Run(KernelContext& context,
                   const FileAccess& files) const override {
    LEAT_ASSIGN_OR_RETURN(const Request request, GetRequest(context));
    if (request.names.size() != static_cast<size_t>(context.num_outputs())) {
      return absl::InvalidArgumentError(
          absl::StrCat("Got ", request.names.size(), " tensor names, but ",
                       context.num_outputs(), " expected dtypes."));
    }
    const auto reader =
        BundleReader::Open(files, request.prefix, OptionsOf(context));
    if (absl::IsNotFound(reader.status())) {
      return absl::NotFoundError(absl::StrCat(
          "Unsuccessful TensorSliceReader constructor: Failed to find any "
          "matching files for ",
          request.prefix, " (", reader.status().message(), ")"));
    }
    LEAT_RETURN_IF_ERROR(reader.status());
    for (size_t i = 0; i < request.names.size(); ++i) {
      LEAT_ASSIGN_OR_RETURN(Tensor tensor,
                            Restore(context, **reader, request.names[i],
                                    request.slices[i], static_cast<int>(i)));
      context.set_output(static_cast<int>(i), std::move(tensor));
    }
    return absl::OkStatus();
  }

  // Returns output number `i`, which is the tensor `name` or a slice of it.
  absl::StatusOr<Tensor> Restore(KernelContext& context,
                                 const BundleReader& reader,
                                 const std::string& name,
                                 const std::string& slice, int i) const {
    const DType dtype = context.node().output_types[i];
    LEAT_ASSIGN_OR_RETURN(const BundleEntry entry, reader.Find(name));
    if (entry.dtype != dtype) {
      return absl::InvalidArgumentError(
          absl::StrCat("tensor_name = ", name, "; expected dtype ", Name(dtype),
                       " does not equal original dtype ", Name(entry.dtype)));
    }
    Allocator& allocator = context.step().device->allocator();
    if (slice.empty()) {
      LEAT_RETURN_IF_ERROR(CheckShape(name, entry.shape, i));
      return reader.Read(name, allocator);
    }
    LEAT_ASSIGN_OR_RETURN(const ShapeAndSlice part, ParseShapeAndSlice(slice));
    if (part.full != entry.shape) {
      return absl::InvalidArgumentError(absl::StrCat(
          "tensor_name = ", name, "; shape in shape_and_slice spec ",
          part.full.DebugString(),
          " does not match the shape stored in checkpoint: ",
          entry.shape.DebugString()));
    }
    return reader.ReadSlice(name, part.slice, allocator);
  }

  absl::Status CheckShape(const std::string& name, const Shape& shape,
                          int i) const {
    if (shapes_.empty() || shapes_[i].IsCompatibleWith(PartialShape(shape))) {
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(absl::StrCat(
        "tensor_name = ", name, "; expected shape ", shapes_[i].DebugString(),
        " does not match the shape stored in checkpoint: ",
        shape.DebugString()));
  }

  const std::vector<PartialShape> shapes_;  // of the outputs; empty: any shapes
};

// The text of a slice cannot say that a tensor must be a scalar. So a node may
// give the shapes of its outputs in TensorFlow's attr _output_shapes.
absl::StatusOr<std::unique_ptr<Kernel>> MakeRestore(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(
      std::vector<PartialShape> shapes,
      node.attrs.GetOr<std::vector<PartialShape>>("_output_shapes", {}));
  LEAT_ASSIGN_OR_RETURN(const auto dtypes,
                        node.attrs.Get<std::vector<DType>>("dtypes"));
  if (!shapes.empty() && shapes.size() != dtypes.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("_output_shapes has ", shapes.size(), " shapes for ",
                     dtypes.size(), " outputs"));
  }
  return std::unique_ptr<Kernel>(
      std::make_unique<RestoreV2>(std::move(shapes)));
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("SaveV2", kCpu, &Make<SaveV2>);
  registry.Add("RestoreV2", kCpu, &MakeRestore);
}

}  // namespace leat::kernels::any::save
