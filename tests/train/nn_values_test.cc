// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Compares what train/nn computes with TensorFlow's values (nn/nn_cases.jsonl,
// written by nn/make_nn_cases.py). This test is not in tests/train/nn, because
// the test program of that folder has no sessions.
#include <functional>
#include <map>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "leat/core/dtype_list.h"
#include "leat/tests/testing/op_case_json.h"
#include "leat/tests/testing/session_under_test.h"
#include "leat/tests/train/nn_cases.h"
#include "leat/train/nn/layers.h"
#include "leat/train/nn/learning_rate.h"
#include "leat/train/nn/losses.h"
#include "leat/train/nn/metrics.h"
#include "leat/train/nn/optimizers.h"

namespace leat::nn::nn_values_test {
namespace {

using nlohmann::json;
using testing::CaseProgram;
using testing::ExpectTensor;
using testing::InitializersByName;
using testing::MakeInitializer;
using testing::MakeOptimizer;
using testing::OptimizersByName;

constexpr double kRelative = 1e-6;

std::vector<json> CasesOf(const std::string& kind) {
  return testing::CasesOfKind("nn_cases.jsonl", kind);
}

std::string NameOf(const json& spec) {
  return absl::StrCat(spec["what"].get<std::string>(), ", ",
                      spec["name"].get<std::string>());
}

// Holds the functions that build the cases of one kind. The key of a function
// is the value of the field "what" in its cases. Every function must have a
// case.
template <class F>
class Table {
 public:
  Table(std::string kind, std::map<std::string, F> entries)
      : kind_(std::move(kind)), entries_(std::move(entries)) {}

  void ForEachCase(const std::function<void(const json&, const F&)>& check) {
    std::set<std::string> left;
    for (const auto& [what, entry] : entries_) left.insert(what);
    for (const json& spec : CasesOf(kind_)) {
      SCOPED_TRACE(NameOf(spec));
      const auto it = entries_.find(spec["what"].get<std::string>());
      ASSERT_NE(it, entries_.end());
      left.erase(it->first);
      check(spec, it->second);
    }
    EXPECT_TRUE(left.empty()) << "no case of " << *left.begin();
  }

