// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/variant_arithmetic.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/core/variants/optional.h"
#include "leat/core/variants/tensor_list.h"
#include "leat/kernels/tensor_list_access.h"

namespace leat::kernels {
namespace {

absl::string_view TypeName(const Variant& variant) {
  return variant.value() == nullptr ? "" : variant.value()->type_name();
}

// An Operation is one operation on a variant and on all that it contains. The
// recursion ends because variants contain each other at most kMaxVariantDepth
// deep. But variants may share the values that they hold, so a few tensors in
// memory can become very many tensors in the result. This class counts them.
class Operation {
 public:
  Operation(KernelContext& context, int64_t max_inner)
      : context_(context), max_inner_(max_inner), left_(max_inner) {}

 protected:
  // Counts a tensor. Must be called before the work on the tensor. Also checks
  // now and then whether the step was cancelled, and returns the reason if it
  // was.
  absl::Status CountTensor(const Tensor& tensor) {
    if (depth_ > 0) {
      LEAT_RETURN_IF_ERROR(CountInner());
    }
    // The work on kBytes bytes of a tensor counts as one unit, as does a small
    // tensor. The cancellation is checked after kMaxWork units.
    constexpr int64_t kBytes = 4096;
    constexpr int64_t kMaxWork = 1024;
    const Cancellation* const cancellation = context_.step().cancellation;
    work_ += 1 + (tensor.IsValid() ? tensor.num_bytes() / kBytes : 0);
    if (work_ < kMaxWork || cancellation == nullptr) return absl::OkStatus();
    work_ = 0;
    return cancellation->status();
  }

  // Enter is called before the work on each variant that is inside of another
  // variant, and Leave is called after it.
  absl::Status Enter() {
    ++depth_;
    return CountInner();
  }
  void Leave() { --depth_; }

  KernelContext& context_;

 private:
  absl::Status CountInner() {
    if (--left_ >= 0) return absl::OkStatus();
    return absl::ResourceExhaustedError(
        absl::StrCat("The variants contain more than ", max_inner_,
                     " variants and tensors, which is too many"));
  }

  const int64_t max_inner_;
  int64_t left_;
  int depth_ = 0;     // how many variants contain the current one
  int64_t work_ = 0;  // units of work since the last check
};

// Makes a copy of a variant. `tensor` makes the replacement of each tensor.
// `variant` makes the replacement of each variant that is neither a list nor an
// optional. With `keeps_limits`, lists keep their max_num_elements.
// TensorFlow's zeros of lists have no such limit.
class Replacement : public Operation {
 public:
  Replacement(KernelContext& context, int64_t max_inner, ReplaceTensor tensor,
              ReplaceVariant variant, bool keeps_limits)
      : Operation(context, max_inner),
        tensor_(tensor),
        variant_(variant),
        keeps_limits_(keeps_limits) {}

  absl::StatusOr<Variant> Of(const Variant& variant) {
    if (const auto* list = variant.get<TensorList>()) return OfList(*list);
    if (const auto* optional = variant.get<OptionalValue>()) {
      return OfOptional(*optional);
    }
    return variant_(variant);
  }

 private:
  absl::StatusOr<Variant> OfList(const TensorList& list) {
    TensorList copy(list.element_dtype(), list.element_shape(),
                    keeps_limits_ ? list.max_num_elements() : -1);
    copy.Resize(list.size());
    const auto stored = list.stored();
    for (size_t i = 0; i < stored.size(); ++i) {
      LEAT_RETURN_IF_ERROR(CountTensor(stored[i]));
      if (!stored[i].IsValid()) continue;
      LEAT_ASSIGN_OR_RETURN(Tensor element, OfTensor(stored[i]));
      LEAT_RETURN_IF_ERROR(copy.Set(static_cast<int64_t>(i), std::move(element),
                                    ListMemory(context_)));
    }
    return Variant::Of(std::move(copy));
  }

  absl::StatusOr<Variant> OfOptional(const OptionalValue& optional) {
    if (!optional.has_value()) return Variant::Of(OptionalValue());
    OptionalValue::Components copies;
    for (const Tensor& component : optional.components()) {
      LEAT_RETURN_IF_ERROR(CountTensor(component));
      LEAT_ASSIGN_OR_RETURN(Tensor copy, OfTensor(component));
      copies.push_back(std::move(copy));
    }
    LEAT_ASSIGN_OR_RETURN(OptionalValue value,
                          OptionalValue::Create(std::move(copies)));
    return Variant::Of(std::move(value));
  }

