// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests which lists the TensorList kernels change in place, which tensors the
// kernels copy, and how the kernels handle hostile graphs. The op cases
// (tests/op_cases/tensor_lists.jsonl) test the rest. Comments mark the inputs
// that crash TensorFlow 2.15.
#include "leat/core/variants/tensor_list.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/variants/optional.h"
#include "leat/graph/graph.h"
#include "leat/kernels/variant_arithmetic.h"
#include "leat/tests/testing/gpu/queued_gpu.h"
#include "leat/tests/testing/kernel_test_harness.h"

namespace leat::tensor_list_test {
namespace {

using ::testing::HasSubstr;

class TensorListKernelTest : public ::testing::Test {
 protected:
  using Outputs = absl::StatusOr<std::vector<Tensor>>;

  static Tensor Unknown() { return Tensor::Scalar<int32_t>(-1); }
  static Tensor Int(int32_t value) { return Tensor::Scalar(value); }
  static Tensor ScalarShape() { return Tensor::Vector<int32_t>({}); }
  static AttrMap Type(DType dtype = DType::kFloat) {
    AttrMap attrs;
    attrs.Set("element_dtype", dtype);
    return attrs;
  }

  // Moves its arguments into a vector. A braced list would copy the tensors.
  template <class... T>
  static std::vector<Tensor> Moved(T... tensors) {
    std::vector<Tensor> result;
    (result.push_back(std::move(tensors)), ...);
    return result;
  }

  Outputs Run(absl::string_view op, std::vector<Tensor> inputs,
              AttrMap attrs = Type()) {
    return harness_.Run(op, std::move(attrs), std::move(inputs));
  }
  // Returns the first output of an op that must succeed.
  Tensor Make(absl::string_view op, std::vector<Tensor> inputs,
              AttrMap attrs = Type()) {
    Outputs outputs = Run(op, std::move(inputs), std::move(attrs));
    EXPECT_TRUE(outputs.ok()) << op << ": " << outputs.status();
    return outputs.ok() ? (*outputs)[0] : Tensor();
  }
  void ExpectError(absl::StatusCode code, absl::string_view text,
                   absl::string_view op, std::vector<Tensor> inputs,
                   AttrMap attrs = Type()) {
    const Outputs outputs = Run(op, std::move(inputs), std::move(attrs));
    EXPECT_EQ(outputs.status().code(), code) << op << outputs.status();
    EXPECT_THAT(std::string(outputs.status().message()),
                HasSubstr(std::string(text)))
        << op;
  }
  void ExpectInvalid(absl::string_view text, absl::string_view op,
                     std::vector<Tensor> inputs, AttrMap attrs = Type()) {
    ExpectError(absl::StatusCode::kInvalidArgument, text, op, std::move(inputs),
                std::move(attrs));
  }

  Tensor Empty(DType dtype = DType::kFloat) {
    return Make("EmptyTensorList", {Unknown(), Int(-1)}, Type(dtype));
  }
  Tensor Reserve(int32_t size) {
    return Make("TensorListReserve", {Unknown(), Int(size)});
  }
  Tensor Push(Tensor list, Tensor element) {
    AttrMap attrs = Type(element.dtype());
    return Make("TensorListPushBack",
                Moved(std::move(list), std::move(element)), std::move(attrs));
  }

  static const TensorList* ListIn(const Tensor& tensor) {
    const TensorList* list = tensor.scalar<Variant>().get<TensorList>();
    EXPECT_NE(list, nullptr);
    return list;
  }

