// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Compares partitioned variables and embeddings with TensorFlow's values
// (nn/between_graph_cases.jsonl, written by nn/make_between_graph_cases.py),
// and with variables that are not partitioned.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/autodiff/gradients.h"
#include "leat/graph/builder/control_flow.h"
#include "leat/graph/ops.h"
#include "leat/tests/testing/op_case_json.h"
#include "leat/tests/testing/session_under_test.h"
#include "leat/tests/train/nn_cases.h"
#include "leat/train/nn/embedding.h"
#include "leat/train/nn/partitioned_variable.h"

namespace leat::nn::partitioned_values_test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using testing::CaseProgram;
using testing::ExpectTensor;
using ::testing::HasSubstr;
using testing::TensorFromJson;

std::vector<json> CasesOf(const std::string& kind) {
  return testing::CasesOfKind("between_graph_cases.jsonl", kind);
}

Partitioner PartitionerOf(const json& cut) {
  const json& attrs = cut[1];
  const int axis = attrs.value("axis", 0);
  if (cut[0] == "FixedSize") {
    return FixedSizePartitioner(attrs["parts"].get<int64_t>(), axis);
  }
  if (cut[0] == "MinMax") {
    return MinMaxPartitioner(
        {.max_parts = attrs["max_parts"].get<int64_t>(),
         .axis = axis,
         .min_part_bytes = attrs["min_part_bytes"].get<int64_t>()});
  }
  return AxisSizePartitioner(
      {.max_part_bytes = attrs["max_part_bytes"].get<int64_t>(), .axis = axis});
}

PartitionStrategy StrategyOf(const json& spec) {
  return spec["strategy"] == "div" ? PartitionStrategy::kDiv
                                   : PartitionStrategy::kMod;
}

PartitionedVariable VariableOf(GraphBuilder& b, const json& spec) {
  const Partitioner partitioner = PartitionerOf(spec["partitioner"]);
  const json& initializer = spec["initializer"];
  if (initializer.contains("value")) {
    return GetPartitionedVariable(
        b, "w", b.Const(TensorFromJson(initializer["value"])), partitioner);
  }
  const auto make = testing::InitializersByName();
  const auto found = make.find(initializer["what"].get<std::string>());
  if (found == make.end()) return {};
  const Tensor whole = TensorFromJson(spec["whole"]);
  return GetPartitionedVariable(b, "w", whole.dtype(), whole.shape(),
                                partitioner,
                                found->second(initializer["attrs"]));
}

TEST(PartitionedValuesTest, PartsStartAsTensorFlows) {
  for (const json& spec : CasesOf("variable")) {
    SCOPED_TRACE(spec["name"].get<std::string>());
    GraphBuilder b;
    const PartitionedVariable w = VariableOf(b, spec);
    const Output whole = w.value();
    ASSERT_TRUE(b.status().ok()) << b.status();
    CaseProgram program(b);
    ASSERT_EQ(w.parts().size(), spec["parts"].size());
    for (const Variable& part : w.parts()) {
      SCOPED_TRACE(part.name());
      ASSERT_TRUE(spec["parts"].contains(part.name()));
      ExpectTensor(program.Fetch(part.value()), spec["parts"][part.name()]);
    }
    ExpectTensor(program.Fetch(whole), spec["whole"]);
  }
}

// The expected values in this test are computed by hand.
TEST(PartitionedValuesTest, GradientsReachThePartsThroughTheWhole) {
  for (const int axis : {0, 1}) {
    GraphBuilder b;
    const PartitionedVariable w =
        GetPartitionedVariable(b, "w", DType::kFloat, Shape{3, 3},
                               FixedSizePartitioner(2, axis), Ones());
    std::vector<float> weights(9);
    for (int i = 0; i < 9; ++i) weights[i] = static_cast<float>(i);
    const Output ys[] = {
        w.value() * b.Const(Tensor::FromSpan<float>(Shape{3, 3}, weights))};
    std::vector<Output> xs;
    for (const Variable& part : w.parts()) xs.push_back(part.handle());
    const std::vector<Gradient> gradients = Gradients(ys, xs);
    ASSERT_TRUE(b.status().ok()) << b.status();
    CaseProgram program(b);
    const Tensor last = program.Fetch(gradients[1].AsDense());
    const std::vector<float> want =
        axis == 0 ? std::vector<float>{6, 7, 8} : std::vector<float>{2, 5, 8};
    ASSERT_EQ(last.num_elements(), 3);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(last.data<float>()[i], want[i]);
  }
}

