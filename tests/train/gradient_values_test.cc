// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Compares gradients with the values of TensorFlow's gradient graphs
// (gradients.jsonl, written by make_gradients.py). Each case runs once with
// shapes that are known when the graph is built, and once with shapes that only
// the feeds determine. The cases run on the CPU and on GPUs.
#include <set>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "leat/core/dtype_list.h"
#include "leat/graph/autodiff/gradient_registry.h"
#include "leat/graph/builder/builder.h"
#include "leat/runtime/session.h"
#include "leat/tests/testing/op_case_json.h"
#include "leat/tests/testing/session_under_test.h"

namespace leat::gradient_values_test {
namespace {

using nlohmann::json;

// Returns the precision that a gradient must have. Terms of a sum can cancel
// each other, so the error of a value below the floor is measured relative to
// the floor.
testing::Precision PrecisionOf(const json& spec, DType dtype) {
  testing::Precision precision{.tolerance = 0, .floor = 1};
  switch (dtype) {
    case DType::kFloat:
      precision.tolerance = 1e-5;
      break;
    case DType::kDouble:
      precision.tolerance = 1e-10;
      break;
    case DType::kHalf:
      precision.tolerance = 4e-3;
      break;
    case DType::kBfloat16:
      precision.tolerance = 3e-2;
      break;
    default:
      break;
  }
  precision.tolerance = spec.value("tolerance", precision.tolerance);
  return precision;
}

class GradientGraph {
 public:
  GradientGraph(const json& spec, bool known_shapes)
      : known_shapes_(known_shapes) {
    for (const json& input : spec["inputs"]) {
      AddInput(testing::TensorFromJson(input));
    }
    const std::string op = spec["op"].get<std::string>();
    const AttrMap attrs = testing::AttrsFromJson(spec["attrs"]);
    const Operation operation =
        b_.AddOp({.op = op, .inputs = Arguments(op, attrs), .attrs = attrs});
    std::vector<Output> ys, weights, xs;
    for (size_t i = 0; i < spec["weights"].size(); ++i) {
      const json& weight = spec["weights"][i];
      if (weight.is_null()) continue;
      ys.push_back(operation.output(static_cast<int>(i)));
      weights.push_back(b_.Const(testing::TensorFromJson(weight)));
    }
    for (const json& i : spec["by"]) xs.push_back(inputs_[i.get<int>()]);
    gradients_ = Gradients(ys, xs, weights);
  }

  const absl::Status& status() const { return b_.status(); }
  const std::vector<Gradient>& gradients() const { return gradients_; }

  Tensor Value(const Output& output) {
    if (session_ == nullptr) {
      const absl::StatusOr<Graph> graph = b_.Build();
      EXPECT_TRUE(graph.ok()) << graph.status();
      auto session = NewTestSession(*graph, {.devices = {.num_threads = 2}});
      EXPECT_TRUE(session.ok()) << session.status();
      if (!session.ok()) return Tensor();
      session_ = *session;
    }
    auto values = session_->Run({.feeds = feeds_, .fetches = {output}});
    EXPECT_TRUE(values.ok()) << values.status();
    return values.ok() ? (*values)[0] : Tensor();
  }

 private:
  // An input of a floating-point type becomes a placeholder that is fed
  // `value`, and is differentiated. Any other input becomes a constant.
  void AddInput(const Tensor& value) {
    if (!kFloats.Contains(value.dtype())) {
      inputs_.push_back(b_.Const(value));
      return;
    }
    inputs_.push_back(b_.Placeholder(
        value.dtype(), absl::StrCat("x", inputs_.size()),
        known_shapes_ ? PartialShape(value.shape()) : PartialShape()));
    feeds_.push_back({inputs_.back(), value});
  }

  // Groups the inputs by the arguments of the op.
  std::vector<OpInput> Arguments(const std::string& op, const AttrMap& attrs) {
    std::vector<OpInput> arguments;
    const absl::StatusOr<const OpDef*> def = BuiltinOps().Lookup(op);
    EXPECT_TRUE(def.ok()) << def.status();
    size_t next = 0;
    for (const ArgDef& arg : (*def)->inputs) {
      size_t count = 1;
      if (!arg.number_attr.empty()) {
        count = static_cast<size_t>(*attrs.Get<int64_t>(arg.number_attr));
      } else if (!arg.type_list_attr.empty()) {
        count = attrs.Get<std::vector<DType>>(arg.type_list_attr)->size();
      } else {
        arguments.push_back(inputs_[next++]);
        continue;
      }
      arguments.push_back(absl::MakeConstSpan(inputs_).subspan(next, count));
      next += count;
    }
    return arguments;
  }

