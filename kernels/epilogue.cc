// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/epilogue.h"

#include <Eigen/Core>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/elementwise.h"
#include "leat/kernels/functors/activation.h"

namespace leat::kernels {
namespace {

using Array = Eigen::Map<Eigen::Array<float, Eigen::Dynamic, 1>>;

// Lists the names that TensorFlow's Grappler uses in `fused_ops`.
constexpr std::pair<absl::string_view, Activation> kActivations[] = {
    {"Relu", Activation::kRelu},
    {"Relu6", Activation::kRelu6},
    {"Elu", Activation::kElu},
    {"LeakyRelu", Activation::kLeakyRelu},
    {"Tanh", Activation::kTanh},
    {"Sigmoid", Activation::kSigmoid},
    {"GeluExact", Activation::kGeluExact},
    {"GeluApproximate", Activation::kGeluApproximate},
};

// Returns its argument. Stands for an activation that is not applied.
struct Nothing {
  float operator()(float x) const { return x; }
};

// Holds rows of values in memory. Each row begins `stride` values after the
// start of the previous row.
struct Rows {
  float* values = nullptr;
  int64_t rows = 0;
  int64_t stride = 0;
  int64_t count = 0;  // values in a row
};

// Each of these function objects returns the bias of a value. It gets the
// value's row and the value's position in the row. BiasOfValue has one bias for
// each position. BiasOfRow has one bias for each row, and begins again with the
// first bias after every `channels` rows.
struct BiasOfValue {
  const float* bias = nullptr;
  float operator()(int64_t, int64_t i) const { return bias[i]; }
};
struct BiasOfRow {
  const float* bias = nullptr;
  int64_t channels = 0;
  float operator()(int64_t row, int64_t) const { return bias[row % channels]; }
};

// Replaces every value x by function(x + bias).
template <class Bias, class Function>
void AddAndApply(const Rows& r, Bias bias, Function function) {
  for (int64_t row = 0; row < r.rows; ++row) {
    float* const values = r.values + row * r.stride;
    LEAT_INDEPENDENT_ITERATIONS
    for (int64_t i = 0; i < r.count; ++i) {
      values[i] = function(values[i] + bias(row, i));
    }
  }
}

// Adds the bias and applies the activation. Tanh and sigmoid are done by Eigen
// in a second pass, because its functions over arrays are vectorised.
template <class Bias>
void Apply(const FusedOps& ops, const Rows& rows, Bias bias) {
  switch (ops.activation) {
    case Activation::kRelu:
      return AddAndApply(rows, bias, functors::Relu{});
    case Activation::kRelu6:
      return AddAndApply(rows, bias, functors::Relu6{});
    case Activation::kElu:
      return AddAndApply(rows, bias, functors::Elu{});
    case Activation::kLeakyRelu:
      return AddAndApply(rows, bias, functors::LeakyRelu{ops.leakyrelu_alpha});
    case Activation::kGeluExact:
      return AddAndApply(rows, bias, functors::GeluExact{});
    case Activation::kGeluApproximate:
      return AddAndApply(rows, bias, functors::GeluApproximate{});
    case Activation::kNone:
    case Activation::kTanh:
    case Activation::kSigmoid:
      break;
  }
  AddAndApply(rows, bias, Nothing{});
  if (ops.activation == Activation::kNone) return;
  for (int64_t row = 0; row < rows.rows; ++row) {
    Array sums(rows.values + row * rows.stride, rows.count);
    if (ops.activation == Activation::kTanh) {
      sums = sums.tanh();
    } else {
      sums = 1.0f / (1.0f + (-sums).exp());
    }
  }
}

}  // namespace

absl::StatusOr<FusedOps> ReadFusedOps(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const std::vector<std::string> ops,
                        node.attrs.Get<std::vector<std::string>>("fused_ops"));
  LEAT_ASSIGN_OR_RETURN(const int64_t num_args,
                        node.attrs.Get<int64_t>("num_args"));
  FusedOps result;
  LEAT_ASSIGN_OR_RETURN(
      result.leakyrelu_alpha,
      node.attrs.GetOr<float>("leakyrelu_alpha", result.leakyrelu_alpha));
  if (num_args == 1 && !ops.empty() && ops.size() <= 2 && ops[0] == "BiasAdd") {
    if (ops.size() == 1) return result;
    for (const auto& [name, activation] : kActivations) {
      if (ops[1] != name) continue;
      result.activation = activation;
      return result;
    }
  }
  return absl::UnimplementedError(absl::StrCat(
      "node '", node.name, "' (", node.op->name, ") has fused_ops [",
      absl::StrJoin(ops, ", "), "] and num_args ", num_args,
      ", but it can only run with [BiasAdd] or with [BiasAdd, ACTIVATION], and "
      "with num_args 1"));
}

void Epilogue::ApplyToRows(float* values, int64_t rows, int64_t stride,
                           int64_t first, int64_t count) const {
  Apply(ops, {values, rows, stride, count}, BiasOfValue{bias + first});
}

void Epilogue::ApplyToImages(float* values, bool channels_first, int64_t images,
                             int64_t channels, int64_t size) const {
  if (channels_first) {
    Apply(ops, {values, images * channels, size, size},
          BiasOfRow{bias, channels});
  } else {
    ApplyToRows(values, images * size, channels, 0, channels);
  }
}

absl::Status CheckBias(const Tensor& bias, DType dtype, const Shape& output,
                       int64_t channels, bool channels_first) {
  if (bias.dtype() != dtype) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Biases must be of type ", Name(dtype), ", not ", Name(bias.dtype())));
  }
  if (!bias.shape().IsVector()) {
    return absl::InvalidArgumentError(
        absl::StrCat("Biases must be 1D: ", bias.shape().DebugString()));
  }
  if (bias.dim(0) != channels) {
    return absl::InvalidArgumentError(
        absl::StrCat("Must provide as many biases as the ",
                     channels_first ? "channel dimension" : "last dimension",
                     " of the input tensor: ", bias.shape().DebugString(),
                     " vs. ", output.DebugString()));
  }
  return absl::OkStatus();
}

absl::StatusOr<Epilogue> MakeEpilogue(const KernelContext& context, int i,
                                      const Shape& output, int64_t channels,
                                      bool channels_first,
                                      const FusedOps& ops) {
  const Tensor& bias = context.input(i);
  LEAT_RETURN_IF_ERROR(
      CheckBias(bias, DType::kFloat, output, channels, channels_first));
  return Epilogue{bias.data<float>().data(), ops};
}

}  // namespace leat::kernels