// Adds up the rows of a gradient that have the same index. The result is dense
// and has the shape [rows, ...].
Output Densified(const Gradient& gradient, int64_t rows) {
  if (!gradient.IsSparse()) return gradient.AsDense();
  const IndexedSlices& slices = gradient.slices();
  return op::UnsortedSegmentSum(slices.values, slices.indices,
                                static_cast<int32_t>(rows));
}

void CheckLookup(const json& spec, bool shape_is_known) {
  GraphBuilder b;
  std::vector<Variable> parts;
  std::vector<Output> handles;
  for (const json& value : spec["table"]) {
    parts.push_back(
        b.Variable("part", b.Const(TensorFromJson(value)),
                   {.use_resource = spec["use_resource"].get<bool>()}));
    handles.push_back(parts.back().handle());
  }
  const Tensor ids = TensorFromJson(spec["ids"]);
  const Output some = b.Placeholder(
      ids.dtype(), "ids",
      shape_is_known ? PartialShape(ids.shape()) : PartialShape());
  EmbeddingLookupAttrs attrs = {.strategy = StrategyOf(spec)};
  if (!spec["max_norm"].is_null()) {
    attrs.max_norm = spec["max_norm"].get<double>();
  }
  const Output rows = EmbeddingLookup(parts, some, attrs);
  const Output ys[] = {rows * b.Const(TensorFromJson(spec["weights"]))};
  const std::vector<Gradient> gradients = Gradients(ys, handles);
  ASSERT_TRUE(b.status().ok()) << b.status();
  std::vector<Output> dense;
  for (size_t i = 0; i < parts.size(); ++i) {
    EXPECT_TRUE(gradients[i].IsSparse());
    dense.push_back(Densified(gradients[i], parts[i].shape().dim(0)));
  }
  CaseProgram program(b);
  ExpectTensor(program.Fetch(rows, {{some, ids}}), spec["rows"]);
  for (size_t i = 0; i < parts.size(); ++i) {
    SCOPED_TRACE(absl::StrCat("gradient of part ", i));
    // Differences of scaled rows lose digits. So the error of a value below the
    // floor (the last argument) is measured relative to the floor.
    ExpectTensor(program.Fetch(dense[i], {{some, ids}}), spec["gradients"][i],
                 /*floor=*/1.0);
  }
}

TEST(PartitionedValuesTest, LookupsAndTheirGradientsAreTensorFlows) {
  for (const json& spec : CasesOf("lookup")) {
    for (const bool shape_is_known : {true, false}) {
      SCOPED_TRACE(absl::StrCat(spec["name"].get<std::string>(),
                                shape_is_known ? "" : ", unknown shape"));
      CheckLookup(spec, shape_is_known);
    }
  }
}

// Describes a model with a table of `num_parts` parts, and its training step.
struct Model {
  explicit Model(GraphBuilder& b, const json& spec, const Optimizer& optimizer,
                 int64_t num_parts)
      : ids(b.Placeholder<int32_t>("ids", {4})),
        weights(b.Placeholder<float>("weights", {4, 2})),
        table(GetPartitionedVariable(b, "emb",
                                     b.Const(TensorFromJson(spec["initial"])),
                                     FixedSizePartitioner(num_parts))),
        step(optimizer.Minimize(op::Sum(
            EmbeddingLookup(table, ids, {.strategy = StrategyOf(spec)}) *
                weights,
            Tensor::Vector<int32_t>({0, 1})))) {}

  Output ids;
  Output weights;
  PartitionedVariable table;
  Operation step;
};

std::vector<Feed> FeedsOf(const Model& model, const json& spec, size_t i) {
  return {{model.ids, TensorFromJson(spec["ids"][i])},
          {model.weights, TensorFromJson(spec["weights"][i])}};
}

TEST(PartitionedValuesTest, StepsOfOptimizersAreTensorFlows) {
  const auto optimizers = testing::OptimizersByName();
  for (const json& spec : CasesOf("steps")) {
    SCOPED_TRACE(spec["name"].get<std::string>());
    const auto make = optimizers.find(spec["what"].get<std::string>());
    ASSERT_NE(make, optimizers.end());
    GraphBuilder b;
    const Model model(b, spec, *make->second(spec["attrs"]),
                      spec["parts"].get<int64_t>());
    ASSERT_TRUE(b.status().ok()) << b.status();
    CaseProgram program(b);
    for (size_t i = 0; i < spec["ids"].size(); ++i) {
      program.Run(model.step, FeedsOf(model, spec, i));
      const json& after = spec["after"][i];
      EXPECT_EQ(b.variables().size(), after.size());
      for (const Variable& variable : b.variables()) {
        SCOPED_TRACE(absl::StrCat(variable.name(), " after step ", i));
        ASSERT_TRUE(after.contains(variable.name()));
        ExpectTensor(program.Fetch(variable.value()), after[variable.name()],
                     /*floor=*/0.1);
      }
    }
  }
}

