// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of ConditionalAccumulator, SparseConditionalAccumulator
// and ResourceConditionalAccumulator, and of the ops on accumulators. Input 0
// of the ops on accumulators names the accumulator. The input is a resource
// handle, or a reference to a variable with two strings, the container and the
// name of the accumulator.
#include "leat/kernels/resources/accumulator.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/resource_handle.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/handle_output.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/signature.h"
#include "leat/kernels/variable_access.h"

namespace leat::kernels::cpu::accumulator {
namespace {

using Types = absl::InlinedVector<DType, 4>;

absl::StatusOr<AccumulatorOptions> GetOptions(const NodeDef& node) {
  AccumulatorOptions options;
  LEAT_ASSIGN_OR_RETURN(options.dtype, node.attrs.Get<DType>("dtype"));
  LEAT_ASSIGN_OR_RETURN(options.shape, node.attrs.Get<PartialShape>("shape"));
  LEAT_ASSIGN_OR_RETURN(const std::string reduction,
                        node.attrs.Get<std::string>("reduction_type"));
  options.averages = reduction == "MEAN";
  options.is_sparse = node.op->name == "SparseConditionalAccumulator";
  if (!decltype(kFloats)::Contains(options.dtype)) {
    return UnsupportedType(node, "dtype", options.dtype);
  }
  return options;
}

// Makes the node's accumulator if there is none of its name. Outputs a handle
// of the accumulator, or a reference to the variable that contains the
// container and name of the accumulator.
class AccumulatorHandle final : public Kernel {
 public:
  AccumulatorHandle(ResourceName name, AccumulatorOptions options)
      : options_(std::move(options)),
        handle_(std::move(name), Accumulator::kTypeName) {}

  absl::Status Compute(KernelContext& context) const final {
    const auto& named = handle_.Get(context).scalar<ResourceHandle>();
    LEAT_ASSIGN_OR_RETURN(
        const std::shared_ptr<Accumulator> accumulator,
        context.step().resources->FindOrMake<Accumulator>(
            named.container, named.name,
            [&]() -> absl::StatusOr<std::shared_ptr<Accumulator>> {
              AccumulatorOptions options = options_;
              options.name = named.name;
              return std::make_shared<Accumulator>(std::move(options));
            }));
    LEAT_RETURN_IF_ERROR(CheckSame(accumulator->options()));
    return handle_.Set(context);
  }

