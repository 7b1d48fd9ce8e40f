// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Compares what training ops make of variables with what TensorFlow's make of
// them. make_training_cases.py writes the latter to training_cases.jsonl.
#include <algorithm>
#include <complex>
#include <memory>
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
using ::leat::testing::AllOps;
using ::leat::testing::AttrsFromJson;
using ::leat::testing::Difference;
using ::leat::testing::KernelTestHarness;
using ::leat::testing::RefValue;
using ::leat::testing::TensorFromJson;
using ::leat::testing::TensorValue;
using ::nlohmann::json;
using ::testing::HasSubstr;

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
    auto variable = AddVariableWithoutValue();
    EXPECT_TRUE(variable->Assign(std::move(value)).ok());
    return variable;
  }
  std::shared_ptr<Variable> AddVariableWithoutValue() {
    const std::string name = "v" + std::to_string(variables_.size());
    variables_.push_back(
        std::make_shared<Variable>(name, dtype_, PartialShape()));
    return variables_.back();
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

// A case of training_cases.jsonl.
struct TrainingCase {
  const json& spec;
  std::string op;  // one of spec["ops"]
};

bool IsComplex(const json& spec) {
  return std::any_of(
      spec["inputs"].begin(), spec["inputs"].end(),
      [](const json& input) { return input[0] == "complex128"; });
}

// Runs a case on variables with elements of type T. The numbers of the case
// have the type Number.
template <class T, class Number>
void RunCase(KernelTestHarness& harness, const TrainingCase& c,
             double tolerance) {
  SCOPED_TRACE(c.op + ", " + c.spec["name"].get<std::string>() + ", " +
               Name(kDTypeOf<T>));
  AttrMap attrs = AttrsFromJson(c.spec["attrs"]);
  attrs.Set("T", kDTypeOf<T>);
  Update update(harness, c.op, kDTypeOf<T>);
  std::vector<std::shared_ptr<Variable>> variables;
  for (const json& before : c.spec["before"]) {
    variables.push_back(
        before.is_null() ? update.AddVariableWithoutValue()
                         : update.AddVariable(harness.ToDevice(
                               Converted<T, Number>(TensorFromJson(before)))));
  }
  for (const json& input : c.spec["inputs"]) {
    update.Add(Converted<T, Number>(TensorFromJson(input)));
  }
  const absl::Status status = update.Run(attrs);
  if (c.spec.contains("error")) {
    EXPECT_EQ(absl::StatusCodeToString(status.code()),
              c.spec["error"][0].get<std::string>());
    EXPECT_THAT(std::string(status.message()),
                HasSubstr(c.spec["error"][1].get<std::string>()));
    return;
  }
  ASSERT_TRUE(status.ok()) << status;
  for (size_t v = 0; v < variables.size(); ++v) {
    auto after = variables[v]->Read(harness.device().allocator());
    ASSERT_TRUE(after.ok());
    EXPECT_EQ(Difference(Converted<Number, T>(harness.ToHost(*after)),
                         TensorFromJson(c.spec["after"][v]),
                         {.tolerance = tolerance, .floor = 1}),
              "")
        << "variable " << v;
  }
}

using MakeHarness = absl::FunctionRef<std::unique_ptr<KernelTestHarness>()>;

void RunCaseOfEachType(const TrainingCase& c, MakeHarness make) {
  if (IsComplex(c.spec)) {
    using Number = std::complex<double>;
    RunCase<std::complex<float>, Number>(*make(), c, 2e-6);
    RunCase<std::complex<double>, Number>(*make(), c, 1e-13);
  } else {
    RunCase<float, float>(*make(), c, c.spec.value("tolerance", 2e-7 * 4));
    RunCase<double, float>(*make(), c, 1e-6);
    RunCase<half, float>(*make(), c, 4e-3);
    RunCase<bfloat16, float>(*make(), c, 4e-2);
  }
}

// Runs the cases that the device type has kernels for. Returns how many.
// `make` makes a new harness for each run.
int RunCases(absl::string_view device_type, MakeHarness make) {
  int count = 0;
  for (const json& spec :
       leat::testing::ReadJsonLines("kernels/training_cases.jsonl")) {
    if (!spec.contains("ops")) continue;  // the line that names the source
    AttrMap attrs = AttrsFromJson(spec["attrs"]);
    attrs.Set("T", IsComplex(spec) ? DType::kComplex128 : DType::kFloat);
    for (const std::string op : spec["ops"]) {
      if (AllOps().FindSignature(op, device_type, attrs) == nullptr) continue;
      RunCaseOfEachType({spec, op}, make);
      ++count;
    }
  }
  return count;
}

TEST(TrainingTest, VariablesBecomeWhatTensorFlowMakesOfThem) {
  const int count =
      RunCases(kCpu, [] { return std::make_unique<KernelTestHarness>(); });
  EXPECT_GT(count, 900);
}

TEST(TrainingTest, VariablesOfGpusBecomeWhatTensorFlowMakesOfThem) {
  if (!cuda::KernelsRunOnHost()) GTEST_SKIP() << "kernels are GPU code";
  const int count = RunCases(kGpu, [] {
    return std::make_unique<KernelTestHarness>(
        std::make_unique<leat::testing::QueuedGpu>(),
        leat::testing::AllKernels());
  });
  EXPECT_GT(count, 200);
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

// TensorFlow's SparseApplyAdagrad refuses all rows without elements, while its
// SparseApplyMomentum accepts them. Leat accepts them in all ops, but checks
// the indices. The scalar gradient ends TensorFlow's process.
void ExpectRowErrors(KernelTestHarness& harness) {
  struct Bad {
    Shape variable;
    Tensor grad, indices;
    const char* text;
  };
  const std::vector<Bad> cases = {
      {Shape{4, 0}, Tensor::Filled<float>(Shape{2, 0}, 0),
       Tensor::Vector<int32_t>({1, 4}),
       "Index 4 at offset 1 in indices is out of range"},
      {Shape{4, 3}, Tensor::Of<float>(Shape{1, 3}, {1, 2, 3}),
       Tensor::Of<int32_t>(Shape{1, 1}, {0}),
       "indices must be one-dimensional"},
      {Shape{4, 3}, Tensor::Scalar(1.0f), Tensor::Vector<int32_t>({0}),
       "grad must be the same size as indices in the first dimension."},
      {Shape{}, Tensor::Vector<float>({1}), Tensor::Vector<int32_t>({0}),
       "var must be at least 1 dimensional"},
  };
  for (const Bad& bad : cases) {
    Update update(harness, "SparseApplyAdagrad", DType::kFloat);
    for (int i = 0; i < 2; ++i) {
      update.AddVariable(
          harness.ToDevice(Tensor::Filled<float>(bad.variable, 1)));
    }
    update.Add(Tensor::Scalar(1.0f));
    update.Add(bad.grad);
    update.Add(bad.indices);
    const absl::Status status = update.Run({});
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(bad.text));
  }
}

TEST(TrainingTest, RowsAreChecked) {
  KernelTestHarness harness;
  ExpectRowErrors(harness);
}

TEST(TrainingTest, RowsAreCheckedOnGpus) {
  if (!cuda::KernelsRunOnHost()) GTEST_SKIP() << "kernels are GPU code";
  KernelTestHarness harness(std::make_unique<leat::testing::QueuedGpu>(),
                            leat::testing::AllKernels());
  ExpectRowErrors(harness);
}

// With a momentum of 0, each update subtracts its gradient. The work of
// `harness` runs on several threads, which must not update the same row at the
// same time.
void ExpectOneUpdateForEachIndex(KernelTestHarness& harness) {
  constexpr int64_t kTable = 1000, kIndices = 3000, kWidth = 64;
  std::vector<int64_t> indices;
  std::vector<float> expected(kTable, 0);
  for (int64_t i = 0; i < kIndices; ++i) {
    indices.push_back(i % 3 == 0 ? 7 : i * i % kTable);
    expected[static_cast<size_t>(indices.back())] -= static_cast<float>(i);
  }
  Update update(harness, "SparseApplyMomentum", DType::kFloat);
  const auto zeros = [&] {
    return harness.ToDevice(Tensor::Filled<float>(Shape{kTable, kWidth}, 0));
  };
  const auto variable = update.AddVariable(zeros());
  update.AddVariable(zeros());
  std::vector<float> gradient;  // row i consists of the number i
  for (int64_t i = 0; i < kIndices; ++i) {
    gradient.insert(gradient.end(), kWidth, static_cast<float>(i));
  }
  update.Add(Tensor::Scalar(1.0f));
  update.Add(Tensor::FromSpan<float>(Shape{kIndices, kWidth}, gradient));
  update.Add(Tensor::FromSpan<int64_t>(Shape{kIndices}, indices));
  update.Add(Tensor::Scalar(0.0f));
  ASSERT_TRUE(update.Run({}).ok());
  const auto value = variable->Read(harness.device().allocator());
  ASSERT_TRUE(value.ok());
  const Tensor updated = harness.ToHost(*value);
  for (size_t i = 0; i < kTable * kWidth; ++i) {
    ASSERT_EQ(updated.data<float>()[i], expected[i / kWidth]) << i;
  }
}

TEST(TrainingTest, ARowIsUpdatedOnceForEachIndex) {
  KernelTestHarness harness(3);
  ExpectOneUpdateForEachIndex(harness);
}

TEST(TrainingTest, AGpuUpdatesARowOnceForEachIndex) {
  if (!cuda::KernelsRunOnHost()) GTEST_SKIP() << "kernels are GPU code";
  KernelTestHarness harness(
      std::make_unique<leat::testing::QueuedGpu>(/*num_threads=*/2),
      leat::testing::AllKernels());
  ExpectOneUpdateForEachIndex(harness);
}

// The number is rounded to the next float above it, but to the next one below
// if it is rounded to a double first.
TEST(TrainingTest, AnInt64ScalarIsRoundedOnce) {
  constexpr int64_t kStep = (int64_t{1} << 54) + (int64_t{1} << 30) + 1;
  KernelTestHarness harness;
  Update update(harness, "ApplyAdagradDA", DType::kFloat);
  const auto variable = update.AddVariable(Tensor::Vector<float>({1}));
  for (int i = 0; i < 2; ++i) update.AddVariable(Tensor::Vector<float>({0}));
  update.Add(Tensor::Vector<float>({static_cast<float>(kStep)}));
  update.Add(Tensor::Scalar(1.0f));  // lr
  update.Add(Tensor::Scalar(1.0f));  // l1
  update.Add(Tensor::Scalar(0.0f));  // l2
  update.Add(Tensor::Scalar(kStep));
  ASSERT_TRUE(update.Run({}).ok());
  const auto value = variable->Read(HostAllocator());
  ASSERT_TRUE(value.ok());
  EXPECT_EQ(value->data<float>()[0], 0);
}

}  // namespace
}  // namespace leat::training_test
