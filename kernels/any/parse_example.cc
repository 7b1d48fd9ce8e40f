// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of ParseExample, ParseExampleV2 and ParseSingleExample,
// which turn serialized Examples into tensors.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/codecs/feature_types.h"
#include "leat/kernels/codecs/parse_examples.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::any::parse_example {
namespace {

// Parses the Examples in input 0. `names` has their names, or is empty.
absl::Status Parse(ExampleSpec spec, const Tensor& names,
                   KernelContext& context) {
  const Tensor& serialized = context.input(0);
  LEAT_ASSIGN_OR_RETURN(const ExampleParser parser,
                        ExampleParser::Create(std::move(spec)));
  const ParseResources resources = {context.step().device->allocator(),
                                    context.compute_queue()};
  absl::StatusOr<std::vector<Tensor>> outputs =
      serialized.shape().IsScalar()
          ? parser.ParseOne(serialized.scalar<std::string>(), resources)
          : parser.ParseBatch(serialized.data<std::string>(),
                              names.data<std::string>(), resources);
  LEAT_RETURN_IF_ERROR(outputs.status());
  for (size_t i = 0; i < outputs->size(); ++i) {
    context.set_output(static_cast<int>(i), std::move((*outputs)[i]));
  }
  return absl::OkStatus();
}

absl::Status CheckNames(const Tensor& serialized, const Tensor& names) {
  if (names.num_elements() == 0 || names.shape() == serialized.shape()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "Expected names have the same shape as serialized: name.shape=",
      names.shape().DebugString(),
      ", serialized.shape=", serialized.shape().DebugString()));
}

absl::Status CheckNumKeys(absl::string_view what, int64_t num_keys,
                          const std::vector<DType>& types) {
  if (num_keys == static_cast<int64_t>(types.size())) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "Expected ", what, " but got: ", num_keys, " vs. ", types.size()));
}

class ParseExampleV2 final : public Kernel {
 public:
  explicit ParseExampleV2(FeatureTypes types) : types_(std::move(types)) {}

  absl::Status Compute(KernelContext& context) const override {
    const Tensor& serialized = context.input(0);
    LEAT_RETURN_IF_ERROR(CheckNames(serialized, context.input(1)));
    if (serialized.rank() > 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("Expected serialized to be a scalar or vector, got "
                       "shape: ",
                       serialized.shape().DebugString()));
    }
    const FeatureKeys sparse = context.input(2).data<std::string>();
    const FeatureKeys dense = context.input(3).data<std::string>();
    const FeatureKeys ragged = context.input(4).data<std::string>();
    LEAT_RETURN_IF_ERROR(CheckNumKeys("len(sparse_keys) == num_sparse",
                                      context.input(2).num_elements(),
                                      types_.sparse));
    LEAT_RETURN_IF_ERROR(CheckNumKeys("len(dense_keys) == len(dense_types)",
                                      context.input(3).num_elements(),
                                      types_.dense));
    LEAT_RETURN_IF_ERROR(
        CheckNumKeys("len(ragged_keys) == len(ragged_value_types)",
                     context.input(4).num_elements(), types_.ragged_values));
    return Parse(MakeExampleSpec(types_, sparse, dense, ragged, context),
                 context.input(1), context);
  }

 private:
  const FeatureTypes types_;
};

// Each key is an input of its own.
class ParseExample final : public Kernel {
 public:
  explicit ParseExample(FeatureTypes types) : types_(std::move(types)) {}

  absl::Status Compute(KernelContext& context) const override {
    const Tensor& serialized = context.input(0);
    LEAT_RETURN_IF_ERROR(CheckNames(serialized, context.input(1)));
    if (!serialized.shape().IsVector()) {
      return absl::InvalidArgumentError(
          absl::StrCat("Expected serialized to be a vector, got shape: ",
                       serialized.shape().DebugString()));
    }
    std::vector<std::string> keys;
    for (size_t i = 0; i < types_.sparse.size() + types_.dense.size(); ++i) {
      LEAT_ASSIGN_OR_RETURN(keys.emplace_back(),
                            GetScalar<std::string>(
                                context.input(2 + static_cast<int>(i)), "key"));
    }
    const FeatureKeys all = keys;
    return Parse(
        MakeExampleSpec(types_, all.subspan(0, types_.sparse.size()),
                        all.subspan(types_.sparse.size()), {}, context),
        context.input(1), context);
  }

