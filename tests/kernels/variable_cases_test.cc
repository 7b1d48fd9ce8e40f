// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Compares the effects of ops on a variable with the effects in TensorFlow.
// make_variable_cases.py writes TensorFlow's effects to variable_cases.jsonl.
#include <memory>

#include "absl/functional/function_ref.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "leat/core/resource_handle.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/cuda/device/form.h"
#include "leat/kernels/variable.h"
#include "leat/tests/testing/gpu/queued_gpu.h"
#include "leat/tests/testing/kernel_test_harness.h"
#include "leat/tests/testing/op_case_json.h"

namespace leat::variable_cases_test {
namespace {

using kernels::Variable;
using nlohmann::json;

// Makes the variable of a case and runs the case's op on it.
class VariableCase {
 public:
  VariableCase(testing::KernelTestHarness& harness, const json& spec)
      : harness_(harness), spec_(spec) {
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
                      ->Assign(harness_.ToDevice(
                                   testing::TensorFromJson(spec["before"])),
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
      LEAT_ASSIGN_OR_RETURN(tensors.back(), ReadVariable(*output.ref));
    }
    return tensors;
  }

  // ReadVariable() returns the value of the variable of the case, and
  // ReadVariable(variable) the value of `variable`. Both are in host memory.
  absl::StatusOr<Tensor> ReadVariable() { return ReadVariable(*variable_); }
  absl::StatusOr<Tensor> ReadVariable(const Variable& variable) {
    LEAT_ASSIGN_OR_RETURN(const Tensor value,
                          variable.Read(harness_.device().allocator()));
    return harness_.ToHost(value);
  }

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

  testing::KernelTestHarness& harness_;
  const json& spec_;
  std::shared_ptr<Variable> variable_;
};

void ExpectEqual(const Tensor& got, const json& want) {
  const Tensor expected = testing::TensorFromJson(want);
  EXPECT_EQ(testing::Difference(
                got, expected,
                {.tolerance = testing::DefaultTolerance(expected.dtype())}),
            "");
}

// Returns true if the case divides by 0, which kernels for CPUs refuse. As in
// TensorFlow, those for GPUs do not read the divisors first.
bool IsRefusedOnCpu(const json& spec) {
  return spec.contains("error") &&
         spec["error"][1] == "updates must not contain 0";
}

// Returns true if the device of the harness has a kernel for the case.
bool HasKernel(testing::KernelTestHarness& harness, const json& spec) {
  if (harness.device().info().type == kCpu) return true;
  if (IsRefusedOnCpu(spec)) return false;
  AttrMap attrs = testing::AttrsFromJson(spec["attrs"]);
  const DType dtype =
      ParseDType(spec["declared"][0].get<std::string>()).value();
  if (!attrs.Has("T")) attrs.Set("T", dtype);
  if (!attrs.Has("dtype")) attrs.Set("dtype", dtype);
  const KernelSignature* signature = testing::AllOps().FindSignature(
      spec["op"].get<std::string>(), kGpu, attrs);
  return signature != nullptr && !signature->runs_on_host &&
         !(dtype == DType::kInt32 && signature->int32_on_host);
}

void CheckCase(testing::KernelTestHarness& harness, const json& spec) {
  VariableCase test(harness, spec);
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
  const auto after = test.ReadVariable();
  ASSERT_TRUE(after.ok()) << after.status();
  ExpectEqual(*after, spec["after"]);
}

// Runs each case with a new harness. Returns the number of cases that have a
// kernel.
int CheckCases(
    absl::FunctionRef<std::unique_ptr<testing::KernelTestHarness>()> make) {
  int count = 0;
  for (const json& spec :
       testing::ReadJsonLines("kernels/variable_cases.jsonl")) {
    if (!spec.contains("op")) continue;  // the line that names the source
    const auto harness = make();
    SCOPED_TRACE(absl::StrCat(spec["op"].get<std::string>(), ", ",
                              spec["name"].get<std::string>(), " on ",
                              harness->device().info().type));
    if (!HasKernel(*harness, spec)) continue;
    ++count;
    CheckCase(*harness, spec);
  }
  return count;
}

TEST(VariableCasesTest, MatchTensorFlow) {
  CheckCases([] { return std::make_unique<testing::KernelTestHarness>(); });
}

TEST(VariableCasesTest, MatchTensorFlowOnGpus) {
  if (!cuda::KernelsRunOnHost()) GTEST_SKIP() << "kernels are GPU code";
  const int count = CheckCases([] {
    return std::make_unique<testing::KernelTestHarness>(
        std::make_unique<testing::QueuedGpu>(), testing::AllKernels());
  });
  EXPECT_GT(count, 200);
}

}  // namespace
}  // namespace leat::variable_cases_test
