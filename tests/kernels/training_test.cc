// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Compares what training ops make of variables with what TensorFlow's make of
// them. make_training_cases.py writes the latter to training_cases.jsonl.
#include <complex>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/dtype_list.h"
#include "leat/core/tensor.h"
#include "leat/kernels/cuda/device/form.h"
#include "leat/kernels/resource_store.h"
#include "leat/kernels/variable.h"
#include "leat/tests/testing/gpu/queued_gpu.h"
#include "leat/tests/testing/kernel_test_harness.h"
#include "leat/tests/testing/op_case_json.h"

namespace leat::training_test {
namespace {

using ::leat::kernels::Variable;
using ::leat::testing::AttrsFromJson;
using ::leat::testing::Difference;
using ::leat::testing::KernelTestHarness;
using ::leat::testing::RefValue;
using ::leat::testing::TensorFromJson;
using ::leat::testing::TensorValue;
using ::nlohmann::json;
using ::testing::HasSubstr;

constexpr int64_t kRows = 4, kColumns = 3;

// Converts a tensor of numbers of type From to elements of type To. Returns
// other tensors, such as indices, as they are.
template <class To, class From>
Tensor Converted(const Tensor& tensor) {
  if (tensor.dtype() != kDTypeOf<From>) return tensor;
  Tensor result = Tensor::Filled<To>(tensor.shape(), To());
  const auto from = tensor.data<From>();
  const auto to = result.mutable_data<To>();
  for (size_t i = 0; i < from.size(); ++i) to[i] = static_cast<To>(from[i]);
  return result;
}

// Runs a training op. Some inputs of the op are variables, which are passed as
// references or as handles. The others are tensors.
class Update {
 public:
  Update(KernelTestHarness& harness, const std::string& op, DType dtype)
      : harness_(harness), op_(op), dtype_(dtype) {}

  std::shared_ptr<Variable> AddVariable(Tensor value) {
    const std::string name = "v" + std::to_string(variables_.size());
    auto variable =
        std::make_shared<Variable>(name, dtype_, PartialShape(value.shape()));
    EXPECT_TRUE(variable->Assign(std::move(value)).ok());
    variables_.push_back(variable);
    return variable;
  }
  void Add(Tensor tensor) { tensors_.push_back(std::move(tensor)); }

  absl::Status Run(const AttrMap& attrs) {
    const bool resource = op_.rfind("Resource", 0) == 0;
    std::vector<Value> values;
    std::vector<DType> types;
    for (const auto& variable : variables_) {
      if (!resource) {
        values.push_back(RefValue(variable));
        types.push_back(RefOf(dtype_));
        continue;
      }
      ResourceHandle handle;
      handle.device = harness_.device().name();
      handle.container = kDefaultContainer;
      handle.name = variable->name();
      handle.maybe_type_name = Variable::kTypeName;
      auto stored = harness_.resources().FindOrMake<Variable>(
          handle.container, handle.name,
          [&]() -> absl::StatusOr<std::shared_ptr<Variable>> {
            return variable;
          });
      EXPECT_TRUE(stored.ok());
      values.push_back(TensorValue(Tensor::Scalar(handle)));
      types.push_back(DType::kResource);
    }
    for (const Tensor& tensor : tensors_) {
      values.push_back(TensorValue(tensor));
      types.push_back(tensor.dtype());
    }
    auto kernel = harness_.Make(op_, attrs, types);
    if (!kernel.ok()) return kernel.status();
    return harness_.Run(*kernel, std::move(values)).status();
  }