 private:
  // Checks that the existing accumulator is for gradients of the same kind and
  // dtype. Like TensorFlow, this accepts an accumulator with another shape or
  // reduction.
  absl::Status CheckSame(const AccumulatorOptions& there) const {
    if (there.dtype == options_.dtype &&
        there.is_sparse == options_.is_sparse) {
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(absl::StrCat(
        "Shared accumulator '", there.name, "' is for ",
        there.is_sparse ? "sparse" : "dense", " gradients of type ",
        Name(there.dtype), ", but this node is for ",
        options_.is_sparse ? "sparse" : "dense", " ones of type ",
        Name(options_.dtype)));
  }

  const AccumulatorOptions options_;
  const HandleOutput handle_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeAccumulator(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(ResourceName name, GetPrivateResourceName(node));
  LEAT_ASSIGN_OR_RETURN(AccumulatorOptions options, GetOptions(node));
  return std::unique_ptr<Kernel>(
      std::make_unique<AccumulatorHandle>(std::move(name), std::move(options)));
}

// Returns the accumulator that input 0 names. `inputs` and `outputs` return the
// types that the node's inputs and outputs must have for the accumulator's
// dtype. Returns INVALID_ARGUMENT if the node has other types, or if the
// accumulator is dense and the op is sparse or the other way round.
absl::StatusOr<std::shared_ptr<Accumulator>> GetAccumulator(
    const KernelContext& context, bool is_sparse, Types (*inputs)(DType),
    Types (*outputs)(DType)) {
  LEAT_ASSIGN_OR_RETURN(std::shared_ptr<Accumulator> accumulator,
                        FindResource<Accumulator>(context, 0));
  const AccumulatorOptions& options = accumulator->options();
  if (options.is_sparse != is_sparse) {
    return absl::InvalidArgumentError(
        absl::StrCat("Accumulator '", options.name, "' is for ",
                     options.is_sparse ? "sparse" : "dense", " gradients, but ",
                     context.node().op->name, " is for ",
                     is_sparse ? "sparse" : "dense", " ones"));
  }
  LEAT_RETURN_IF_ERROR(CheckSignature(context.node(), 1, inputs(options.dtype),
                                      outputs(options.dtype)));
  return accumulator;
}

// Returns the value of input `i`. Returns INVALID_ARGUMENT, with `name` in the
// message, if the input is not a scalar.
template <class T>
absl::StatusOr<T> ScalarInput(const KernelContext& context, int i,
                              absl::string_view name) {
  const Tensor& tensor = context.input(i);
  if (!tensor.shape().IsScalar()) {
    return absl::InvalidArgumentError(
        absl::StrCat("Argument ", name, " must be scalar, but had bad shape ",
                     tensor.shape().DebugString()));
  }
  return GetScalar<T>(tensor, name);
}

// Adds a gradient to the accumulator. `has_known_shape` is an attr of the
// sparse op. If it is true, input 4 is the shape of the whole tensor. If it is
// false, the op ignores input 4.
class ApplyGradient final : public Kernel {
 public:
  ApplyGradient(bool is_sparse, bool has_known_shape)
      : is_sparse_(is_sparse), has_known_shape_(has_known_shape) {}

  absl::Status Compute(KernelContext& context) const final {
    LEAT_ASSIGN_OR_RETURN(const std::shared_ptr<Accumulator> accumulator,
                          Find(context));
    LEAT_ASSIGN_OR_RETURN(const int64_t local_step,
                          ScalarInput<int64_t>(context, 1, "local_step"));
    Gradient gradient;
    if (is_sparse_) {
      gradient.indices = context.input(2);
      gradient.values = context.input(3);
      if (has_known_shape_) gradient.shape = context.input(4);
    } else {
      gradient.values = context.input(2);
    }
    return accumulator->Apply(local_step, gradient,
                              context.step().device->allocator(),
                              context.compute_queue());
  }

 private:
  absl::StatusOr<std::shared_ptr<Accumulator>> Find(
      const KernelContext& context) const {
    const auto dense = [](DType dtype) -> Types {
      return {DType::kInt64, dtype};
    };
    const auto sparse = [](DType dtype) -> Types {
      return {DType::kInt64, DType::kInt64, dtype, DType::kInt64};
    };
    const auto none = [](DType) -> Types { return {}; };
    if (is_sparse_) return GetAccumulator(context, true, sparse, none);
    return GetAccumulator(context, false, dense, none);
  }

  const bool is_sparse_;
  const bool has_known_shape_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeApply(const NodeDef&) {
  return std::unique_ptr<Kernel>(
      std::make_unique<ApplyGradient>(/*is_sparse=*/false, false));
}

absl::StatusOr<std::unique_ptr<Kernel>> MakeSparseApply(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const bool known,
                        node.attrs.Get<bool>("has_known_shape"));
  return std::unique_ptr<Kernel>(
      std::make_unique<ApplyGradient>(/*is_sparse=*/true, known));
}

// Returns the shape of the whole tensor as a vector. The rows of a sparse
// gradient do not tell how many rows the whole tensor has. Therefore the first
// extent is the declared one, or -1 if none is declared.
absl::StatusOr<Tensor> ShapeOutput(const PartialShape& declared,
                                   const Shape& values, Allocator& allocator) {
  LEAT_ASSIGN_OR_RETURN(
      Tensor output,
      Tensor::Allocate(allocator, DType::kInt64, Shape{values.rank()}));
  const auto extents = output.mutable_data<int64_t>();
  std::copy(values.dims().begin(), values.dims().end(), extents.begin());
  extents[0] = declared.rank() > 0 ? declared.dim(0) : PartialShape::kUnknown;
  return output;
}

template <bool is_sparse>
class TakeGradient final : public AsyncKernel {
 public:
  void ComputeAsync(KernelContext& context, Done done) const final {
    auto accumulator = Find(context);
    if (!accumulator.ok()) return std::move(done)(accumulator.status());
    auto num_required = ScalarInput<int32_t>(context, 1, "num_required");
    if (!num_required.ok()) return std::move(done)(num_required.status());
    // The callback shares the ownership of the accumulator, because the
    // accumulator may be deleted before the callback is called.
    auto finish =
        [&context, accumulator = *accumulator,
         done = std::move(done)](absl::StatusOr<GradientTotal> total) mutable {
          std::move(done)(total.ok() ? SetOutputs(accumulator->options(),
                                                  *std::move(total), context)
                                     : total.status());
        };
    (*accumulator)
        ->Take(*num_required, *context.step().cancellation, std::move(finish));
  }

 private:
  static absl::StatusOr<std::shared_ptr<Accumulator>> Find(
      const KernelContext& context) {
    const auto count = [](DType) -> Types { return {DType::kInt32}; };
    const auto outputs = [](DType dtype) -> Types {
      if (!is_sparse) return {dtype};
      return {DType::kInt64, dtype, DType::kInt64};
    };
    return GetAccumulator(context, is_sparse, count, outputs);
  }

  static absl::Status SetOutputs(const AccumulatorOptions& options,
                                 GradientTotal total, KernelContext& context) {
    Allocator& allocator = context.step().device->allocator();
    if (options.averages) {
      LEAT_RETURN_IF_ERROR(Average(allocator, context.compute_queue(), total));
    }
    if (is_sparse) {
      LEAT_ASSIGN_OR_RETURN(
          Tensor shape,
          ShapeOutput(options.shape, total.values.shape(), allocator));
      context.set_output(0, std::move(total.indices));
      context.set_output(2, std::move(shape));
    }
    context.set_output(is_sparse ? 1 : 0, std::move(total.values));
    return absl::OkStatus();
  }
};

absl::Status NumAccumulated(KernelContext& context) {
  LEAT_ASSIGN_OR_RETURN(const std::shared_ptr<Accumulator> accumulator,
                        FindResource<Accumulator>(context, 0));
  LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(0, Shape{}));
  output->mutable_data<int32_t>()[0] =
      static_cast<int32_t>(accumulator->num_accumulated());
  return absl::OkStatus();
}

absl::Status SetGlobalStep(KernelContext& context) {
  LEAT_ASSIGN_OR_RETURN(const std::shared_ptr<Accumulator> accumulator,
                        FindResource<Accumulator>(context, 0));
  LEAT_ASSIGN_OR_RETURN(const int64_t step,
                        ScalarInput<int64_t>(context, 1, "new_global_step"));
  accumulator->SetStep(step);
  return absl::OkStatus();
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("ConditionalAccumulator", kCpu, &MakeAccumulator);
  registry.Add("SparseConditionalAccumulator", kCpu, &MakeAccumulator);
  registry.Add("ResourceConditionalAccumulator", kCpu, &MakeAccumulator);
  registry.Add("SparseAccumulatorApplyGradient", kCpu, &MakeSparseApply);
  registry.Add("SparseAccumulatorTakeGradient", kCpu,
               &Make<TakeGradient<true>>);
  for (const absl::string_view form : {"", "Resource"}) {
    const std::string prefix = absl::StrCat(form, "Accumulator");
    registry.Add(absl::StrCat(prefix, "ApplyGradient"), kCpu, &MakeApply);
    registry.Add(absl::StrCat(prefix, "TakeGradient"), kCpu,
                 &Make<TakeGradient<false>>);
    registry.Add(absl::StrCat(prefix, "NumAccumulated"), kCpu,
                 &MakeFunction<&NumAccumulated>);
    registry.Add(absl::StrCat(prefix, "SetGlobalStep"), kCpu,
                 &MakeFunction<&SetGlobalStep>);
  }
}

}  // namespace leat::kernels::cpu::accumulator