 private:
  std::string kind_;
  std::map<std::string, F> entries_;
};

TEST(NnValuesTest, LearningRatesAreTensorFlows) {
  using Schedule = std::function<Output(GraphBuilder&, Output, const json&)>;
  Table<Schedule>(
      "schedule",
      {{"ConstantRate",
        [](GraphBuilder& b, Output, const json& attrs) {
          return ConstantRate(b, attrs["rate"].get<double>());
        }},
       {"ExponentialDecay",
        [](GraphBuilder&, Output step, const json& attrs) {
          return ExponentialDecay(
              step, {.initial = attrs["initial"].get<double>(),
                     .steps = attrs["steps"].get<int64_t>(),
                     .rate = attrs["rate"].get<double>(),
                     .staircase = attrs["staircase"].get<bool>()});
        }},
       {"PiecewiseConstant",
        [](GraphBuilder&, Output step, const json& attrs) {
          return PiecewiseConstant(
              step,
              {.boundaries = attrs["boundaries"].get<std::vector<int64_t>>(),
               .rates = attrs["rates"].get<std::vector<double>>()});
        }},
       {"CosineDecay",
        [](GraphBuilder&, Output step, const json& attrs) {
          return CosineDecay(step, {.initial = attrs["initial"].get<double>(),
                                    .steps = attrs["steps"].get<int64_t>(),
                                    .alpha = attrs["alpha"].get<double>()});
        }}})
      .ForEachCase([](const json& spec, const Schedule& schedule) {
        GraphBuilder b;
        const Output step = b.Placeholder<int64_t>("step", Shape{});
        const Output rate = schedule(b, step, spec["attrs"]);
        ASSERT_TRUE(b.status().ok()) << b.status();
        CaseProgram program(b);
        for (size_t i = 0; i < spec["steps"].size(); ++i) {
          const int64_t at = spec["steps"][i].get<int64_t>();
          SCOPED_TRACE(absl::StrCat("step ", at));
          const Tensor got =
              program.Fetch(rate, {{step, Tensor::Scalar<int64_t>(at)}});
          ASSERT_EQ(got.dtype(), DType::kFloat);
          // Some schedules compute 1 + cos(t), which loses digits where the
          // cosine is close to -1.
          constexpr double kFloor = 0.01;
          const double want = spec["values"][i].get<double>();
          EXPECT_NEAR(got.scalar<float>(), want,
                      kRelative * std::max(std::fabs(want), kFloor));
        }
      });
}

TEST(NnValuesTest, LossesAndMetricsAreTensorFlows) {
  using Loss = std::function<Output(Output, Output)>;
  const auto loss = [](Output (*function)(Output, Output, SourceLocation)) {
    return [function](Output labels, Output logits) {
      return function(labels, logits, SourceLocation::Current());
    };
  };
  Table<Loss>("loss",
              {{"SparseSoftmaxCrossEntropy", loss(&SparseSoftmaxCrossEntropy)},
               {"SoftmaxCrossEntropy", loss(&SoftmaxCrossEntropy)},
               {"MeanSquaredError", loss(&MeanSquaredError)},
               {"Accuracy", loss(&Accuracy)}})
      .ForEachCase([](const json& spec, const Loss& function) {
        for (const bool known : {true, false}) {
          GraphBuilder b;
          const Tensor labels = testing::TensorFromJson(spec["labels"]);
          const Tensor logits = testing::TensorFromJson(spec["logits"]);
          const auto input = [&](const Tensor& value) {
            return b.Placeholder(
                value.dtype(), "input",
                known ? PartialShape(value.shape()) : PartialShape());
          };
          const Output ys = input(labels);
          const Output xs = input(logits);
          const Output value = function(ys, xs);
          ASSERT_TRUE(b.status().ok()) << b.status();
          ExpectTensor(
              CaseProgram(b).Fetch(value, {{ys, labels}, {xs, logits}}),
              spec["value"]);
        }
      });
}

TEST(NnValuesTest, ActivationsAreTensorFlows) {
  Table<Activation>("activation", {{"relu", relu},
                                   {"relu6", relu6},
                                   {"elu", elu},
                                   {"leaky_relu", leaky_relu},
                                   {"sigmoid", sigmoid},
                                   {"tanh", tanh},
                                   {"softplus", softplus},
                                   {"softmax", softmax}})
      .ForEachCase([](const json& spec, const Activation& activation) {
        GraphBuilder b;
        const Tensor x = testing::TensorFromJson(spec["x"]);
        const Output input = b.Placeholder(x.dtype(), "x");
        const Output y = activation(input);
        ASSERT_TRUE(b.status().ok()) << b.status();
        ExpectTensor(CaseProgram(b).Fetch(y, {{input, x}}), spec["y"]);
      });
}

// Returns the floor for the values of an initializer (see ExpectTensor). The
// logarithm and the cosine of a GPU differ from a CPU's in the last bits, so a
// standard normal number has an absolute error of up to 1e-6 on a GPU. The
// initializer multiplies it by the standard deviation, which is at most 1 for
// HeNormal.
double FloorOfInitialValues(const json& spec) {
  const bool is_normal =
      absl::EndsWith(spec["what"].get<std::string>(), "Normal");
  return HasGpu() && is_normal ? spec["attrs"].value("stddev", 1.0) : 1e-3;
}

// Random initializers must draw TensorFlow's numbers, not just numbers of the
// same distribution.
TEST(NnValuesTest, InitialValuesAreTensorFlows) {
  Table<MakeInitializer>("initializer", InitializersByName())
      .ForEachCase([](const json& spec, const MakeInitializer& make) {
        GraphBuilder b;
        if (!spec["graph_seed"].is_null()) {
          b.SetSeed(spec["graph_seed"].get<int64_t>());
        }
        const Tensor want = testing::TensorFromJson(spec["value"]);
        const Initializer initializer = make(spec["attrs"]);
        const Variable w = b.GetVariable("w", want.dtype(), want.shape(), [&] {
          return initializer(b, want.shape(), want.dtype(), want.shape());
        });
        ASSERT_TRUE(b.status().ok()) << b.status();
        ExpectTensor(CaseProgram(b).Fetch(w.value()), spec["value"],
                     FloorOfInitialValues(spec));
      });
}

// A FedGradient is a gradient that consists of placeholders. Each step feeds
// the gradient of the case to these placeholders. A FedGradient is sparse if
// the gradient of the case is sparse.
class FedGradient {
 public:
  FedGradient(GraphBuilder& b, const json& first, const Tensor& variable)
      : is_sparse_(first.is_object()),
        values_(b.Placeholder(variable.dtype(), "values",
                              is_sparse_ ? PartialShape{-1, 2}
                                         : PartialShape(variable.shape()))) {
    gradient_ = Gradient(values_);
    if (!is_sparse_) return;
    indices_ = b.Placeholder<int32_t>("indices", {-1});
    gradient_ = Gradient(
        IndexedSlices{.values = values_,
                      .indices = indices_,
                      .dense_shape = b.Const(Tensor::Vector<int32_t>({5, 2}))});
  }

