// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/train/nn/partitioned_variable.h"

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/ops.h"
#include "leat/tests/testing/op_case_json.h"
#include "leat/train/nn/embedding.h"
#include "leat/train/nn/layers.h"
#include "leat/train/nn/optimizers.h"
#include "leat/train/nn/replica_device_setter.h"

namespace leat::nn::partitioned_variable_test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> VariableNames(const GraphBuilder& b) {
  std::vector<std::string> names;
  for (const Variable& variable : b.variables()) {
    names.push_back(variable.name());
  }
  return names;
}

Partitioner PartitionerOf(const json& spec) {
  const json& attrs = spec["attrs"];
  const int axis = attrs.value("axis", 0);
  if (spec["which"] == "FixedSize") {
    return FixedSizePartitioner(attrs["parts"].get<int64_t>(), axis);
  }
  if (spec["which"] == "MinMax") {
    return MinMaxPartitioner(
        {.max_parts = attrs["max_parts"].get<int64_t>(),
         .axis = axis,
         .min_part_bytes = attrs.value("min_part_bytes", int64_t{256} << 10)});
  }
  AxisSizePartitionerAttrs sizes = {
      .max_part_bytes = attrs["max_part_bytes"].get<int64_t>(), .axis = axis};
  if (attrs.contains("max_parts")) {
    sizes.max_parts = attrs["max_parts"].get<int64_t>();
  }
  return AxisSizePartitioner(sizes);
}

TEST(PartitionerTest, CutsAsTensorFlowsDo) {
  std::map<std::string, int> cases;
  for (const json& spec :
       testing::ReadJsonLines("train/nn/between_graph_cases.jsonl")) {
    if (spec.value("kind", "") != "partitioner") continue;
    SCOPED_TRACE(spec["name"].get<std::string>());
    ++cases[spec["which"].get<std::string>()];
    const auto dims = spec["shape"].get<std::vector<int64_t>>();
    const Shape shape = Shape::Create(dims).value();
    const DType dtype =
        testing::TensorFromJson({spec["dtype"], {0}, json::array()}).dtype();
    const auto cut = PartitionerOf(spec)(shape, dtype);
    ASSERT_TRUE(cut.ok()) << cut.status();
    std::vector<int64_t> parts(dims.size(), 1);
    parts[cut->axis] = cut->parts;
    EXPECT_EQ(parts, spec["parts"].get<std::vector<int64_t>>());
  }
  EXPECT_EQ(cases.size(), 3u);
}

TEST(PartitionerTest, RefusesSizesThatAreNone) {
  const Shape shape{4, 3};
  const auto error = [&](const Partitioner& partitioner) {
    return std::string(partitioner(shape, DType::kFloat).status().message());
  };
  EXPECT_THAT(error(FixedSizePartitioner(2, 2)), HasSubstr("2"));
  EXPECT_THAT(error(MinMaxPartitioner({.min_part_bytes = 0})),
              HasSubstr("min_part_bytes must be positive, got 0"));
  EXPECT_THAT(error(AxisSizePartitioner({.max_part_bytes = -1})),
              HasSubstr("max_part_bytes must be positive, got -1"));
  EXPECT_THAT(error(AxisSizePartitioner({.bytes_per_string = 0})),
              HasSubstr("bytes_per_string must be positive, got 0"));
  EXPECT_THAT(error(AxisSizePartitioner({.max_parts = 0})),
              HasSubstr("max_parts must be positive, got 0"));
}

TEST(PartitionedVariableTest, HasPartsThatDifferByOne) {
  GraphBuilder b;
  const Scope scope = b.VariableScope("layer");
  const PartitionedVariable table =
      GetPartitionedVariable(b, "emb", DType::kFloat, Shape{3, 8},
                             FixedSizePartitioner(3, 1), Zeros());
  ASSERT_TRUE(b.status().ok()) << b.status();
  EXPECT_EQ(table.name(), "layer/emb");
  EXPECT_EQ(table.axis(), 1);
  EXPECT_THAT(
      VariableNames(b),
      ElementsAre("layer/emb/part_0", "layer/emb/part_1", "layer/emb/part_2"));
  std::vector<PartialShape> shapes;
  std::vector<int64_t> offsets;
  for (int i = 0; i < 3; ++i) {
    shapes.push_back(table.parts()[i].shape());
    offsets.push_back(table.offset(i));
  }
  EXPECT_THAT(shapes, ElementsAre(Shape{3, 3}, Shape{3, 3}, Shape{3, 2}));
  EXPECT_THAT(offsets, ElementsAre(0, 3, 6));
  const Output whole = table.value();
  EXPECT_EQ(whole.shape(), PartialShape(Shape({3, 8})));
  EXPECT_EQ(whole.name(), "layer/emb/ConcatPartitions/ConcatV2:0");
}