  testing::KernelTestHarness harness_;
};

TEST_F(TensorListKernelTest, PushesInPlaceWhenNobodyElseHasTheList) {
  Tensor tensor = Empty();
  const TensorList* const list = ListIn(tensor);
  const char* const variant = tensor.raw_data();
  std::set<const Tensor*> arrays;
  for (int i = 0; i < 1000; ++i) {
    tensor = Push(std::move(tensor), Tensor::Scalar<float>(i));
    ASSERT_EQ(ListIn(tensor), list);
    ASSERT_EQ(tensor.raw_data(), variant);
    arrays.insert(list->stored().data());
  }
  EXPECT_EQ(list->size(), 1000);
  EXPECT_EQ(list->at(999).scalar<float>(), 999);
  // When the array of elements is full, a push replaces it by an array of twice
  // the size. So 1000 pushes need about log2(1000) arrays.
  EXPECT_LE(arrays.size(), 11u);
}

TEST_F(TensorListKernelTest, SetsPopsResizesAndScattersInPlace) {
  Tensor tensor =
      Push(Push(Empty(), Tensor::Scalar(1.0f)), Tensor::Scalar(2.0f));
  const TensorList* const list = ListIn(tensor);
  tensor = Make("TensorListSetItem",
                Moved(std::move(tensor), Int(0), Tensor::Scalar(5.0f)));
  EXPECT_EQ(ListIn(tensor), list);
  tensor = Make("TensorListResize", Moved(std::move(tensor), Int(7)), {});
  EXPECT_EQ(ListIn(tensor), list);
  tensor = Make("TensorListScatterIntoExistingList",
                Moved(std::move(tensor), Tensor::Vector<float>({8, 9}),
                      Tensor::Vector<int32_t>({1, 6})));
  EXPECT_EQ(ListIn(tensor), list);
  tensor = Make("TensorListPopBack", Moved(std::move(tensor), Unknown()));
  EXPECT_EQ(ListIn(tensor), list);
  EXPECT_EQ(list->size(), 6);
  EXPECT_EQ(list->at(0).scalar<float>(), 5);
  EXPECT_EQ(list->at(1).scalar<float>(), 8);
}

TEST_F(TensorListKernelTest, UsersOfOneListDoNotSeeEachOthersChanges) {
  const Tensor shared = Push(Empty(), Tensor::Scalar(1.0f));
  const Tensor first = Push(shared, Tensor::Scalar(2.0f));
  const Tensor second = Push(shared, Tensor::Scalar(3.0f));
  const Tensor set =
      Make("TensorListSetItem", {shared, Int(0), Tensor::Scalar(4.0f)});
  const Tensor popped = Make("TensorListPopBack", {shared, Unknown()});
  EXPECT_EQ(ListIn(shared)->size(), 1);
  EXPECT_EQ(ListIn(shared)->at(0).scalar<float>(), 1);
  EXPECT_EQ(ListIn(first)->at(1).scalar<float>(), 2);
  EXPECT_EQ(ListIn(second)->at(1).scalar<float>(), 3);
  EXPECT_EQ(ListIn(set)->at(0).scalar<float>(), 4);
  EXPECT_EQ(ListIn(popped)->size(), 0);
  // The tensors in the lists are shared, not copied.
  EXPECT_TRUE(ListIn(first)->at(0).SharesBufferWith(ListIn(shared)->at(0)));
}

// The list holds a tensor in the memory of a GPU, but the kernel runs on a CPU.
// This can happen only if a copy between devices was forgotten.
TEST_F(TensorListKernelTest, ATensorInOtherMemoryIsRefused) {
  testing::QueuedGpu gpu;
  const Tensor list = Push(Empty(), gpu.ToDevice(Tensor::Scalar(1.0f)));
  constexpr char kText[] = "A variant holds a tensor of type float";
  ExpectError(absl::StatusCode::kInternal, kText, "TensorListGetItem",
              {list, Int(0), Unknown()});
  ExpectError(absl::StatusCode::kInternal, kText, "TensorListPopBack",
              {list, Unknown()});
  ExpectError(absl::StatusCode::kInternal, kText, "TensorListStack",
              {list, ScalarShape()});
  ExpectError(absl::StatusCode::kInternal, kText, "TensorListGather",
              {list, Tensor::Vector<int32_t>({0}), ScalarShape()});
  ExpectError(absl::StatusCode::kInternal, kText, "AddN", {list, list}, {});
}

TEST_F(TensorListKernelTest, AListInTwoVariantsIsShared) {
  Tensor shared = Push(Empty(), Tensor::Scalar(1.0f));
  Tensor other = *shared.Copy(HostAllocator());
  ASSERT_FALSE(other.SharesBufferWith(shared));
  ASSERT_EQ(ListIn(other), ListIn(shared));
  const Tensor pushed = Push(std::move(other), Tensor::Scalar(2.0f));
  EXPECT_EQ(ListIn(shared)->size(), 1);
  EXPECT_EQ(ListIn(pushed)->size(), 2);
}

TEST_F(TensorListKernelTest, PushesAListIntoItself) {
  Tensor list = Empty(DType::kVariant);
  const Tensor outer = Push(list, list);
  EXPECT_EQ(ListIn(outer)->size(), 1);
  EXPECT_EQ(ListIn(list)->size(), 0);
}

TEST_F(TensorListKernelTest, ElementsShareTheBytesOfTheirTensor) {
  const Tensor tensor = Tensor::Of<float>(Shape({2, 2}), {1, 2, 3, 4});
  const Tensor list = Make("TensorListFromTensor", {tensor, Unknown()});
  EXPECT_TRUE(ListIn(list)->at(1).SharesBufferWith(tensor));
  const Tensor item = Make("TensorListGetItem", {list, Int(1), Unknown()});
  EXPECT_TRUE(item.SharesBufferWith(tensor));
}

TEST_F(TensorListKernelTest, RefusesIndicesThatAreNoScalar) {
  // TensorFlow crashes here, because a CHECK fails.
  const Tensor two = Tensor::Vector<int32_t>({0, 1});
  ExpectInvalid("index", "TensorListGetItem", {Reserve(2), two, Unknown()});
  ExpectInvalid("index", "TensorListSetItem",
                {Reserve(2), two, Tensor::Scalar(1.0f)});
  // CVE-2022-41893.
  ExpectInvalid("size", "TensorListResize", {Reserve(2), two}, {});
  // CVE-2022-35960.
  ExpectInvalid("num_elements", "TensorListReserve", {Unknown(), two});
  ExpectInvalid("num_elements", "TensorListScatterV2",
                {Tensor::Vector<float>({1}), Tensor::Vector<int32_t>({0}),
                 Unknown(), two});
}

TEST_F(TensorListKernelTest, RefusesIndicesOutsideTheList) {
  AttrMap resize = Type();
  resize.Set("resize_if_index_out_of_bounds", true);
  // TensorFlow writes out of bounds here.
  ExpectInvalid("Trying to modify element -1", "TensorListSetItem",
                {Reserve(2), Int(-1), Tensor::Scalar(1.0f)}, resize);
  ExpectInvalid("Trying to modify element 2147483647", "TensorListSetItem",
                {Reserve(2), Int(INT32_MAX), Tensor::Scalar(1.0f)}, resize);
  const Tensor known = Make("TensorListReserve", {ScalarShape(), Int(2)});
  for (const int32_t index : {-1, 2, INT32_MAX, INT32_MIN}) {
    ExpectInvalid("out o range", "TensorListGather",
                  {known, Tensor::Vector<int32_t>({index}), Unknown()});
  }
  for (const int32_t index : {-1, INT32_MIN, INT32_MAX}) {
    ExpectInvalid(
        "TensorListScatter", "TensorListScatterIntoExistingList",
        {known, Tensor::Vector<float>({1}), Tensor::Vector<int32_t>({index})});
  }
}

TEST_F(TensorListKernelTest, HugeListsTakeNoMemoryAndHugeResultsAreRefused) {
  constexpr auto kExhausted = absl::StatusCode::kResourceExhausted;
  const Tensor huge = Reserve(INT32_MAX);
  EXPECT_EQ(Make("TensorListLength", {huge}, {}).scalar<int32_t>(), INT32_MAX);
  EXPECT_EQ(ListIn(Make("ZerosLike", {huge}, {}))->size(), INT32_MAX);
  EXPECT_EQ(ListIn(Make("AddN", {huge, huge}, {}))->size(), INT32_MAX);
  EXPECT_EQ(
      ListIn(Make("TensorListResize", {Empty(), Int(INT32_MAX)}, {}))->size(),
      INT32_MAX);
  const Tensor one = Tensor::Scalar(1.0f);
  ExpectError(kExhausted, "cannot", "TensorListPushBack", {huge, one});
  ExpectError(kExhausted, "cannot", "TensorListSetItem",
              {huge, Int(INT32_MAX - 1), one});
  ExpectError(kExhausted, "cannot", "TensorListScatterV2",
              {Tensor::Vector<float>({1}),
               Tensor::Vector<int32_t>({INT32_MAX - 1}), Unknown(), Int(-1)});
  // The tensor has 2^31 - 1 empty rows.
  ExpectError(kExhausted, "cannot", "TensorListFromTensor",
              {Tensor::Of<float>(Shape({INT32_MAX, 0}), {}), Unknown()});
  ExpectInvalid(
      "too many rows", "TensorListFromTensor",
      {Tensor::Of<float>(Shape({int64_t{1} << 31, 0}), {}), Unknown()});
  // The results would have more elements, or more bytes, than an int64 can
  // count.
  const Tensor wide = Tensor::Vector<int32_t>({INT32_MAX, INT32_MAX});
  ExpectInvalid("", "TensorListStack", {huge, wide});
  ExpectInvalid("", "TensorListGetItem", {huge, Int(0), wide});
}

TEST_F(TensorListKernelTest, RefusesLeadingDimsThatAreNoSizes) {
  const Tensor shape = Tensor::Vector<int32_t>({-1, 2});
  ExpectInvalid("", "TensorListConcatV2",
                {Reserve(1), shape, Tensor::Vector<int64_t>({-1})});
  ExpectInvalid(
      "", "TensorListConcatV2",
      {Reserve(2), shape, Tensor::Vector<int64_t>({INT64_MAX, INT64_MAX})});
}

TEST_F(TensorListKernelTest, RefusesVariantsThatAreNoLists) {
  const Tensor none = Tensor::Scalar(Variant());
  const Tensor optional = Make("OptionalNone", {}, {});
  const Tensor two = Tensor::Filled(Shape({2}), Variant());
  const Tensor nothing = Tensor::Filled(Shape({0}), Variant());
  for (const auto& [op, rest] :
       std::vector<std::pair<std::string, std::vector<Tensor>>>{
           {"TensorListPushBack", {Tensor::Scalar(1.0f)}},
           {"TensorListPopBack", {Unknown()}},
           {"TensorListGetItem", {Int(0), Unknown()}},
           {"TensorListSetItem", {Int(0), Tensor::Scalar(1.0f)}},
           {"TensorListLength", {}},
           {"TensorListElementShape", {}},
           {"TensorListResize", {Int(0)}},
           {"TensorListStack", {Unknown()}},
           {"TensorListGather", {Tensor::Vector<int32_t>({}), Unknown()}},
           {"TensorListConcatV2", {Unknown(), Tensor::Vector<int64_t>({})}},
           {"TensorListScatterIntoExistingList",
            {Tensor::Vector<float>({}), Tensor::Vector<int32_t>({})}}}) {
    AttrMap attrs;
    for (const AttrDef& attr : testing::AllOps().Find(op)->attrs) {
      if (attr.name == "element_dtype") attrs.Set(attr.name, DType::kFloat);
      if (attr.name == "shape_type") attrs.Set(attr.name, DType::kInt32);
    }
    for (const auto& [input, text] :
         std::vector<std::pair<Tensor, std::string>>{
             {none, "not a list"},
             {optional, "not a list"},
             {two, "must be a scalar"},
             {nothing, "must be a scalar"}}) {
      std::vector<Tensor> inputs = {input};
      inputs.insert(inputs.end(), rest.begin(), rest.end());
      ExpectInvalid(text, op, std::move(inputs), attrs);
    }
  }
}

TEST_F(TensorListKernelTest, BoundsHowDeepListsStandInEachOther) {
  Tensor list = Empty(DType::kVariant);
  for (int depth = 1; depth < kMaxVariantDepth; ++depth) {
    list = Push(Empty(DType::kVariant), std::move(list));
  }
  ExpectInvalid("deep", "TensorListPushBack", {Empty(DType::kVariant), list},
                Type(DType::kVariant));
  ExpectInvalid("deep", "OptionalFromValue", {list}, {});
  ExpectInvalid("deep", "TensorListFromTensor",
                {*list.Reshaped(Shape({1})), Unknown()}, Type(DType::kVariant));
}

// Each list holds the previous list twice. There are 32 lists in memory, but a
// copy without sharing would have 2^31 lists.
TEST_F(TensorListKernelTest, BoundsWhatListsInListsHold) {
  Tensor list = Empty(DType::kVariant);
  for (int depth = 1; depth < kMaxVariantDepth; ++depth) {
    list = Push(Push(Empty(DType::kVariant), list), list);
  }
  ExpectError(absl::StatusCode::kResourceExhausted, "variants", "ZerosLike",
              {list}, {});
  ExpectError(absl::StatusCode::kResourceExhausted, "variants", "AddN",
              {list, list}, {});
}

// Returns a list with one element. The element is a tensor of `variants`
// variants. All variants share one list of `size` numbers.
Tensor ListOfOneList(int64_t variants, int64_t size) {
  TensorList inner(DType::kFloat, PartialShape());
  const Tensor one = Tensor::Scalar(1.0f);
  for (int64_t i = 0; i < size; ++i) EXPECT_TRUE(inner.PushBack(one).ok());
  TensorList outer(DType::kVariant, PartialShape());
  EXPECT_TRUE(outer
                  .PushBack(Tensor::Filled(Shape({variants}),
                                           Variant::Of(std::move(inner))))
                  .ok());
  return Tensor::Scalar(Variant::Of(std::move(outer)));
}

TEST_F(TensorListKernelTest, CountsTensorsInListsInLists) {
  const NodeDef node;
  KernelContext context(node, harness_.services(), {});
  const auto add = [](KernelContext&, const Tensor& a, const Tensor&) {
    return absl::StatusOr<Tensor>(a);
  };
  const auto codes = [&](const Tensor& tensor, int64_t max_inner) {
    const Variant& variant = tensor.scalar<Variant>();
    return std::pair(
        kernels::ZerosLikeVariant(context, variant, max_inner).status().code(),
        kernels::AddVariants(context, variant, variant, add, max_inner)
            .status()
            .code());
  };
  constexpr std::pair kOk = {absl::StatusCode::kOk, absl::StatusCode::kOk};
  constexpr std::pair kExhausted = {absl::StatusCode::kResourceExhausted,
                                    absl::StatusCode::kResourceExhausted};
  // The list has 10 variants of 100 tensors each.
  const Tensor shared = ListOfOneList(10, 100);
  EXPECT_EQ(codes(shared, 10 + 1000), kOk);
  EXPECT_EQ(codes(shared, 10 + 999), kExhausted);
  // Only tensors in inner lists count. This list has 100 tensors, but no inner
  // lists.
  Tensor flat = Empty();
  for (int i = 0; i < 100; ++i)
    flat = Push(std::move(flat), Tensor::Scalar(1.0f));
  EXPECT_EQ(codes(flat, 1), kOk);
}

TEST_F(TensorListKernelTest, ZerosAndSumsEndWithTheirStep) {
  const Tensor few = ListOfOneList(10, 10);
  const Tensor many = ListOfOneList(10, 1000);
  TensorList list(DType::kFloat, PartialShape());
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(list.PushBack(Tensor::Filled(Shape({1 << 20}), 1.0f)).ok());
  }
  const Tensor large = Tensor::Scalar(Variant::Of(std::move(list)));
  for (const bool cancelled : {false, true}) {
    if (cancelled) {
      harness_.services().cancellation->Cancel(absl::CancelledError("stop"));
    }
    Make("ZerosLike", {few}, {});
    Make("AddN", {few, few}, {});
    for (const Tensor& tensor : {many, large}) {
      if (!cancelled) {
        Make("ZerosLike", {tensor}, {});
        Make("AddN", {tensor, tensor}, {});
        continue;
      }
      constexpr auto kCancelled = absl::StatusCode::kCancelled;
      ExpectError(kCancelled, "stop", "ZerosLike", {tensor}, {});
      ExpectError(kCancelled, "stop", "AddN", {tensor, tensor}, {});
    }
  }
}

// A SmallDevice is a device that hands out at most 64 KiB for one buffer.
class SmallDevice final : public Device, public Allocator {
 public:
  explicit SmallDevice(Device& device)
      : Device(device.info()), device_(device) {}
  Allocator& allocator() final { return *this; }
  Allocator& host_allocator() final { return *this; }
  WorkQueue& compute_queue() final { return device_.compute_queue(); }