 private:
  KernelTestHarness& harness_;
  const std::string op_;
  const DType dtype_;
  std::vector<std::shared_ptr<Variable>> variables_;
  std::vector<Tensor> tensors_;
};

// Runs a case of training_cases.jsonl on variables with elements of type T. The
// numbers of the case have the type Number.
template <class T, class Number>
void RunCase(KernelTestHarness& harness, const json& spec, bool resource,
             double tolerance) {
  const std::string op =
      (resource ? "Resource" : "") + spec["op"].get<std::string>();
  SCOPED_TRACE(op + " " + Name(kDTypeOf<T>));
  Update update(harness, op, kDTypeOf<T>);
  std::vector<std::shared_ptr<Variable>> variables;
  for (const json& before : spec["before"]) {
    variables.push_back(update.AddVariable(
        harness.ToDevice(Converted<T, Number>(TensorFromJson(before)))));
  }
  for (const json& input : spec["inputs"]) {
    update.Add(Converted<T, Number>(TensorFromJson(input)));
  }
  const absl::Status status = update.Run(AttrsFromJson(spec["attrs"]));
  ASSERT_TRUE(status.ok()) << status;
  for (size_t v = 0; v < variables.size(); ++v) {
    auto after = variables[v]->Read(harness.device().allocator());
    ASSERT_TRUE(after.ok());
    EXPECT_EQ(Difference(Converted<Number, T>(harness.ToHost(*after)),
                         TensorFromJson(spec["after"][v]),
                         {.tolerance = tolerance, .floor = 1}),
              "")
        << "variable " << v;
  }
}

bool IsComplex(const json& spec) {
  return spec["before"][0][0].get<std::string>() == "complex128";
}

// Runs the cases. `make` makes a new harness for each run.
void RunCases(bool complex,
              absl::FunctionRef<std::unique_ptr<KernelTestHarness>()> make) {
  for (const json& spec :
       leat::testing::ReadJsonLines("kernels/training_cases.jsonl")) {
    if (!spec.contains("op")) continue;  // the line that names the source
    if (IsComplex(spec) != complex) continue;
    for (bool resource : {false, true}) {
      if (complex) {
        using Number = std::complex<double>;
        RunCase<std::complex<float>, Number>(*make(), spec, resource, 2e-6);
        RunCase<std::complex<double>, Number>(*make(), spec, resource, 1e-13);
      } else {
        RunCase<float, float>(*make(), spec, resource, 2e-7 * 4);
        RunCase<double, float>(*make(), spec, resource, 1e-6);
        RunCase<half, float>(*make(), spec, resource, 4e-3);
        RunCase<bfloat16, float>(*make(), spec, resource, 4e-2);
      }
    }
  }
}

TEST(TrainingTest, VariablesBecomeWhatTensorFlowMakesOfThem) {
  RunCases(/*complex=*/false,
           [] { return std::make_unique<KernelTestHarness>(); });
}

TEST(TrainingTest, ComplexVariablesBecomeWhatTensorFlowMakesOfThem) {
  RunCases(/*complex=*/true,
           [] { return std::make_unique<KernelTestHarness>(); });
}

TEST(TrainingTest, VariablesOfGpusBecomeWhatTensorFlowMakesOfThem) {
  if (!cuda::KernelsRunOnHost()) GTEST_SKIP() << "kernels are GPU code";
  RunCases(/*complex=*/false, [] {
    return std::make_unique<KernelTestHarness>(
        std::make_unique<leat::testing::QueuedGpu>(),
        leat::testing::AllKernels());
  });
}

TEST(TrainingTest, LargeVariablesAreUpdatedWhole) {
  KernelTestHarness harness(3);
  const int64_t size = 300007;
  Update update(harness, "ApplyGradientDescent", DType::kFloat);
  auto variable = update.AddVariable(Tensor::Filled<float>(Shape{size}, 3));
  update.Add(Tensor::Scalar(0.5f));
  update.Add(Tensor::Filled<float>(Shape{size}, 2));
  ASSERT_TRUE(update.Run({}).ok());
  auto value = variable->Read(HostAllocator());
  for (float x : value->data<float>()) ASSERT_EQ(x, 2);
}

class TrainingErrorTest : public ::testing::Test {
 protected:
  static void ExpectError(Update& update, absl::string_view text) {
    const absl::Status status = update.Run({});
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(std::string(text)));
  }
  // Runs a sparse op with wrong gradients and indices, and expects errors.
  static void ExpectSparseErrors(KernelTestHarness& harness);