  absl::StatusOr<Tensor> OfTensor(const Tensor& tensor) {
    if (tensor.dtype() != DType::kVariant) return tensor_(tensor);
    LEAT_ASSIGN_OR_RETURN(Tensor copy,
                          MakeZeros(context_, tensor.dtype(), tensor.shape()));
    const auto from = tensor.data<Variant>();
    const auto to = copy.mutable_data<Variant>();
    for (size_t i = 0; i < from.size(); ++i) {
      LEAT_RETURN_IF_ERROR(Enter());
      LEAT_ASSIGN_OR_RETURN(to[i], Of(from[i]));
      Leave();
    }
    return copy;
  }

  const ReplaceTensor tensor_;
  const ReplaceVariant variant_;
  const bool keeps_limits_;
};

class VariantSum : public Operation {
 public:
  VariantSum(KernelContext& context, int64_t max_inner, AddTensors add)
      : Operation(context, max_inner), add_(add) {}

  absl::StatusOr<Variant> Of(const Variant& a, const Variant& b) {
    const auto* list_a = a.get<TensorList>();
    const auto* list_b = b.get<TensorList>();
    if (list_a != nullptr && list_b != nullptr) {
      return OfLists(*list_a, *list_b);
    }
    const auto* optional_a = a.get<OptionalValue>();
    const auto* optional_b = b.get<OptionalValue>();
    if (optional_a != nullptr && optional_b != nullptr) {
      return OfOptionals(*optional_a, *optional_b);
    }
    return absl::InvalidArgumentError(
        absl::StrCat("Cannot add variants of types '", TypeName(a), "' and '",
                     TypeName(b), "'"));
  }

 private:
  static absl::StatusOr<PartialShape> CheckLists(const TensorList& a,
                                                 const TensorList& b) {
    if (a.element_dtype() != b.element_dtype()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Trying to add two lists of tensors of different dtypes. One is ",
          Name(a.element_dtype()), " and the other is ",
          Name(b.element_dtype())));
    }
    absl::StatusOr<PartialShape> shape =
        Merge(a.element_shape(), b.element_shape());
    if (!shape.ok()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Trying to add two lists of tensors with incompatible element "
          "shapes. One is ",
          a.element_shape().DebugString(), " and the other is ",
          b.element_shape().DebugString()));
    }
    if (a.size() != b.size()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Trying to add two lists of tensors with different lengths. One is ",
          a.size(), " and the other is ", b.size()));
    }
    return shape;
  }

  absl::StatusOr<Variant> OfLists(const TensorList& a, const TensorList& b) {
    LEAT_ASSIGN_OR_RETURN(PartialShape shape, CheckLists(a, b));
    TensorList sum(a.element_dtype(), std::move(shape));
    sum.Resize(a.size());
    const size_t stored = std::max(a.stored().size(), b.stored().size());
    for (int64_t i = 0; i < static_cast<int64_t>(stored); ++i) {
      LEAT_ASSIGN_OR_RETURN(Tensor element, OfTensors(a.at(i), b.at(i)));
      LEAT_RETURN_IF_ERROR(
          sum.Set(i, std::move(element), ListMemory(context_)));
    }
    return Variant::Of(std::move(sum));
  }

  absl::StatusOr<Variant> OfOptionals(const OptionalValue& a,
                                      const OptionalValue& b) {
    if (a.has_value() != b.has_value()) {
      return absl::InvalidArgumentError(
          "Cannot add optionals because one has a value and the other "
          "doesn't.");
    }
    if (!a.has_value()) return Variant::Of(OptionalValue());
    if (a.components().size() != b.components().size()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Cannot add optionals because they have different "
          "numbers of components (",
          a.components().size(), " vs. ", b.components().size(), ")."));
    }
    OptionalValue::Components sums;
    for (size_t i = 0; i < a.components().size(); ++i) {
      LEAT_ASSIGN_OR_RETURN(Tensor sum,
                            OfTensors(a.components()[i], b.components()[i]));
      sums.push_back(std::move(sum));
    }
    LEAT_ASSIGN_OR_RETURN(OptionalValue value,
                          OptionalValue::Create(std::move(sums)));
    return Variant::Of(std::move(value));
  }

  absl::StatusOr<Tensor> OfTensors(const Tensor& a, const Tensor& b) {
    LEAT_RETURN_IF_ERROR(CountTensor(a));
    if (!a.IsValid()) return b;
    if (!b.IsValid()) return a;
    if (a.dtype() != b.dtype()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Trying to add two tensors with incompatible element types. One is ",
          Name(a.dtype()), " and the other is ", Name(b.dtype())));
    }
    if (a.shape() != b.shape()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Trying to add two tensors with incompatible element shapes. One is ",
          a.shape().DebugString(), " and the other is ",
          b.shape().DebugString()));
    }
    if (a.dtype() != DType::kVariant) return add_(context_, a, b);
    LEAT_ASSIGN_OR_RETURN(Tensor sum,
                          MakeZeros(context_, a.dtype(), a.shape()));
    const auto to = sum.mutable_data<Variant>();
    for (size_t i = 0; i < to.size(); ++i) {
      LEAT_RETURN_IF_ERROR(Enter());
      LEAT_ASSIGN_OR_RETURN(to[i],
                            Of(a.data<Variant>()[i], b.data<Variant>()[i]));
      Leave();
    }
    return sum;
  }

  const AddTensors add_;
};

}  // namespace