  const bool known_shapes_;
  GraphBuilder b_;
  std::vector<Output> inputs_;
  std::vector<Feed> feeds_;
  std::vector<Gradient> gradients_;
  std::shared_ptr<Session> session_;
};

void ExpectEqual(GradientGraph& graph, const Output& output, const json& want,
                 const json& spec) {
  const Tensor expected = testing::TensorFromJson(want);
  EXPECT_EQ(testing::Difference(graph.Value(output), expected,
                                PrecisionOf(spec, expected.dtype())),
            "");
}

void CheckCase(const json& spec, bool known_shapes) {
  GradientGraph graph(spec, known_shapes);
  ASSERT_TRUE(graph.status().ok()) << graph.status();
  for (size_t i = 0; i < graph.gradients().size(); ++i) {
    SCOPED_TRACE(absl::StrCat("by input ", spec["by"][i].get<int>()));
    const Gradient& got = graph.gradients()[i];
    const json& want = spec["gradients"][i];
    ASSERT_EQ(got.IsNone(), want.is_null());
    ASSERT_EQ(got.IsSparse(), want.is_object());
    if (got.IsSparse()) {
      ExpectEqual(graph, got.slices().values, want["values"], spec);
      ExpectEqual(graph, got.slices().indices, want["indices"], spec);
      ExpectEqual(graph, got.slices().dense_shape, want["dense_shape"], spec);
    } else if (!got.IsNone()) {
      ExpectEqual(graph, got.AsDense(), want, spec);
    }
  }
}

std::vector<json> GradientCases() {
  std::vector<json> cases = testing::ReadJsonLines("train/gradients.jsonl");
  cases.erase(cases.begin());  // the line with the source and its version
  return cases;
}

std::string NameOf(const json& spec) {
  return absl::StrCat(spec["op"].get<std::string>(), ", ",
                      spec["name"].get<std::string>());
}

TEST(GradientValuesTest, AreTensorFlowsWhereShapesAreKnown) {
  LEAT_LOCAL_SESSION_ONLY("a server computes with the same kernels");
  for (const json& spec : GradientCases()) {
    SCOPED_TRACE(NameOf(spec));
    CheckCase(spec, /*known_shapes=*/true);
  }
}

TEST(GradientValuesTest, AreTensorFlowsWhereTheyAreNot) {
  LEAT_LOCAL_SESSION_ONLY("a server computes with the same kernels");
  for (const json& spec : GradientCases()) {
    SCOPED_TRACE(NameOf(spec));
    CheckCase(spec, /*known_shapes=*/false);
  }
}

TEST(GradientValuesTest, CoverEveryGradient) {
  // PreventGradient has no gradient. gradient_check_test.cc covers variables,
  // control_flow_gradients_test.cc covers control flow, and
  // lowered_control_flow_test.cc covers calls.
  std::set<std::string> covered = {"PreventGradient",
                                   "ReadVariableOp",
                                   "RefIdentity",
                                   "ResourceGather",
                                   "ResourceGatherNd",
                                   "If",
                                   "StatelessIf",
                                   "Case",
                                   "StatelessCase",
                                   "While",
                                   "StatelessWhile",
                                   "PartitionedCall",
                                   "StatefulPartitionedCall"};
  for (const json& spec : GradientCases()) {
    covered.insert(spec["op"].get<std::string>());
  }
  for (const OpDef* op : BuiltinOps().Ops()) {
    const auto* entry = BuiltinGradients().Find(op->name);
    if (entry == nullptr || entry->function == nullptr) continue;
    // tensor_list_gradients_test.cc and optional_gradients_test.cc cover these.
    if (op->name.starts_with("TensorList")) continue;
    if (op->name.starts_with("Optional")) continue;
    EXPECT_EQ(covered.count(op->name), 1u) << op->name;
  }
}

}  // namespace
}  // namespace leat::gradient_values_test