  KernelTestHarness harness_;
};

TEST_F(TrainingErrorTest, ShapesMustAgree) {
  Update update(harness_, "ApplyGradientDescent", DType::kFloat);
  update.AddVariable(Tensor::Vector<float>({1, 2}));
  update.Add(Tensor::Scalar(1.0f));
  update.Add(Tensor::Vector<float>({1, 2, 3}));
  ExpectError(update, "var and delta do not have the same shape[2] [3]");
}

TEST_F(TrainingErrorTest, SlotsMustAgree) {
  Update update(harness_, "ResourceApplyMomentum", DType::kFloat);
  update.AddVariable(Tensor::Vector<float>({1, 2}));
  update.AddVariable(Tensor::Vector<float>({1, 2, 3}));
  update.Add(Tensor::Scalar(1.0f));
  update.Add(Tensor::Vector<float>({1, 2}));
  update.Add(Tensor::Scalar(1.0f));
  ExpectError(update, "var and accum do not have the same shape[2] [3]");
}

TEST_F(TrainingErrorTest, RatesAreScalars) {
  Update update(harness_, "ApplyGradientDescent", DType::kFloat);
  update.AddVariable(Tensor::Vector<float>({1, 2}));
  update.Add(Tensor::Vector<float>({1, 1}));
  update.Add(Tensor::Vector<float>({1, 2}));
  ExpectError(update, "alpha is not a scalar: [2]");
}

TEST_F(TrainingErrorTest, AVariableWithoutValueIsFailedPrecondition) {
  auto empty = std::make_shared<Variable>("w", DType::kFloat, PartialShape{2});
  auto kernel =
      harness_.Make("ApplyGradientDescent", {},
                    {RefOf(DType::kFloat), DType::kFloat, DType::kFloat});
  ASSERT_TRUE(kernel.ok()) << kernel.status();
  auto result =
      harness_.Run(*kernel, {RefValue(empty), TensorValue(Tensor::Scalar(1.0f)),
                             TensorValue(Tensor::Vector<float>({1, 2}))});
  EXPECT_EQ(result.status(), absl::FailedPreconditionError(
                                 "Attempting to use uninitialized value w"));
}

void TrainingErrorTest::ExpectSparseErrors(KernelTestHarness& harness) {
  struct Bad {
    Tensor grad, indices;
    const char* text;
    int64_t columns = kColumns;
  };
  const std::vector<Bad> cases = {
      {Tensor::Filled<float>(Shape{2, 0}, 0), Tensor::Vector<int32_t>({1, 4}),
       "Index 4 at offset 1 in indices is out of range", /*columns=*/0},
      {Tensor::Of<float>(Shape{1, 3}, {1, 2, 3}), Tensor::Vector<int32_t>({4}),
       "Index 4 at offset 0 in indices is out of range"},
      {Tensor::Of<float>(Shape{1, 3}, {1, 2, 3}), Tensor::Vector<int32_t>({-1}),
       "Index -1 at offset 0 in indices is out of range"},
      {Tensor::Of<float>(Shape{1, 3}, {1, 2, 3}),
       Tensor::Of<int32_t>(Shape{1, 1}, {0}),
       "indices must be one-dimensional"},
      {Tensor::Of<float>(Shape{1, 3}, {1, 2, 3}),
       Tensor::Vector<int32_t>({0, 1}),
       "grad must be the same size as indices in the first dimension."},
      {Tensor::Of<float>(Shape{1, 2}, {1, 2}), Tensor::Vector<int32_t>({0}),
       "var and grad must match in all dimensions but the first"},
      {Tensor::Scalar(1.0f), Tensor::Vector<int32_t>({0}),
       "grad must be the same size as indices in the first dimension."},
  };
  for (const Bad& bad : cases) {
    Update update(harness, "SparseApplyAdagrad", DType::kFloat);
    for (int i = 0; i < 2; ++i) {
      update.AddVariable(harness.ToDevice(
          Tensor::Filled<float>(Shape{kRows, bad.columns}, 1)));
    }
    update.Add(Tensor::Scalar(1.0f));
    update.Add(bad.grad);
    update.Add(bad.indices);
    ExpectError(update, bad.text);
  }
}

TEST_F(TrainingErrorTest, SparseIndicesAreChecked) {
  ExpectSparseErrors(harness_);
}

TEST_F(TrainingErrorTest, SparseIndicesAreCheckedOnGpus) {
  if (!cuda::KernelsRunOnHost()) GTEST_SKIP() << "kernels are GPU code";
  KernelTestHarness harness(std::make_unique<leat::testing::QueuedGpu>(),
                            leat::testing::AllKernels());
  ExpectSparseErrors(harness);
}

// With a momentum of 0, each update subtracts its gradient from a row. The work
// of the GPU runs on two threads, which may update the same row at the same
// time.
TEST(TrainingTest, AGpuUpdatesARowOnceForEachIndex) {
  if (!cuda::KernelsRunOnHost()) GTEST_SKIP() << "kernels are GPU code";
  KernelTestHarness harness(
      std::make_unique<leat::testing::QueuedGpu>(/*num_threads=*/2),
      leat::testing::AllKernels());
  constexpr int64_t kTable = 1000, kIndices = 3000;
  std::vector<int64_t> indices;
  std::vector<float> expected(kTable, 0);
  for (int64_t i = 0; i < kIndices; ++i) {
    indices.push_back(i % 3 == 0 ? 7 : i * i % kTable);
    expected[static_cast<size_t>(indices.back())] -= static_cast<float>(i);
  }
  Update update(harness, "SparseApplyMomentum", DType::kFloat);
  const auto zeros = [&] {
    return harness.ToDevice(Tensor::Filled<float>(Shape{kTable, 1}, 0));
  };
  const auto variable = update.AddVariable(zeros());
  update.AddVariable(zeros());
  std::vector<float> gradient(kIndices);
  std::iota(gradient.begin(), gradient.end(), 0.0f);
  update.Add(Tensor::Scalar(1.0f));
  update.Add(Tensor::FromSpan<float>(Shape{kIndices, 1}, gradient));
  update.Add(Tensor::FromSpan<int64_t>(Shape{kIndices}, indices));
  update.Add(Tensor::Scalar(0.0f));
  ASSERT_TRUE(update.Run({}).ok());
  const auto value = variable->Read(harness.device().allocator());
  ASSERT_TRUE(value.ok());
  const Tensor updated = harness.ToHost(*value);
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(updated.data<float>()[i], expected[i]) << i;
  }
}

}  // namespace
}  // namespace leat::training_test