 private:
  const FeatureTypes types_;
};

// The keys are attrs.
class ParseSingleExample final : public Kernel {
 public:
  ParseSingleExample(FeatureTypes types, std::vector<std::string> sparse,
                     std::vector<std::string> dense)
      : types_(std::move(types)),
        sparse_(std::move(sparse)),
        dense_(std::move(dense)) {}

  absl::Status Compute(KernelContext& context) const override {
    const Tensor& serialized = context.input(0);
    if (!serialized.shape().IsScalar()) {
      return absl::InvalidArgumentError(
          absl::StrCat("Expected serialized to be a scalar, got shape: ",
                       serialized.shape().DebugString()));
    }
    return Parse(MakeExampleSpec(types_, sparse_, dense_, {}, context), {},
                 context);
  }

 private:
  const FeatureTypes types_;
  const std::vector<std::string> sparse_;
  const std::vector<std::string> dense_;
};

// Makes a kernel of class K, whose attr `number` counts sparse features.
template <class K>
absl::StatusOr<std::unique_ptr<Kernel>> MakeParser(const NodeDef& node,
                                                   absl::string_view number) {
  LEAT_ASSIGN_OR_RETURN(FeatureTypes types, ReadFeatureTypes(node));
  LEAT_ASSIGN_OR_RETURN(const int64_t num_sparse,
                        node.attrs.Get<int64_t>(number));
  if (num_sparse != static_cast<int64_t>(types.sparse.size())) {
    return absl::InvalidArgumentError("len(sparse_keys) != len(sparse_types)");
  }
  return std::unique_ptr<Kernel>(std::make_unique<K>(std::move(types)));
}

absl::StatusOr<std::unique_ptr<Kernel>> MakeParseExample(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const int64_t num_dense,
                        node.attrs.Get<int64_t>("Ndense"));
  LEAT_ASSIGN_OR_RETURN(const auto types,
                        node.attrs.Get<std::vector<DType>>("Tdense"));
  if (num_dense != static_cast<int64_t>(types.size())) {
    return absl::InvalidArgumentError("len(dense_keys) != len(dense_types)");
  }
  return MakeParser<ParseExample>(node, "Nsparse");
}

absl::StatusOr<std::unique_ptr<Kernel>> MakeParseExampleV2(
    const NodeDef& node) {
  return MakeParser<ParseExampleV2>(node, "num_sparse");
}

absl::StatusOr<std::unique_ptr<Kernel>> MakeParseSingleExample(
    const NodeDef& node) {
  using Strings = std::vector<std::string>;
  LEAT_ASSIGN_OR_RETURN(const int64_t num_sparse,
                        node.attrs.Get<int64_t>("num_sparse"));
  LEAT_ASSIGN_OR_RETURN(Strings sparse, node.attrs.Get<Strings>("sparse_keys"));
  LEAT_ASSIGN_OR_RETURN(Strings dense, node.attrs.Get<Strings>("dense_keys"));
  LEAT_ASSIGN_OR_RETURN(const auto dense_types,
                        node.attrs.Get<std::vector<DType>>("Tdense"));
  LEAT_ASSIGN_OR_RETURN(const auto sparse_types,
                        node.attrs.Get<std::vector<DType>>("sparse_types"));
  if (num_sparse != static_cast<int64_t>(sparse.size()) ||
      sparse.size() != sparse_types.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "num_sparse (", num_sparse, ") must match the size of sparse_keys (",
        sparse.size(), ") and sparse_types (", sparse_types.size(), ")"));
  }
  if (dense.size() != dense_types.size()) {
    return absl::InvalidArgumentError("len(dense_keys) != len(dense_types)");
  }
  LEAT_ASSIGN_OR_RETURN(FeatureTypes types, ReadFeatureTypes(node));
  return std::unique_ptr<Kernel>(std::make_unique<ParseSingleExample>(
      std::move(types), std::move(sparse), std::move(dense)));
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("ParseExample", kCpu, &MakeParseExample);
  registry.Add("ParseExampleV2", kCpu, &MakeParseExampleV2);
  registry.Add("ParseSingleExample", kCpu, &MakeParseSingleExample);
}

}  // namespace leat::kernels::any::parse_example