TEST(PartitionedVariableTest, IsSharedByName) {
  GraphBuilder b;
  const auto get = [&](int parts) {
    const Scope scope = b.VariableScope("layer");
    return GetPartitionedVariable(b, "emb", DType::kFloat, Shape{5, 2},
                                  FixedSizePartitioner(parts), Zeros(),
                                  {.shared_name = "table"});
  };
  const PartitionedVariable first = get(3);
  const PartitionedVariable second = get(3);
  ASSERT_TRUE(b.status().ok()) << b.status();
  for (int i = 0; i < 3; ++i) {
    const Operation handle = first.parts()[i].handle().operation();
    EXPECT_EQ(handle, second.parts()[i].handle().operation());
    EXPECT_EQ(handle.attr<std::string>("shared_name"),
              absl::StrCat("table/part_", i));
  }
  EXPECT_TRUE(get(4).parts().empty());
  EXPECT_THAT(
      std::string(b.status().message()),
      AllOf(HasSubstr("layer/emb/part_1"), HasSubstr("[2,2]"),
            HasSubstr("[1,2]"), HasSubstr("partitioned_variable_test.cc:")));
}

// Two workers may build different graphs: one partitions a variable, and the
// other does not partition it.
TEST(PartitionedVariableTest, RefusesAVariableThatIsNotPartitioned) {
  for (const bool use_resource : {true, false}) {
    GraphBuilder b;
    const Tensor zeros = Tensor::Filled<float>(Shape{2}, 0.0f);
    b.GetVariable("emb", DType::kFloat, Shape{2},
                  [&] { return b.Const(zeros); },
                  {.use_resource = use_resource});
    ASSERT_TRUE(b.status().ok()) << b.status();
    GetPartitionedVariable(b, "emb", DType::kFloat, Shape{2},
                           FixedSizePartitioner(2), Zeros(),
                           {.use_resource = use_resource});
    EXPECT_THAT(std::string(b.status().message()),
                AllOf(HasSubstr("'emb'"), HasSubstr("without parts")));
  }
}

TEST(PartitionedVariableTest, RefusesWhatCannotBeCut) {
  const auto error_of = [](Shape shape, const Partitioner& partitioner,
                           const Initializer& initializer = Zeros()) {
    GraphBuilder b;
    const PartitionedVariable none = GetPartitionedVariable(
        b, "emb", DType::kFloat, shape, partitioner, initializer);
    EXPECT_TRUE(none.parts().empty());
    EXPECT_FALSE(none.value().IsValid());
    EXPECT_THAT(std::string(b.status().message()),
                HasSubstr("partitioned_variable_test.cc:"));
    return std::string(b.status().message());
  };
  EXPECT_THAT(error_of(Shape{}, FixedSizePartitioner(1)),
              AllOf(HasSubstr("'emb'"), HasSubstr("scalar")));
  EXPECT_THAT(error_of(Shape{0, 2}, FixedSizePartitioner(1)),
              HasSubstr("0 parts of axis 0 of [0,2]"));
  EXPECT_THAT(error_of(Shape{2}, FixedSizePartitioner(0)),
              HasSubstr("0 parts"));
  EXPECT_THAT(error_of(Shape{2}, nullptr), HasSubstr("no partitioner"));
  EXPECT_THAT(error_of(Shape{2}, FixedSizePartitioner(1), nullptr),
              HasSubstr("no initializer"));
  EXPECT_THAT(
      error_of(Shape{2},
               [](const Shape&, DType) { return Partitioning{.parts = 3}; }),
      HasSubstr("3 parts of axis 0 of [2]"));
  EXPECT_THAT(error_of(Shape{2},
                       [](const Shape&, DType) {
                         return Partitioning{.parts = 2, .axis = 1};
                       }),
              HasSubstr("1"));
  EXPECT_THAT(
      error_of(Shape{2}, [](const Shape&,
                            DType) { return absl::NotFoundError("no idea"); }),
      HasSubstr("no idea"));
}

// As in TensorFlow, a parameter server gets only its slice of the initial
// value, and the placement strategy counts every part.
TEST(PartitionedVariableTest, PartsGoToSeveralTasks) {
  GraphBuilder b;
  const Scope scope = b.OnDevice(ReplicaDeviceSetter({.ps_tasks = 2}));
  const Output initial =
      b.Const(Tensor::Filled<float>(Shape{3, 2}, 1.0f), "initial");
  const PartitionedVariable table =
      GetPartitionedVariable(b, "emb", initial, FixedSizePartitioner(3));
  const Output whole = table.value();
  ASSERT_TRUE(b.status().ok()) << b.status();
  const auto device_of = [&](absl::string_view name) {
    const NodeId id = b.graph().Find(name);
    return id == kNoNode ? "no such node" : b.graph().node(id).def->device;
  };
  EXPECT_EQ(device_of("emb/part_0"), "/job:ps/task:0");
  EXPECT_EQ(device_of("emb/part_1"), "/job:ps/task:1");
  EXPECT_EQ(device_of("emb/part_2"), "/job:ps/task:0");
  EXPECT_EQ(device_of("emb/part_1/PartitionedInitializer/Slice"),
            "/job:worker");
  EXPECT_EQ(device_of(whole.operation().name()), "/job:worker");
}