  BufferRef Allocate(size_t bytes) final {
    return bytes > (1 << 16) ? nullptr : HostAllocator().Allocate(bytes);
  }
  absl::string_view name() const final { return "small"; }

 private:
  Device& device_;
};

TEST_F(TensorListKernelTest, ArraysOfElementsAreMemoryOfTheDevice) {
  const Tensor one = Tensor::Scalar(1.0f);
  const Tensor list =
      Make("TensorListSetItem", {Reserve(10000), Int(9999), one});
  const Tensor rows = Tensor::Of<float>(Shape({10000, 0}), {});
  Tensor indices = Tensor::Filled(Shape({10000}), int32_t{0});
  indices.mutable_data<int32_t>()[0] = 9999;
  const Tensor lengths = Tensor::Filled(Shape({10000}), int64_t{1});
  const Tensor vector = Tensor::Filled(Shape({10000}), 1.0f);

  SmallDevice device(harness_.device());
  harness_.services().device = &device;
  constexpr auto kExhausted = absl::StatusCode::kResourceExhausted;
  Make("TensorListSetItem", {Reserve(10000), Int(99), one});
  ExpectError(kExhausted, "small", "TensorListSetItem",
              {Reserve(10000), Int(9999), one});
  ExpectError(kExhausted, "small", "TensorListPushBack", {Reserve(10000), one});
  ExpectError(kExhausted, "small", "TensorListPushBack", {list, one});
  ExpectError(kExhausted, "small", "TensorListFromTensor", {rows, Unknown()});
  ExpectError(kExhausted, "small", "TensorListSplit",
              {vector, Unknown(), lengths});
  ExpectError(kExhausted, "small", "TensorListScatterV2",
              {rows, indices, Unknown(), Int(-1)});
  ExpectError(kExhausted, "small", "TensorListScatterIntoExistingList",
              {Reserve(10000), rows, indices});
  ExpectError(kExhausted, "small", "ZerosLike", {list}, {});
  ExpectError(kExhausted, "small", "AddN", {list, list}, {});
}

TEST_F(TensorListKernelTest, RefusesZerosAndSumsOfOtherVariants) {
  const Tensor none = Tensor::Scalar(Variant());
  const Tensor two = Tensor::Filled(Shape({2}), Variant());
  ExpectInvalid("variant", "ZerosLike", {none}, {});
  ExpectInvalid("non-scalar", "ZerosLike", {two}, {});
  ExpectInvalid("", "AddN", {none, Empty()}, {});
  ExpectInvalid("", "AddN", {Empty(), Make("OptionalNone", {}, {})}, {});
  ExpectInvalid("non-scalar", "AddN", {two, two}, {});
}

TEST_F(TensorListKernelTest, StacksVariantsAndHandles) {
  Tensor list = Empty(DType::kVariant);
  list = Push(std::move(list), Empty());
  list = Make("TensorListResize", {std::move(list), Int(2)}, {});
  const Tensor stacked =
      Make("TensorListStack", {list, Unknown()}, Type(DType::kVariant));
  ASSERT_EQ(stacked.shape(), Shape({2}));
  EXPECT_NE(stacked.data<Variant>()[0].get<TensorList>(), nullptr);
  EXPECT_EQ(stacked.data<Variant>()[1].value(), nullptr);
}

TEST_F(TensorListKernelTest, FakeParamHasZerosOfItsShape) {
  const auto fake = [&](DType dtype, const PartialShape& shape) {
    AttrMap attrs;
    attrs.Set("dtype", dtype);
    attrs.Set("shape", shape);
    return Run("FakeParam", {}, std::move(attrs));
  };
  EXPECT_TRUE(Identical((*fake(DType::kFloat, PartialShape({2})))[0],
                        Tensor::Vector<float>({0, 0})));
  EXPECT_EQ((*fake(DType::kInt32, PartialShape({-1, 2})))[0].shape(),
            Shape({0, 2}));
  EXPECT_EQ((*fake(DType::kString, PartialShape()))[0].shape(), Shape());
  EXPECT_EQ((*fake(DType::kVariant, PartialShape(Shape())))[0].dtype(),
            DType::kVariant);
  EXPECT_EQ(
      fake(DType::kDouble, PartialShape({int64_t{1} << 59})).status().code(),
      absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace leat::tensor_list_test
