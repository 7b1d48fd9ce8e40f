// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of the TensorArray ops that work on arrays and on single
// elements: TensorArrayV3, TensorArrayGradV3, TensorArrayGradWithShape,
// TensorArrayWriteV3, -ReadV3, -SizeV3 and -CloseV3.
//
// Arrays are changed in place. A float, the flow, goes from op to op and makes
// them run in the order of the program. Its value means nothing.
#include "leat/kernels/arrays/tensor_array.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/arrays/step_handle.h"
#include "leat/kernels/arrays/tensor_array_access.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/tensor_list_access.h"

namespace leat::kernels::any::tensor_array {
namespace {

// The names of resources are TensorFlow's.
constexpr char kArrayPrefix[] = "_tensor_arrays";
constexpr char kGradientPrefix[] = "_tensor_array_grads";

// Sets output 1 to the first flow of an array.
absl::Status OutputFlow(KernelContext& context) {
  LEAT_ASSIGN_OR_RETURN(Tensor * flow, context.AllocateOutput(1, Shape{}));
  flow->mutable_data<float>()[0] = 0;
  return absl::OkStatus();
}

class NewArray final : public Kernel {
 public:
  explicit NewArray(TensorArrayOptions options)
      : options_(std::move(options)) {}

  absl::Status Compute(KernelContext& context) const final {
    LEAT_RETURN_IF_ERROR(CheckScalarInput(context, 0, "size"));
    TensorArrayOptions options = options_;
    options.size = context.input(0).scalar<int32_t>();
    if (options.size < 0) {
      return absl::InvalidArgumentError("Size should be >= 0.");
    }
    LEAT_ASSIGN_OR_RETURN(options.name,
                          NewStepName(context, "tensor_array_name"));
    LEAT_RETURN_IF_ERROR(OutputStepResource<TensorArray>(
        context, absl::StrCat(kArrayPrefix, options.name),
        [&]() -> absl::StatusOr<std::shared_ptr<TensorArray>> {
          return std::make_shared<TensorArray>(options);
        }));
    return OutputFlow(context);
  }

 private:
  const TensorArrayOptions options_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeArray(const NodeDef& node) {
  TensorArrayOptions options;
  LEAT_ASSIGN_OR_RETURN(options.dtype, node.attrs.Get<DType>("dtype"));
  LEAT_ASSIGN_OR_RETURN(
      options.element_shape,
      node.attrs.GetOr<PartialShape>("element_shape", PartialShape()));
  LEAT_ASSIGN_OR_RETURN(options.is_dynamic,
                        node.attrs.GetOr<bool>("dynamic_size", false));
  LEAT_ASSIGN_OR_RETURN(options.clears_after_read,
                        node.attrs.GetOr<bool>("clear_after_read", true));
  LEAT_ASSIGN_OR_RETURN(
      options.has_identical_shapes,
      node.attrs.GetOr<bool>("identical_element_shapes", false));
  return std::unique_ptr<Kernel>(
      std::make_unique<NewArray>(std::move(options)));
}

// Outputs the gradient array of an array for the attr source, and makes it if
// there is none.
class GradientArray final : public Kernel {
 public:
  explicit GradientArray(std::string source) : source_(std::move(source)) {}

  absl::Status Compute(KernelContext& context) const final {
    LEAT_ASSIGN_OR_RETURN(const std::shared_ptr<TensorArray> array,
                          FindStepResource<TensorArray>(context));
    LEAT_RETURN_IF_ERROR(array->Size().status());
    const std::string name = absl::StrCat(array->name(), "@", source_);
    if (array->is_gradient()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Wrong input container. ", kGradientPrefix, array->name()));
    }
    Shape prepended;
    if (context.num_inputs() > 2) {
      LEAT_ASSIGN_OR_RETURN(prepended, ShapeToPrepend(context.input(2)));
    }
    LEAT_RETURN_IF_ERROR(OutputStepResource<TensorArray>(
        context, absl::StrCat(kGradientPrefix, name), [&] {
          return array->NewGradient(name, prepended, ListMemory(context));
        }));
    return OutputFlow(context);
  }

 private:
  static absl::StatusOr<Shape> ShapeToPrepend(const Tensor& extents) {
    if (extents.rank() != 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("shape must be a vector of {int32,int64}, got shape ",
                       extents.shape().DebugString()));
    }
    return GetShape(extents, "shape_to_prepend");
  }

  const std::string source_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeGradient(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(std::string source,
                        node.attrs.Get<std::string>("source"));
  return std::unique_ptr<Kernel>(
      std::make_unique<GradientArray>(std::move(source)));
}

absl::Status Write(KernelContext& context) {
  const Tensor& value = context.input(2);
  LEAT_RETURN_IF_ERROR(CheckScalarInput(context, 1, "index"));
  LEAT_ASSIGN_OR_RETURN(const std::shared_ptr<TensorArray> array,
                        ArrayToWrite(context, value.dtype()));
  LEAT_RETURN_IF_ERROR(array->Write(context.input(1).scalar<int32_t>(), value,
                                    ListMemory(context),
                                    context.compute_queue()));
  context.set_output(0, context.input(3));
  return absl::OkStatus();
}

absl::Status Read(KernelContext& context) {
  LEAT_RETURN_IF_ERROR(CheckScalarInput(context, 1, "index"));
  LEAT_ASSIGN_OR_RETURN(const std::shared_ptr<TensorArray> array,
                        ArrayToRead(context));
  LEAT_ASSIGN_OR_RETURN(
      TensorArray::Element element,
      array->Read(context.input(1).scalar<int32_t>(), ListMemory(context)));
  if (!element.value.IsValid()) {
    LEAT_ASSIGN_OR_RETURN(element.value,
                          MakeZeros(context, array->dtype(), element.shape()));
  }
  context.set_output(0, std::move(element.value));
  return absl::OkStatus();
}

absl::Status Size(KernelContext& context) {
  LEAT_ASSIGN_OR_RETURN(const std::shared_ptr<TensorArray> array,
                        FindStepResource<TensorArray>(context));
  LEAT_ASSIGN_OR_RETURN(const int64_t size, array->Size());
  LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(0, Shape{}));
  output->mutable_data<int32_t>()[0] = static_cast<int32_t>(size);
  return absl::OkStatus();
}

absl::Status Close(KernelContext& context) {
  LEAT_ASSIGN_OR_RETURN(const std::shared_ptr<TensorArray> array,
                        FindStepResource<TensorArray>(context));
  array->Close();
  return absl::OkStatus();
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("TensorArrayV3", kCpu, &MakeArray);
  registry.Add("TensorArrayGradV3", kCpu, &MakeGradient);
  registry.Add("TensorArrayGradWithShape", kCpu, &MakeGradient);
  registry.Add("TensorArrayWriteV3", kCpu, &MakeFunction<&Write>);
  registry.Add("TensorArrayReadV3", kCpu, &MakeFunction<&Read>);
  registry.Add("TensorArraySizeV3", kCpu, &MakeFunction<&Size>);
  registry.Add("TensorArrayCloseV3", kCpu, &MakeFunction<&Close>);
}

}  // namespace leat::kernels::any::tensor_array
