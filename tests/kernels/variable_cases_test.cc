// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Compares the effects of ops on a variable with the effects in TensorFlow.
// make_variable_cases.py writes TensorFlow's effects to variable_cases.jsonl.
#include <memory>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "leat/core/resource_handle.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/variable.h"
#include "leat/tests/testing/kernel_test_harness.h"
#include "leat/tests/testing/op_case_json.h"

namespace leat::variable_cases_test {
namespace {

using kernels::Variable;
using nlohmann::json;

// Makes the variable of a case and runs the case's op on it.
class VariableCase {
 public:
  explicit VariableCase(const json& spec) : spec_(spec) {
    const DType dtype =
        ParseDType(spec["declared"][0].get<std::string>()).value();
    PartialShape shape;
    if (!spec["declared"][1].is_null()) {
      shape =
          PartialShape::Create(spec["declared"][1].get<std::vector<int64_t>>())
              .value();
    }
    const OpDef* def = testing::AllOps().Find(spec["op"].get<std::string>());
    variable_ = def != nullptr && def->inputs[0].is_ref
                    ? Referenced(dtype, shape)
                    : std::make_shared<Variable>("v", dtype, shape);
    if (!spec["before"].is_null()) {
      EXPECT_TRUE(variable_
                      ->Assign(testing::TensorFromJson(spec["before"]),
                               /*validate_shape=*/false)
                      .ok());
    }
  }

  absl::StatusOr<std::vector<Tensor>> Run() {
    const std::string op = spec_["op"].get<std::string>();
    const OpDef* def = testing::AllOps().Find(op);
    if (def == nullptr) return absl::NotFoundError(op);
    std::vector<Value> values = {
        def->inputs[0].is_ref ? testing::RefValue(variable_) : Handle()};
    std::vector<DType> types = {
        def->inputs[0].is_ref ? RefOf(variable_->dtype()) : DType::kResource};
    for (const json& input : spec_["inputs"]) {
      Tensor tensor = testing::TensorFromJson(input);
      types.push_back(tensor.dtype());
      values.push_back(testing::TensorValue(std::move(tensor)));
    }
    LEAT_ASSIGN_OR_RETURN(
        const testing::TestKernel kernel,
        harness_.Make(op, testing::AttrsFromJson(spec_["attrs"]), types));
    LEAT_ASSIGN_OR_RETURN(const std::vector<Value> outputs,
                          harness_.Run(kernel, std::move(values)));
    std::vector<Tensor> tensors;
    for (const Value& output : outputs) {
      tensors.push_back(output.tensor);
      if (output.ref == nullptr) continue;
      LEAT_ASSIGN_OR_RETURN(tensors.back(), output.ref->Read(HostAllocator()));
    }
    return tensors;
  }

  Variable& variable() { return *variable_; }

 private:
  std::shared_ptr<Variable> Referenced(DType dtype, const PartialShape& shape) {
    const auto kernel =
        harness_.Make("VariableV2", {{"dtype", dtype}, {"shape", shape}}, {});
    EXPECT_TRUE(kernel.ok()) << kernel.status();
    return harness_.Run(*kernel, {}).value()[0].ref;
  }

  Value Handle() {
    ResourceHandle handle;
    handle.device = harness_.device().name();
    handle.container = kDefaultContainer;
    handle.name = "v";
    handle.maybe_type_name = Variable::kTypeName;
    const auto stored = harness_.resources().FindOrMake<Variable>(
        handle.container, handle.name,
        [&]() -> absl::StatusOr<std::shared_ptr<Variable>> {
          return variable_;
        });
    EXPECT_TRUE(stored.ok());
    return testing::TensorValue(Tensor::Scalar(handle));
  }

  const json& spec_;
  testing::KernelTestHarness harness_;
  std::shared_ptr<Variable> variable_;
};

void ExpectEqual(const Tensor& got, const json& want) {
  const Tensor expected = testing::TensorFromJson(want);
  EXPECT_EQ(testing::Difference(
                got, expected,
                {.tolerance = testing::DefaultTolerance(expected.dtype())}),
            "");
}

void CheckCase(const json& spec) {
  VariableCase test(spec);
  const auto outputs = test.Run();
  if (spec.contains("error")) {
    EXPECT_EQ(absl::StatusCodeToString(outputs.status().code()),
              spec["error"][0].get<std::string>());
    EXPECT_TRUE(absl::StrContains(outputs.status().message(),
                                  spec["error"][1].get<std::string>()))
        << outputs.status();
    return;
  }
  ASSERT_TRUE(outputs.ok()) << outputs.status();
  ASSERT_EQ(outputs->size(), spec["outputs"].size());
  for (size_t i = 0; i < outputs->size(); ++i) {
    ExpectEqual((*outputs)[i], spec["outputs"][i]);
  }
  if (spec["after"].is_null()) return;
  const auto after = test.variable().Read(HostAllocator());
  ASSERT_TRUE(after.ok()) << after.status();
  ExpectEqual(*after, spec["after"]);
}

TEST(VariableCasesTest, MatchTensorFlow) {
  for (const json& spec :
       testing::ReadJsonLines("kernels/variable_cases.jsonl")) {
    if (!spec.contains("op")) continue;  // the line that names the source
    SCOPED_TRACE(absl::StrCat(spec["op"].get<std::string>(), ", ",
                              spec["name"].get<std::string>()));
    CheckCase(spec);
  }
}

}  // namespace
}  // namespace leat::variable_cases_test
