// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tests/train/nn_cases.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "leat/runtime/local_session.h"
#include "leat/tests/testing/op_case_json.h"
#include "leat/tests/testing/session_under_test.h"

namespace leat::testing {
namespace {

using nlohmann::json;

constexpr double kRelative = 1e-6;
constexpr double kRelativeOfDouble = 1e-12;

std::optional<int64_t> SeedOf(const json& attrs) {
  if (!attrs.contains("seed")) return {};
  return attrs["seed"].get<int64_t>();
}

nn::NormalAttrs NormalOf(const json& attrs) {
  return {.mean = attrs["mean"].get<double>(),
          .stddev = attrs["stddev"].get<double>(),
          .seed = SeedOf(attrs)};
}

double Number(const json& attrs, const char* name) {
  return attrs[name].get<double>();
}

}  // namespace

std::map<std::string, MakeInitializer> InitializersByName() {
  using namespace nn;  // NOLINT: the table's names are those of the cases
  return {
      {"Zeros", [](const json&) { return Zeros(); }},
      {"Ones", [](const json&) { return Ones(); }},
      {"Constant",
       [](const json& attrs) {
         return Constant(attrs["value"].get<double>());
       }},
      {"RandomUniform",
       [](const json& attrs) {
         return RandomUniform({.min = attrs["min"].get<double>(),
                               .max = attrs["max"].get<double>(),
                               .seed = SeedOf(attrs)});
       }},
      {"RandomNormal",
       [](const json& attrs) { return RandomNormal(NormalOf(attrs)); }},
      {"TruncatedNormal",
       [](const json& attrs) { return TruncatedNormal(NormalOf(attrs)); }},
      {"GlorotUniform",
       [](const json& attrs) { return GlorotUniform(SeedOf(attrs)); }},
      {"HeNormal", [](const json& attrs) { return HeNormal(SeedOf(attrs)); }}};
}

std::map<std::string, MakeOptimizer> OptimizersByName() {
  using namespace nn;  // NOLINT: as above
  return {{"GradientDescent",
           [](const json& attrs) {
             return std::make_unique<GradientDescent>(GradientDescentAttrs{
                 .learning_rate = Number(attrs, "learning_rate")});
           }},
          {"Momentum",
           [](const json& attrs) {
             return std::make_unique<Momentum>(
                 MomentumAttrs{.learning_rate = Number(attrs, "learning_rate"),
                               .momentum = Number(attrs, "momentum"),
                               .nesterov = attrs["nesterov"].get<bool>()});
           }},
          {"Adagrad",
           [](const json& attrs) {
             return std::make_unique<Adagrad>(AdagradAttrs{
                 .learning_rate = Number(attrs, "learning_rate"),
                 .initial_accumulator = Number(attrs, "initial_accumulator")});
           }},
          {"RMSProp",
           [](const json& attrs) {
             return std::make_unique<RMSProp>(
                 RMSPropAttrs{.learning_rate = Number(attrs, "learning_rate"),
                              .decay = Number(attrs, "decay"),
                              .momentum = Number(attrs, "momentum"),
                              .epsilon = Number(attrs, "epsilon"),
                              .centered = attrs["centered"].get<bool>()});
           }},
          {"Adam", [](const json& attrs) {
             return std::make_unique<Adam>(
                 AdamAttrs{.learning_rate = Number(attrs, "learning_rate"),
                           .beta1 = Number(attrs, "beta1"),
                           .beta2 = Number(attrs, "beta2"),
                           .epsilon = Number(attrs, "epsilon")});
           }}};
}

std::vector<json> CasesOfKind(const std::string& file,
                              const std::string& kind) {
  std::vector<json> found;
  for (json& spec : ReadJsonLines(absl::StrCat("train/nn/", file))) {
    if (spec.value("kind", "") == kind) found.push_back(std::move(spec));
  }
  EXPECT_FALSE(found.empty()) << kind;
  return found;
}

CaseProgram::CaseProgram(GraphBuilder& b) {
  const absl::StatusOr<Graph> graph = b.Build();
  EXPECT_TRUE(graph.ok()) << graph.status();
  if (!graph.ok()) return;
  auto session = NewTestSession(*graph, {.devices = {.num_threads = 2}});
  EXPECT_TRUE(session.ok()) << session.status();
  if (!session.ok()) return;
  session_ = *session;
  EXPECT_TRUE(session_->Run({.targets = {graph->init_op()}}).ok());
}

Tensor CaseProgram::Fetch(const Output& output, std::vector<Feed> feeds) {
  if (session_ == nullptr) return Tensor();
  auto values = session_->Run({.feeds = std::move(feeds), .fetches = {output}});
  EXPECT_TRUE(values.ok()) << values.status();
  return values.ok() ? (*values)[0] : Tensor();
}

void CaseProgram::Run(const Operation& target, std::vector<Feed> feeds) {
  if (session_ == nullptr) return;
  const auto run =
      session_->Run({.feeds = std::move(feeds), .targets = {target}});
  EXPECT_TRUE(run.ok()) << run.status();
}

absl::Status CaseProgram::Error(const Output& output, std::vector<Feed> feeds) {
  if (session_ == nullptr) return absl::OkStatus();
  return session_->Run({.feeds = std::move(feeds), .fetches = {output}})
      .status();
}

void ExpectTensor(const Tensor& got, const json& want, double floor) {
  const Tensor expected = TensorFromJson(want);
  const bool wide = expected.dtype() == DType::kDouble;
  EXPECT_EQ(Difference(got, expected,
                       {.tolerance = wide ? kRelativeOfDouble : kRelative,
                        .floor = floor}),
            "");
}

}  // namespace leat::testing