TEST(EmbeddingLookupTest, GathersBesideThePartsAndStitchesOnTheWorker) {
  GraphBuilder b;
  const Scope scope = b.OnDevice(ReplicaDeviceSetter({.ps_tasks = 2}));
  const Output ids = b.Placeholder<int64_t>("ids", {-1, 4});
  const PartitionedVariable table = GetPartitionedVariable(
      b, "emb", DType::kFloat, Shape{9, 3}, FixedSizePartitioner(2), Zeros());
  const Output rows = EmbeddingLookup(table, ids);
  EXPECT_EQ(rows.shape(), (PartialShape{-1, 4, 3}));
  GradientDescent().Minimize(op::L2Loss(rows));
  ASSERT_TRUE(b.status().ok()) << b.status();
  int gathers = 0;
  for (const NodeId id : b.graph().NodeIds()) {
    const Node& node = b.graph().node(id);
    const bool on_ps =
        node.op() == "ResourceGather" || node.op() == "ResourceScatterAdd";
    if (on_ps) {
      const std::string part = absl::StrCat("loc:@emb/part_", gathers++ % 2);
      const auto classes = node.attrs().Get<std::vector<std::string>>("_class");
      ASSERT_TRUE(classes.ok()) << node.name() << ": " << classes.status();
      EXPECT_THAT(*classes, ElementsAre(part));
      EXPECT_EQ(node.def->device,
                absl::StrCat("/job:ps/task:", (gathers - 1) % 2));
    }
    if (node.op() == "DynamicPartition" ||
        node.op() == "ParallelDynamicStitch") {
      EXPECT_EQ(node.def->device, "/job:worker") << node.name();
    }
  }
  EXPECT_EQ(gathers, 4);
}

TEST(EmbeddingLookupTest, IsWhatAnEmbeddingLayerDoes) {
  GraphBuilder b;
  const Output ids = b.Placeholder<int32_t>("ids", {-1, 7});
  const Output rows = Embedding(ids, {.vocabulary = 100,
                                      .dimension = 16,
                                      .partitioner = FixedSizePartitioner(2),
                                      .strategy = PartitionStrategy::kDiv});
  ASSERT_TRUE(b.status().ok()) << b.status();
  EXPECT_EQ(rows.shape(), (PartialShape{-1, 7, 16}));
  EXPECT_THAT(VariableNames(b), ElementsAre("embedding/embeddings/part_0",
                                            "embedding/embeddings/part_1"));
}

TEST(EmbeddingLookupTest, RefusesWhatIsNoTable) {
  const auto error_of = [](std::vector<Shape> shapes, DType ids = DType::kInt32,
                           int axis = 0) {
    GraphBuilder b;
    std::vector<Variable> parts;
    for (const Shape& shape : shapes) {
      parts.push_back(
          b.Variable("part", b.Const(Tensor::Filled<float>(shape, 0.0f))));
    }
    const Output some = b.Placeholder(ids, "ids", {-1});
    EmbeddingLookup(PartitionedVariable(&b, "emb", Shape{4, 4}, axis, parts),
                    some);
    EXPECT_FALSE(b.status().ok());
    EXPECT_THAT(std::string(b.status().message()),
                HasSubstr("partitioned_variable_test.cc:"));
    return std::string(b.status().message());
  };
  EXPECT_THAT(error_of({}), HasSubstr("no parts"));
  EXPECT_THAT(error_of({Shape{2, 3}, Shape{2, 4}}),
              AllOf(HasSubstr("part 1 'part_1'"), HasSubstr("[2,4]")));
  EXPECT_THAT(error_of({Shape{}}), HasSubstr("[]"));
  EXPECT_THAT(error_of({Shape{1, 2}, Shape{0, 2}}),
              HasSubstr("2 parts have only 1 rows together"));
  EXPECT_THAT(error_of({Shape{2, 3}}, DType::kFloat),
              HasSubstr("int32 or int64, got float"));
  EXPECT_THAT(error_of({Shape{2, 3}}, DType::kInt32, 1),
              AllOf(HasSubstr("'emb'"), HasSubstr("axis 1")));
}

}  // namespace
}  // namespace leat::nn::partitioned_variable_test
