// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/variable.h"

#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/resource_handle.h"
#include "leat/core/tensor.h"
#include "leat/kernels/cuda/device/form.h"
#include "leat/tests/testing/gpu/queued_gpu.h"
#include "leat/tests/testing/kernel_test_harness.h"

namespace leat::variable_test {
namespace {

using ::leat::kernels::Variable;
using ::leat::testing::KernelTestHarness;
using ::leat::testing::RefValue;
using ::leat::testing::TensorValue;
using ::testing::HasSubstr;

std::shared_ptr<Variable> MakeVariable(std::initializer_list<float> values) {
  auto variable = std::make_shared<Variable>(
      "v", DType::kFloat, PartialShape{static_cast<int64_t>(values.size())});
  EXPECT_TRUE(variable->Assign(Tensor::Vector<float>(values)).ok());
  return variable;
}

absl::Status AddOne(Tensor& value) {
  for (float& x : value.mutable_data<float>()) x += 1;
  return absl::OkStatus();
}

TEST(VariableTest, ReadingBeforeAssigningIsFailedPrecondition) {
  Variable variable("w", DType::kFloat, PartialShape{2});
  EXPECT_FALSE(variable.IsInitialized());
  auto value = variable.Read(HostAllocator());
  EXPECT_EQ(value.status(), absl::FailedPreconditionError(
                                "Attempting to use uninitialized value w"));
  EXPECT_EQ(variable.Update(HostAllocator(), AddOne).code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST(VariableTest, ASnapshotDoesNotSeeLaterUpdates) {
  auto variable = MakeVariable({1, 2});
  auto before = variable->Read(HostAllocator());
  ASSERT_TRUE(variable->Update(HostAllocator(), AddOne).ok());
  ASSERT_TRUE(variable->UpdateRows(HostAllocator(), AddOne).ok());
  auto after = variable->Read(HostAllocator());
  EXPECT_TRUE(Identical(*before, Tensor::Vector<float>({1, 2})));
  EXPECT_TRUE(Identical(*after, Tensor::Vector<float>({3, 4})));
}

TEST(VariableTest, DenseUpdatesAreInPlaceWhenNobodyHoldsASnapshot) {
  auto variable = MakeVariable({1, 2});
  const char* bytes = variable->Read(HostAllocator())->raw_data();
  ASSERT_TRUE(variable->Update(HostAllocator(), AddOne).ok());
  EXPECT_EQ(variable->Read(HostAllocator())->raw_data(), bytes);
}

TEST(VariableTest, ReadsCopyOnceRowsHaveBeenUpdated) {
  auto variable = MakeVariable({1, 2});
  ASSERT_TRUE(variable->UpdateRows(HostAllocator(), AddOne).ok());
  auto first = variable->Read(HostAllocator());
  auto second = variable->Read(HostAllocator());
  EXPECT_FALSE(first->SharesBufferWith(*second));
}

TEST(VariableTest, AssignRefusesAnotherDtypeOrShape) {
  auto variable = MakeVariable({1, 2});
  EXPECT_EQ(variable->Assign(Tensor::Vector<int32_t>({1, 2})).code(),
            absl::StatusCode::kInvalidArgument);
  const absl::Status status =
      variable->Assign(Tensor::Vector<float>({1, 2, 3}));
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("lhs shape= [2] rhs shape= [3]"));
  EXPECT_TRUE(variable->Assign(Tensor::Vector<float>({1, 2, 3}), false).ok());
}

TEST(VariableTest, UpdateTogetherRefusesTheSameVariableTwice) {
  auto a = MakeVariable({1}), b = MakeVariable({2});
  auto keep = [](absl::Span<Tensor* const> values) {
    EXPECT_EQ(values[0]->data<float>()[0], 2);  // in the given order
    EXPECT_EQ(values[1]->data<float>()[0], 1);
    return absl::OkStatus();
  };
  EXPECT_TRUE(
      kernels::UpdateTogether(HostAllocator(), {b.get(), a.get()}, keep).ok());
  EXPECT_EQ(
      kernels::UpdateTogether(HostAllocator(), {a.get(), a.get()}, keep).code(),
      absl::StatusCode::kInvalidArgument);
}

// ---- Resource variables, used through their ops ----
class ResourceVariableTest : public ::testing::Test {
 protected:
  Tensor Handle(const std::string& name = "x") {
    auto handle = harness_.RunOne("VarHandleOp",
                                  {{"shared_name", name},
                                   {"dtype", DType::kFloat},
                                   {"shape", PartialShape{2}}},
                                  {});
    EXPECT_TRUE(handle.ok()) << handle.status();
    return *handle;
  }
  absl::Status Assign(const Tensor& handle, const Tensor& value) {
    return harness_.Run("AssignVariableOp", {}, {handle, value}).status();
  }
  absl::StatusOr<Tensor> Read(const Tensor& handle) {
    return harness_.RunOne("ReadVariableOp", {{"dtype", DType::kFloat}},
                           {handle});
  }

  KernelTestHarness harness_;
};

TEST_F(ResourceVariableTest, ReadsWhatWasAssignedAndAdded) {
  const Tensor handle = Handle();
  ASSERT_TRUE(Assign(handle, Tensor::Vector<float>({1, 2})).ok());
  ASSERT_TRUE(harness_
                  .Run("AssignAddVariableOp", {},
                       {handle, Tensor::Vector<float>({10, 20})})
                  .ok());
  ASSERT_TRUE(harness_
                  .Run("AssignSubVariableOp", {},
                       {handle, Tensor::Vector<float>({1, 1})})
                  .ok());
  EXPECT_TRUE(Identical(*Read(handle), Tensor::Vector<float>({10, 21})));
  auto shape = harness_.RunOne("VariableShape", {}, {handle});
  EXPECT_TRUE(Identical(*shape, Tensor::Vector<int32_t>({2})));
}

TEST_F(ResourceVariableTest, AnUninitialisedOneIsFailedPrecondition) {
  const Tensor handle = Handle();
  auto is = harness_.RunOne("VarIsInitializedOp", {}, {handle});
  EXPECT_TRUE(Identical(*is, Tensor::Scalar(false)));
  auto value = Read(handle);
  EXPECT_EQ(value.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(value.status().message()),
              HasSubstr("Could not find variable x. This could mean that the "
                        "variable has been deleted. In TF1, it can also mean "
                        "the variable is uninitialized. Debug info: "
                        "container=localhost, status error message="));
  EXPECT_EQ(harness_
                .Run("AssignAddVariableOp", {},
                     {handle, Tensor::Vector<float>({1, 2})})
                .status()
                .code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST_F(ResourceVariableTest, RefusesAnUpdateOfAnotherShape) {
  const Tensor handle = Handle();
  ASSERT_TRUE(Assign(handle, Tensor::Vector<float>({1, 2})).ok());
  auto status = harness_
                    .Run("AssignAddVariableOp", {},
                         {handle, Tensor::Vector<float>({1, 2, 3})})
                    .status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("Cannot update variable with shape [2] using a Tensor "
                        "with shape [3], shapes must be equal."));
}

TEST_F(ResourceVariableTest, DestroyRemovesIt) {
  const Tensor handle = Handle();
  ASSERT_TRUE(Assign(handle, Tensor::Vector<float>({1, 2})).ok());
  ASSERT_TRUE(harness_.Run("DestroyResourceOp", {}, {handle}).ok());
  EXPECT_FALSE(Read(handle).ok());
  EXPECT_TRUE(harness_.Run("DestroyResourceOp", {}, {handle}).ok());
  EXPECT_EQ(
      harness_
          .Run("DestroyResourceOp", {{"ignore_lookup_error", false}}, {handle})
          .status()
          .code(),
      absl::StatusCode::kNotFound);
}

// TFSA-2022-072 is about an empty tensor of handles.
TEST_F(ResourceVariableTest, RefusesAnEmptyHandleTensor) {
  const Tensor empty = Tensor::Of<ResourceHandle>(Shape{0}, {});
  EXPECT_EQ(Read(empty).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_FALSE(Assign(empty, Tensor::Vector<float>({1})).ok());
  EXPECT_FALSE(harness_.Run("DestroyResourceOp", {}, {empty}).ok());
  EXPECT_FALSE(harness_.Run("VarIsInitializedOp", {}, {empty}).ok());
}

TEST_F(ResourceVariableTest, RefusesTheHandleOfAnotherDevice) {
  Tensor handle = Handle();
  handle.mutable_data<ResourceHandle>()[0].device =
      "/job:other/replica:0/task:0/device:CPU:0";
  EXPECT_EQ(Read(handle).status().code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(Assign(handle, Tensor::Vector<float>({1, 2})).code(),
            absl::StatusCode::kInvalidArgument);
}

// The error codes are the same as in TensorFlow. Reading returns
// FAILED_PRECONDITION, VarIsInitializedOp returns false, and the other ops
// return INVALID_ARGUMENT.
TEST_F(ResourceVariableTest, TheHandleOfAQueueNamesNone) {
  const auto queue =
      harness_.RunOne("FIFOQueueV2",
                      {{"component_types", std::vector<DType>{DType::kFloat}},
                       {"shapes", std::vector<PartialShape>()},
                       {"capacity", int64_t{-1}}},
                      {});
  ASSERT_TRUE(queue.ok()) << queue.status();
  EXPECT_EQ(Read(*queue).status().code(),
            absl::StatusCode::kFailedPrecondition);
  const auto is = harness_.RunOne("VarIsInitializedOp", {}, {*queue});
  ASSERT_TRUE(is.ok()) << is.status();
  EXPECT_TRUE(Identical(*is, Tensor::Scalar(false)));
  EXPECT_EQ(Assign(*queue, Tensor::Vector<float>({1, 2})).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(harness_.Run("VariableShape", {}, {*queue}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(ResourceVariableTest, GathersAndScattersRows) {
  const Tensor handle = Handle();
  ASSERT_TRUE(
      Assign(handle, Tensor::Of<float>(Shape{3, 2}, {1, 2, 3, 4, 5, 6})).ok());
  const AttrMap types{{"dtype", DType::kFloat}};
  ASSERT_TRUE(harness_
                  .Run("ResourceScatterAdd", types,
                       {handle, Tensor::Vector<int32_t>({2, 0, 2}),
                        Tensor::Of<float>(Shape{3, 2}, {1, 1, 2, 2, 3, 3})})
                  .ok());
  auto rows = harness_.RunOne("ResourceGather", types,
                              {handle, Tensor::Vector<int64_t>({2, 0})});
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_TRUE(Identical(*rows, Tensor::Of<float>(Shape{2, 2}, {9, 10, 3, 4})));
}

// Indices are elements of tensors, so a graph can use any number as an index.
// TFSA-2021-127 is about batch_dims with a vector of indices.
TEST_F(ResourceVariableTest, RefusesIndicesOutOfRange) {
  const Tensor handle = Handle();
  ASSERT_TRUE(Assign(handle, Tensor::Of<float>(Shape{0, 1}, {})).ok());
  const AttrMap types{{"dtype", DType::kFloat}};
  for (int32_t index : {-10, -1, 0, 3, 2147483647}) {
    const Tensor indices = Tensor::Vector<int32_t>({index});
    EXPECT_EQ(harness_.Run("ResourceGather", types, {handle, indices})
                  .status()
                  .code(),
              absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(harness_
                  .Run("ResourceScatterUpdate", types,
                       {handle, indices, Tensor::Of<float>(Shape{1, 1}, {1})})
                  .status()
                  .code(),
              absl::StatusCode::kInvalidArgument);
  }
  for (int64_t batch_dims : {-5, 1, 2, 1000}) {
    AttrMap attrs = types;
    attrs.Set("batch_dims", batch_dims);
    EXPECT_FALSE(harness_
                     .Run("ResourceGather", attrs,
                          {handle, Tensor::Vector<int32_t>({0})})
                     .ok());
  }
}

TEST(ReferenceVariableTest, AssignAndAddGiveTheVariableBack) {
  KernelTestHarness harness;
  auto variable =
      std::make_shared<Variable>("v", DType::kFloat, PartialShape{2});
  auto assign =
      harness.Make("Assign", {}, {RefOf(DType::kFloat), DType::kFloat});
  ASSERT_TRUE(assign.ok()) << assign.status();
  auto out = harness.Run(*assign, {RefValue(variable),
                                   TensorValue(Tensor::Vector<float>({1, 2}))});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].ref, variable);
  auto add =
      harness.Make("AssignAdd", {}, {RefOf(DType::kFloat), DType::kFloat});
  ASSERT_TRUE(add.ok()) << add.status();
  out = harness.Run(
      *add, {RefValue(variable), TensorValue(Tensor::Vector<float>({5, 5}))});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(Identical(*variable->Read(HostAllocator()),
                        Tensor::Vector<float>({6, 7})));
}

TEST(ReferenceVariableTest, GpusAddAndSubtract) {
  if (!cuda::KernelsRunOnHost()) GTEST_SKIP() << "kernels are GPU code";
  KernelTestHarness harness(std::make_unique<testing::QueuedGpu>(),
                            testing::AllKernels());
  auto variable =
      std::make_shared<Variable>("v", DType::kFloat, PartialShape{2});
  ASSERT_TRUE(
      variable->Assign(harness.ToDevice(Tensor::Vector<float>({1, 2}))).ok());
  for (const char* op : {"AssignAdd", "AssignAdd", "AssignSub"}) {
    auto kernel = harness.Make(op, {}, {RefOf(DType::kFloat), DType::kFloat});
    ASSERT_TRUE(kernel.ok()) << kernel.status();
    const auto out = harness.Run(
        *kernel,
        {RefValue(variable), TensorValue(Tensor::Vector<float>({5, 7}))});
    ASSERT_TRUE(out.ok()) << out.status();
  }
  const auto value = variable->Read(harness.device().allocator());
  EXPECT_TRUE(Identical(harness.ToHost(*value), Tensor::Vector<float>({6, 9})));
}

TEST(ReferenceVariableTest, OneNameIsOneVariable) {
  for (const char* op : {"VariableV2", "Variable"}) {
    KernelTestHarness harness;
    const AttrMap attrs{{"dtype", DType::kFloat},
                        {"shape", PartialShape{2}},
                        {"shared_name", std::string("w")}};
    auto kernel = harness.Make(op, attrs, {});
    ASSERT_TRUE(kernel.ok()) << kernel.status();
    auto first = harness.Run(*kernel, {});
    auto second = harness.Run(*kernel, {});
    ASSERT_TRUE(first.ok() && second.ok());
    EXPECT_NE((*first)[0].ref, nullptr);
    EXPECT_EQ((*first)[0].ref, (*second)[0].ref);
  }
}

TEST(ReferenceVariableTest, PartOfAShapeIsRefused) {
  KernelTestHarness harness;
  for (const char* op : {"VariableV2", "Variable", "TemporaryVariable"}) {
    const auto kernel = harness.Make(
        op, {{"dtype", DType::kFloat}, {"shape", PartialShape{2, -1}}}, {});
    EXPECT_EQ(kernel.status().code(), absl::StatusCode::kInvalidArgument) << op;
  }
}

TEST(ReferenceVariableTest, OneOfUnknownRankIsAScalar) {
  KernelTestHarness harness;
  for (const char* op : {"VariableV2", "TemporaryVariable"}) {
    const auto kernel = harness.Make(
        op, {{"dtype", DType::kFloat}, {"shape", PartialShape()}}, {});
    ASSERT_TRUE(kernel.ok()) << kernel.status();
    const auto made = harness.Run(*kernel, {});
    ASSERT_TRUE(made.ok()) << made.status();
    EXPECT_FALSE((*made)[0].ref->Assign(Tensor::Vector<float>({1, 2})).ok());
    EXPECT_TRUE((*made)[0].ref->Assign(Tensor::Scalar(1.0f)).ok());
  }
}

TEST(ReferenceVariableTest, ATemporaryOneEndsWithItsStep) {
  KernelTestHarness harness;
  auto make = harness.Make("TemporaryVariable",
                           {{"dtype", DType::kFloat},
                            {"shape", PartialShape{2}},
                            {"var_name", std::string("t")}},
                           {});
  ASSERT_TRUE(make.ok()) << make.status();
  auto made = harness.Run(*make, {});
  ASSERT_TRUE(made.ok()) << made.status();
  const std::shared_ptr<Variable> variable = (*made)[0].ref;
  ASSERT_NE(variable, nullptr);
  EXPECT_FALSE(harness.Run(*make, {}).ok()) << "the name is taken";
  EXPECT_TRUE(variable->Assign(Tensor::Vector<float>({1, 2})).ok());

  auto destroy =
      harness.Make("DestroyTemporaryVariable", {{"var_name", std::string("t")}},
                   {RefOf(DType::kFloat)});
  ASSERT_TRUE(destroy.ok()) << destroy.status();
  auto last = harness.Run(*destroy, {RefValue(variable)});
  ASSERT_TRUE(last.ok()) << last.status();
  EXPECT_TRUE(Identical((*last)[0].tensor, Tensor::Vector<float>({1, 2})));
  EXPECT_FALSE(harness.Run(*destroy, {RefValue(variable)}).ok());
  EXPECT_TRUE(harness.Run(*make, {}).ok()) << "the name is free again";
}

}  // namespace
}  // namespace leat::variable_test