absl::StatusOr<Variant> ZerosLikeVariant(KernelContext& context,
                                         const Variant& variant,
                                         int64_t max_inner) {
  const auto zeros = [&](const Tensor& tensor) -> absl::StatusOr<Tensor> {
    if (IsPlainBytes(tensor.dtype())) {
      return MakeZeros(context, tensor.dtype(), tensor.shape());
    }
    return absl::InvalidArgumentError(
        absl::StrCat("Trying to compute zeros_like for unsupported dtype ",
                     Name(tensor.dtype())));
  };
  const auto refuse = [](const Variant& other) -> absl::StatusOr<Variant> {
    return absl::InvalidArgumentError(
        absl::StrCat("ZerosLike cannot make zeros for a variant of type '",
                     TypeName(other), "'"));
  };
  return Replacement(context, max_inner, zeros, refuse, /*keeps_limits=*/false)
      .Of(variant);
}

absl::StatusOr<Tensor> ReplaceTensors(KernelContext& context,
                                      const Tensor& variants,
                                      ReplaceTensor replace,
                                      int64_t max_inner) {
  const auto same = [](const Variant& other) -> absl::StatusOr<Variant> {
    return other;
  };
  Replacement replacement(context, max_inner, replace, same,
                          /*keeps_limits=*/true);
  LEAT_ASSIGN_OR_RETURN(Tensor copy,
                        MakeZeros(context, variants.dtype(), variants.shape()));
  const auto from = variants.data<Variant>();
  const auto to = copy.mutable_data<Variant>();
  for (size_t i = 0; i < from.size(); ++i) {
    LEAT_ASSIGN_OR_RETURN(to[i], replacement.Of(from[i]));
  }
  return copy;
}

absl::StatusOr<Variant> AddVariants(KernelContext& context, const Variant& a,
                                    const Variant& b, AddTensors add,
                                    int64_t max_inner) {
  return VariantSum(context, max_inner, add).Of(a, b);
}

absl::Status AddVariantInputs(KernelContext& context, AddTensors add) {
  std::vector<Variant> sums;
  for (int i = 0; i < context.num_inputs(); ++i) {
    const Tensor& input = context.input(i);
    if (input.rank() != 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("AddN of non-scalar Tensor with dtype=DT_VARIANT is not "
                       "supported; inputs[",
                       i, "] has shape: ", input.shape().DebugString(), "."));
    }
    sums.push_back(input.scalar<Variant>());
  }
  while (sums.size() > 1) {
    const size_t half = sums.size() / 2;
    for (size_t i = 0; i < half; ++i) {
      LEAT_ASSIGN_OR_RETURN(
          sums[i], AddVariants(context, sums[2 * i], sums[2 * i + 1], add));
    }
    if (sums.size() % 2 != 0) {
      LEAT_ASSIGN_OR_RETURN(sums[0],
                            AddVariants(context, sums[0], sums.back(), add));
    }
    sums.resize(half);
  }
  LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(0, Shape{}));
  output->mutable_data<Variant>()[0] = std::move(sums[0]);
  return absl::OkStatus();
}

}  // namespace leat::kernels