// With the strategy "div", an id stands for the same row of the whole table,
// whatever the number of parts is.
TEST(PartitionedValuesTest, StepsOfPartsAreThoseOfTheWhole) {
  const auto optimizers = testing::OptimizersByName();
  int cases = 0;
  for (const json& spec : CasesOf("steps")) {
    if (spec["strategy"] != "div" || spec["parts"] != 3) continue;
    SCOPED_TRACE(spec["name"].get<std::string>());
    ++cases;
    std::vector<std::vector<float>> after;
    for (const int64_t parts : {1, 3, 7}) {
      GraphBuilder b;
      const Model model(
          b, spec,
          *optimizers.at(spec["what"].get<std::string>())(spec["attrs"]),
          parts);
      const Output whole = model.table.value();
      ASSERT_TRUE(b.status().ok()) << b.status();
      CaseProgram program(b);
      for (size_t i = 0; i < 3; ++i) {
        program.Run(model.step, FeedsOf(model, spec, i));
      }
      const Tensor value = program.Fetch(whole);
      ASSERT_EQ(value.shape(), (Shape{7, 2}));
      const auto values = value.data<float>();
      after.emplace_back(values.begin(), values.end());
    }
    EXPECT_EQ(after[0], after[1]);
    EXPECT_EQ(after[0], after[2]);
  }
  EXPECT_EQ(cases, 4);
}

TEST(PartitionedValuesTest, LookupsWorkInBodies) {
  GraphBuilder b;
  const Output ids = b.Placeholder<int32_t>("ids", {-1});
  const Output which = b.Placeholder<bool>("which", Shape{});
  const PartitionedVariable table = GetPartitionedVariable(
      b, "emb", b.Const(Tensor::Vector<float>({1, 2, 3, 4, 5})),
      FixedSizePartitioner(2));
  const Output found = Cond(
      which,
      [&] {
        return std::vector<Output>{
            EmbeddingLookup(table, ids, {.strategy = PartitionStrategy::kDiv})};
      },
      [&] { return std::vector<Output>{-table.value()}; })[0];
  const Output ys[] = {found};
  std::vector<Output> handles;
  for (const Variable& part : table.parts()) handles.push_back(part.handle());
  const std::vector<Gradient> gradients = Gradients(ys, handles);
  ASSERT_TRUE(b.status().ok()) << b.status();
  const Output dense = Densified(gradients[1], 2);
  CaseProgram program(b);
  const auto values = [&](const Output& output, bool is_lookup) {
    const Tensor got =
        program.Fetch(output, {{ids, Tensor::Vector<int32_t>({4, 0, 3, 4})},
                               {which, Tensor::Scalar<bool>(is_lookup)}});
    return std::vector<float>(got.data<float>().begin(),
                              got.data<float>().end());
  };
  EXPECT_EQ(values(found, true), (std::vector<float>{5, 1, 4, 5}));
  EXPECT_EQ(values(found, false), (std::vector<float>{-1, -2, -3, -4, -5}));
  EXPECT_EQ(values(dense, true), (std::vector<float>{1, 2}));
  EXPECT_EQ(values(dense, false), (std::vector<float>{-1, -1}));
}

TEST(PartitionedValuesTest, IdsOutOfRangeAreErrors) {
  for (const auto strategy :
       {PartitionStrategy::kMod, PartitionStrategy::kDiv}) {
    for (const int64_t parts : {1, 3}) {
      for (const int32_t id : {-1, 7, 2'000'000'000, -2'000'000'000}) {
        SCOPED_TRACE(absl::StrCat(id, " of ", parts));
        GraphBuilder b;
        const Output ids = b.Placeholder<int32_t>("ids", {-1});
        const Output rows = EmbeddingLookup(
            GetPartitionedVariable(b, "emb", DType::kFloat, Shape{7, 2},
                                   FixedSizePartitioner(parts), Zeros()),
            ids, {.strategy = strategy});
        ASSERT_TRUE(b.status().ok()) << b.status();
        CaseProgram program(b);
        const absl::Status error =
            program.Error(rows, {{ids, Tensor::Vector<int32_t>({0, id})}});
        EXPECT_EQ(error.code(), absl::StatusCode::kInvalidArgument) << error;
        EXPECT_THAT(
            std::string(error.message()),
            AllOf(HasSubstr("is not in [0, "), HasSubstr("embedding_lookup/")));
      }
    }
  }
}

}  // namespace
}  // namespace leat::nn::partitioned_values_test