  const Gradient& gradient() const { return gradient_; }

  std::vector<Feed> Feeds(const json& step) const {
    if (!is_sparse_) return {{values_, testing::TensorFromJson(step)}};
    return {{values_, testing::TensorFromJson(step["values"])},
            {indices_, testing::TensorFromJson(step["indices"])}};
  }

 private:
  bool is_sparse_ = false;
  Output values_;
  Output indices_;
  Gradient gradient_;
};

// One op normalizes inputs of rank 4, and several ops normalize inputs of rank
// 2.
TEST(NnValuesTest, BatchNormalizationIsTensorFlows) {
  for (const json& spec : CasesOf("layer")) {
    SCOPED_TRACE(NameOf(spec));
    GraphBuilder b;
    std::vector<Tensor> batches;
    for (const json& batch : spec["batches"]) {
      batches.push_back(testing::TensorFromJson(batch));
    }
    const Output x = b.Placeholder(batches[0].dtype(), "x", batches[0].shape());
    std::vector<Output> y;
    for (const bool training : {true, false}) {
      y.push_back(BatchNormalization(
          x, {.training = training,
              .momentum = spec["attrs"]["momentum"].get<double>(),
              .epsilon = spec["attrs"]["epsilon"].get<double>(),
              .name = "batch_normalization"}));
    }
    ASSERT_TRUE(b.status().ok()) << b.status();
    const Operation updates = b.Group(b.updates());
    CaseProgram program(b);
    for (size_t i = 0; i < batches.size(); ++i) {
      ExpectTensor(program.Fetch(y[0], {{x, batches[i]}}), spec["trained"][i],
                   /*floor=*/0.1);
      program.Run(updates, {{x, batches[i]}});
    }
    ASSERT_EQ(b.variables().size(), spec["after"].size());
    for (const Variable& variable : b.variables()) {
      SCOPED_TRACE(variable.name());
      ExpectTensor(program.Fetch(variable.value()),
                   spec["after"][variable.name()], /*floor=*/0.1);
    }
    ExpectTensor(program.Fetch(y[1], {{x, batches[0]}}), spec["inferred"],
                 /*floor=*/0.1);
  }
}

void CheckSteps(const json& spec, const Optimizer& optimizer,
                bool use_resource) {
  GraphBuilder b;
  const Tensor initial = testing::TensorFromJson(spec["initial"]);
  const Variable w =
      b.Variable("w", b.Const(initial), {.use_resource = use_resource});
  const FedGradient fed(b, spec["gradients"][0], initial);
  const Operation step =
      optimizer.ApplyGradients({{{.variable = w, .gradient = fed.gradient()}}});
  ASSERT_TRUE(b.status().ok()) << b.status();
  CaseProgram program(b);
  for (size_t i = 0; i < spec["gradients"].size(); ++i) {
    program.Run(step, fed.Feeds(spec["gradients"][i]));
    const json& after = spec["after"][i];
    ASSERT_EQ(b.variables().size(), after.size());
    for (const Variable& variable : b.variables()) {
      SCOPED_TRACE(absl::StrCat(variable.name(), " after step ", i));
      ASSERT_TRUE(after.contains(variable.name()));
      // Differences such as w - rate * a lose digits. So the error of a value
      // below `floor` is measured relative to `floor`.
      ExpectTensor(program.Fetch(variable.value()), after[variable.name()],
                   /*floor=*/0.1);
    }
  }
}

TEST(NnValuesTest, StepsOfOptimizersAreTensorFlows) {
  Table<MakeOptimizer>("optimizer", OptimizersByName())
      .ForEachCase([](const json& spec, const MakeOptimizer& make) {
        const std::unique_ptr<Optimizer> optimizer = make(spec["attrs"]);
        for (const bool use_resource : {true, false}) {
          SCOPED_TRACE(use_resource ? "resource" : "reference");
          CheckSteps(spec, *optimizer, use_resource);
        }
      });
}

}  // namespace
}  // namespace leat::nn::nn_values_test
