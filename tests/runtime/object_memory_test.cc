// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests that the memory of strings and handles counts as memory of the device.
// A kernel that copies or joins strings must fail if there is not enough
// memory, because a few such nodes can ask for any amount of memory.
#include <malloc.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "gtest/gtest.h"
#include "leat/core/codec/tensor_codec.h"
#include "leat/core/held_bytes.h"
#include "leat/core/resource_handle.h"
#include "leat/core/saturating.h"
#include "leat/core/variant.h"
#include "leat/core/variants/tensor_list.h"
#include "leat/kernels/variable.h"
#include "leat/protos/tensor.pb.h"
#include "leat/runtime/cpu_device.h"
#include "leat/tests/testing/kernel_test_harness.h"

namespace leat::object_memory_test {
namespace {

using ::leat::testing::KernelTestHarness;

constexpr int64_t kMemory = 100'000;  // limit of the device, in bytes
constexpr int64_t kLong = 28'000;     // three such strings fit, four do not
constexpr auto kExhausted = absl::StatusCode::kResourceExhausted;

std::string LongText() { return std::string(kLong, 'x'); }
Tensor LongScalar() { return Tensor::Scalar(LongText()); }
Tensor Ints(std::vector<int32_t> values) {
  return Tensor::FromSpan<int32_t>(Shape{static_cast<int64_t>(values.size())},
                                   values);
}
Tensor Int(int32_t value) { return Tensor::Scalar(value); }

// Returns a vector of long strings. Their memory does not count as memory of
// the device.
Tensor LongVector(int64_t size) {
  return Tensor::Filled(Shape{size}, LongText());
}

// Returns a list in which each element is a long string.
Tensor LongList(int64_t size) {
  TensorList list(DType::kString, PartialShape(Shape{}));
  for (int64_t i = 0; i < size; ++i) {
    EXPECT_TRUE(list.PushBack(LongScalar(), HostAllocator()).ok());
  }
  return Tensor::Scalar(Variant::Of(std::move(list)));
}

// Describes an op, and the inputs from which it makes `count` long strings.
struct Case {
  const char* op;
  std::vector<Tensor> (*inputs)(int32_t count);
  AttrMap (*attrs)() = [] { return AttrMap(); };
};

// Prints the case in the names of tests.
void PrintTo(const Case& c, std::ostream* out) { *out << c.op; }

AttrMap ListAttrs() {
  AttrMap attrs;
  attrs.Set("element_dtype", DType::kString);
  return attrs;
}

AttrMap TwoPieces() {
  AttrMap attrs;
  attrs.Set("N", int64_t{2});
  return attrs;
}

using Tensors = std::vector<Tensor>;

const Case kCases[] = {
    {"Tile",
     [](int32_t n) {
       return Tensors{LongVector(1), Ints({n})};
     }},
    {"BroadcastTo",
     [](int32_t n) {
       return Tensors{LongScalar(), Ints({n})};
     }},
    {"Fill",
     [](int32_t n) {
       return Tensors{Ints({n}), LongScalar()};
     }},
    {"Gather",
     [](int32_t n) {
       return Tensors{LongVector(1), Tensor::Filled(Shape{n}, int32_t{0})};
     }},
    {"GatherV2",
     [](int32_t n) {
       return Tensors{LongVector(1), Tensor::Filled(Shape{n}, int32_t{0}),
                      Int(0)};
     }},
    {"GatherNd",
     [](int32_t n) {
       return Tensors{LongVector(1), Tensor::Filled(Shape{n, 1}, int32_t{0})};
     }},
    {"ConcatV2",
     [](int32_t n) {
       return Tensors{LongVector(1), LongVector(n - 1), Int(0)};
     }},
    {"Pack", [](int32_t n) { return Tensors(n, LongScalar()); }},
    {"Select",
     [](int32_t n) {
       return Tensors{Tensor::Filled(Shape{n}, true), LongVector(n),
                      LongVector(n)};
     }},
    {"SelectV2",
     [](int32_t n) {
       return Tensors{Tensor::Filled(Shape{n}, true), LongScalar(),
                      LongScalar()};
     }},
    {"Transpose",
     [](int32_t n) {
       return Tensors{Tensor::Filled(Shape{n, 1}, LongText()), Ints({1, 0})};
     }},
    {"DynamicStitch",
     [](int32_t n) {
       Tensor rest = Tensor::Filled(Shape{n - 1}, int32_t{1});
       for (int32_t i = 1; i < n; ++i) rest.mutable_data<int32_t>()[i - 1] = i;
       return Tensors{Ints({0}), rest, LongVector(1), LongVector(n - 1)};
     },
     &TwoPieces},
    {"OneHot",
     [](int32_t n) {
       return Tensors{Int(0), Int(n), LongScalar(), LongScalar()};
     }},
    {"Slice",
     [](int32_t n) {
       return Tensors{LongVector(n + 1), Ints({1}), Ints({n})};
     }},
    {"StridedSlice",
     [](int32_t n) {
       return Tensors{LongVector(2 * n), Ints({0}), Ints({2 * n}), Ints({2})};
     }},
    {"StridedSliceGrad",
     [](int32_t n) {
       return Tensors{Ints({2 * n}), Ints({0}), Ints({2 * n}), Ints({2}),
                      LongVector(n)};
     }},
    {"Pad",
     [](int32_t n) {
       return Tensors{LongVector(n), Tensor::Of<int32_t>(Shape{1, 2}, {1, 1})};
     }},
    {"RandomShuffle", [](int32_t n) { return Tensors{LongVector(n)}; }},
    {"Add",
     [](int32_t n) {
       return Tensors{LongScalar(), Tensor::Filled<std::string>(Shape{n}, "")};
     }},
    {"StringJoin",
     [](int32_t n) {
       return Tensors{LongScalar(), Tensor::Filled<std::string>(Shape{n}, "")};
     }},
    {"ScatterNd",
     [](int32_t n) {
       return Tensors{Tensor::Filled(Shape{n, 1}, int32_t{1}), LongVector(n),
                      Ints({2})};
     }},
    {"TensorListStack",
     [](int32_t n) {
       return Tensors{LongList(n), Ints({})};
     },
     &ListAttrs},
    {"TensorListGather",
     [](int32_t n) {
       return Tensors{LongList(1), Tensor::Filled(Shape{n}, int32_t{0}),
                      Ints({})};
     },
     &ListAttrs},
};

class ObjectMemoryTest : public ::testing::TestWithParam<Case> {
 protected:
  ObjectMemoryTest() { harness_.services().device = &device_; }

  int64_t LiveBytes() { return device_.allocator().stats().live_bytes; }

  absl::StatusOr<std::vector<Tensor>> Run(absl::string_view op, Tensors inputs,
                                          AttrMap attrs = {}) {
    return harness_.Run(op, std::move(attrs), std::move(inputs));
  }

  KernelTestHarness harness_;
  CpuDevice device_{{.name = "/device:CPU:0", .type = kCpu, .incarnation = 1},
                    harness_.device().compute_queue(),
                    {.name = "small", .limit_bytes = kMemory}};
};

TEST_P(ObjectMemoryTest, CountsWhatIsHeldAndRefusesMoreThanThereIs) {
  const Case& c = GetParam();
  {
    const auto outputs = Run(c.op, c.inputs(2), c.attrs());
    ASSERT_TRUE(outputs.ok()) << outputs.status();
    EXPECT_EQ(TextBytes((*outputs)[0].data<std::string>()), 2 * kLong);
    EXPECT_GE(LiveBytes(), 2 * kLong);
    // The text of each string is counted only once.
    EXPECT_LT(LiveBytes(), 2 * kLong * 9 / 8 + 5000);
  }
  EXPECT_EQ(LiveBytes(), 0);
  const absl::Status refused = Run(c.op, c.inputs(4), c.attrs()).status();
  EXPECT_EQ(refused.code(), kExhausted) << refused;
  EXPECT_TRUE(absl::StrContains(refused.message(), "Out of memory")) << refused;
  EXPECT_TRUE(absl::StrContains(refused.message(), "allocator small"))
      << refused;
  EXPECT_EQ(LiveBytes(), 0);
  // The device can still be used.
  EXPECT_TRUE(Run(c.op, c.inputs(2), c.attrs()).ok());
}

INSTANTIATE_TEST_SUITE_P(Ops, ObjectMemoryTest, ::testing::ValuesIn(kCases),
                         [](const auto& info) {
                           return std::string(info.param.op);
                         });

// For short strings, the heap needs three times as many bytes as the text has.
TEST_F(ObjectMemoryTest, CountsWhatTheHeapTakes) {
  for (const size_t size : {0, 15, 16, 30, 31, 39, 40, 41, 1000, 30000}) {
    const std::string text(size, 'x');
    std::string copy;
    copy = text;
    char* const data = const_cast<char*>(copy.data());
    const bool in_object = data == reinterpret_cast<const char*>(&copy) + 16;
    const size_t block = in_object ? 0 : malloc_usable_size(data);
    EXPECT_GE(HeldBytes(text), static_cast<int64_t>(block)) << size;
    EXPECT_LE(HeldBytes(text), static_cast<int64_t>(block + block / 4 + 16))
        << size;
  }
  const Tensor short_text = Tensor::Scalar(std::string(16, 'x'));
  EXPECT_EQ(Run("Fill", {Ints({2000}), short_text}).status().code(),
            kExhausted);
}

// A joined string must be allocated with its final size. A string that grows
// step by step would have spare capacity, which is not counted.
TEST_F(ObjectMemoryTest, JoinedUpdatesHaveTheirSizeAtOnce) {
  const auto joined =
      Run("ScatterNd",
          {Tensor::Filled(Shape{3, 1}, int32_t{1}),
           Tensor::Filled(Shape{3}, std::string(9000, 'x')), Ints({2})});
  ASSERT_TRUE(joined.ok()) << joined.status();
  const std::string& text = (*joined)[0].data<std::string>()[1];
  EXPECT_EQ(text, std::string(27000, 'x'));
  EXPECT_EQ(text.capacity(), text.size());
}

// Views of strings share memory, as views of numbers do.
TEST_F(ObjectMemoryTest, ViewsHoldNothingOfTheirOwn) {
  const Tensor whole = LongVector(6);
  AttrMap halves;
  halves.Set("num_split", int64_t{2});
  const auto parts = Run("Split", {Int(0), whole}, halves);
  ASSERT_TRUE(parts.ok()) << parts.status();
  EXPECT_TRUE((*parts)[1].SharesBufferWith(whole));
  EXPECT_EQ((*parts)[1].data<std::string>().data(),
            whole.data<std::string>().data() + 3);
  const auto same = Run("Slice", {whole, Ints({0}), Ints({6})});
  ASSERT_TRUE(same.ok()) << same.status();
  EXPECT_TRUE((*same)[0].SharesBufferWith(whole));
  EXPECT_EQ(LiveBytes(), 0);
}

// If an op splits its input, each output counts only its own part, not the
// whole input.
TEST_F(ObjectMemoryTest, PartsCountWhatTheyHold) {
  const Tensor columns = Tensor::Filled(Shape{1, 3}, LongText());
  AttrMap attrs;
  attrs.Set("num_split", int64_t{3});
  const auto parts = Run("Split", {Int(1), columns}, attrs);
  ASSERT_TRUE(parts.ok()) << parts.status();
  ASSERT_EQ(parts->size(), 3u);
  EXPECT_GE(LiveBytes(), 3 * kLong);
  EXPECT_LT(LiveBytes(), 3 * kLong * 9 / 8 + 5000);
  EXPECT_EQ(Run("Split", {Int(1), columns}, attrs).status().code(), kExhausted);
}

TEST_F(ObjectMemoryTest, UniqueCountsDistinctStrings) {
  const Tensor same = LongVector(100);
  const auto one = Run("Unique", {same});
  ASSERT_TRUE(one.ok()) << one.status();
  EXPECT_EQ((*one)[0].num_elements(), 1);
  Tensor distinct = LongVector(4);
  for (int i = 0; i < 4; ++i)
    distinct.mutable_data<std::string>()[i] += 'a' + i;
  EXPECT_EQ(Run("Unique", {distinct}).status().code(), kExhausted);
}

TEST_F(ObjectMemoryTest, ListsJoinedCountTheirElements) {
  const auto list = [](int64_t size) {
    TensorList list(DType::kString, PartialShape(Shape{size}));
    EXPECT_TRUE(list.PushBack(LongVector(size), HostAllocator()).ok());
    return Tensor::Scalar(Variant::Of(std::move(list)));
  };
  const auto concat = [&](int64_t size) {
    return Run("TensorListConcatV2",
               {list(size), Ints({-1}),
                Tensor::FromSpan<int64_t>(Shape{0}, {})},
               ListAttrs())
        .status();
  };
  EXPECT_EQ(concat(2), absl::OkStatus());
  EXPECT_EQ(concat(4).code(), kExhausted);
}

TEST_F(ObjectMemoryTest, NamesInHandlesCountToo) {
  ResourceHandle handle;
  handle.name = LongText();
  const Tensor handles = Tensor::Of<ResourceHandle>(Shape{1}, {handle});
  EXPECT_TRUE(Run("Tile", {handles, Ints({2})}).ok());
  EXPECT_EQ(Run("Tile", {handles, Ints({4})}).status().code(), kExhausted);
}

TEST_F(ObjectMemoryTest, VariantsShareWhatTheyHold) {
  const Tensor list = LongList(3);
  const Tensor lists = Tensor::Of<Variant>(Shape{1}, {list.scalar<Variant>()});
  const auto many = Run("Tile", {lists, Ints({100})});
  ASSERT_TRUE(many.ok()) << many.status();
  EXPECT_EQ((*many)[0].data<Variant>()[99].value(),
            list.scalar<Variant>().value());
}

// Each node doubles its input, so forty nodes would make a terabyte.
TEST_F(ObjectMemoryTest, AddsThatDoubleEndInAStatus) {
  for (const char* const op : {"Add", "StringJoin"}) {
    Tensor value = Tensor::Scalar(std::string("x"));
    int doublings = 0;
    absl::Status status;
    while (doublings < 40) {
      const auto sum = Run(op, {value, value});
      status = sum.status();
      if (!status.ok()) break;
      value = (*sum)[0];
      ++doublings;
      ASSERT_EQ(value.scalar<std::string>(),
                std::string(size_t{1} << doublings, 'x'));
    }
    // The next result would take 2^16 bytes plus an eighth. Its input still
    // takes at least 2^15 bytes, so the sum is above the limit of the device.
    EXPECT_EQ(doublings, 15) << op;
    EXPECT_EQ(status.code(), kExhausted) << status;
  }
}

TEST_F(ObjectMemoryTest, JoinsCountTheirSeparators) {
  AttrMap attrs;
  attrs.Set("separator", std::string(1000, '-'));
  const auto join = [&](int64_t size) {
    const Tensor empty = Tensor::Filled<std::string>(Shape{size}, "");
    return Run("StringJoin", {empty, empty}, attrs).status();
  };
  EXPECT_EQ(join(50), absl::OkStatus());
  EXPECT_EQ(join(100).code(), kExhausted);
}

TEST_F(ObjectMemoryTest, CountsThatOverflowAreRefused) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(SaturatingMultiply(kMost / 2, 3), kMost);
  EXPECT_EQ(SaturatingAdd(kMost, 1), kMost);
  EXPECT_EQ(
      Tensor::Allocate(device_.allocator(), DType::kString, Shape{1}, kMost)
          .status()
          .code(),
      kExhausted);
}

TEST_F(ObjectMemoryTest, BroadcastStringsAreJoinedElementByElement) {
  const Tensor row = Tensor::Of<std::string>(Shape{1, 3}, {"a", "b", "c"});
  const Tensor column = Tensor::Of<std::string>(Shape{2, 1}, {"x", "y"});
  const auto sum = Run("Add", {row, column});
  ASSERT_TRUE(sum.ok()) << sum.status();
  EXPECT_TRUE(Identical(
      (*sum)[0], Tensor::Of<std::string>(
                     Shape{2, 3}, {"ax", "bx", "cx", "ay", "by", "cy"})));
  const Tensor none = Tensor::Filled<std::string>(Shape{0}, "");
  EXPECT_TRUE(Run("Add", {LongScalar(), none}).ok());
  EXPECT_TRUE(Run("StringJoin", {LongScalar(), none}).ok());
}

// An assertion may name one long string a thousand times, so its message is
// shortened.
TEST_F(ObjectMemoryTest, SummariesEnd) {
  Tensors inputs(1000, Tensor::Scalar(std::string(2 << 20, '\n')));
  inputs[0] = Tensor::Scalar(false);
  const absl::Status failed = Run("Assert", inputs).status();
  EXPECT_EQ(failed.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_LT(failed.message().size(), size_t{4} << 20);
  EXPECT_TRUE(absl::EndsWith(failed.message(), "..."));
  // A short value is shown in full.
  EXPECT_EQ(Run("Assert", {inputs[0], Tensor::Scalar(std::string("why"))})
                .status()
                .message(),
            "assertion failed: [why]");
}

TEST_F(ObjectMemoryTest, TablesOfDistinctValuesAreCounted) {
  Tensor values = Tensor::Filled(Shape{6000}, int32_t{0});
  EXPECT_TRUE(Run("Unique", {values}).ok());
  for (int32_t i = 0; i < 6000; ++i) values.mutable_data<int32_t>()[i] = i;
  EXPECT_EQ(Run("Unique", {values}).status().code(), kExhausted);
}

// Tests a variable whose rows are replaced by longer ones, one row at a time.
class StringVariableTest : public ObjectMemoryTest {
 protected:
  StringVariableTest()
      : variable_(std::make_shared<kernels::Variable>("v", DType::kString,
                                                      PartialShape())) {
    EXPECT_TRUE(
        variable_->Assign(Tensor::Filled<std::string>(Shape{6}, "")).ok());
  }

  absl::Status Update(int32_t row, Tensor value) {
    auto kernel =
        harness_.Make("ScatterUpdate", {},
                      {RefOf(DType::kString), DType::kInt32, DType::kString});
    if (!kernel.ok()) return kernel.status();
    return harness_
        .Run(*kernel,
             {testing::RefValue(variable_), testing::TensorValue(Ints({row})),
              testing::TensorValue(std::move(value))})
        .status();
  }
  absl::StatusOr<Tensor> Value() { return variable_->Read(HostAllocator()); }

  const std::shared_ptr<kernels::Variable> variable_;
};

TEST_F(StringVariableTest, RowsAreCountedAsTheyGrow) {
  EXPECT_EQ(Update(0, LongVector(1)), absl::OkStatus());
  EXPECT_GE(LiveBytes(), kLong);
  // The new row has the same strings as the old one, so it takes no more
  // memory.
  EXPECT_EQ(Update(0, LongVector(1)), absl::OkStatus());
  EXPECT_LT(LiveBytes(), kLong * 9 / 8 + 5000);
  // For a moment, both the old row and the new row are in memory.
  EXPECT_EQ(Update(1, LongScalar()), absl::OkStatus());
  const absl::Status refused = Update(2, LongVector(1));
  EXPECT_EQ(refused.code(), kExhausted) << refused;
  const auto value = Value();
  ASSERT_TRUE(value.ok()) << value.status();
  EXPECT_EQ(value->data<std::string>()[1].size(), size_t{kLong});
  EXPECT_EQ(value->data<std::string>()[2], "");
}

TEST_F(StringVariableTest, SnapshotsKeepTheOldRows) {
  ASSERT_EQ(Update(0, Tensor::Scalar(std::string("old"))), absl::OkStatus());
  const auto before = Value();
  ASSERT_TRUE(before.ok()) << before.status();
  ASSERT_EQ(Update(0, Tensor::Scalar(std::string("new"))), absl::OkStatus());
  EXPECT_EQ(before->data<std::string>()[0], "old");
  EXPECT_EQ(Value()->data<std::string>()[0], "new");
}

TEST_F(ObjectMemoryTest, CopiesCountWhatTheyHold) {
  const auto copy = LongVector(2).Copy(device_.allocator());
  ASSERT_TRUE(copy.ok()) << copy.status();
  EXPECT_GE(LiveBytes(), 2 * kLong);
  EXPECT_EQ(LongVector(4).Copy(device_.allocator()).status().code(),
            kExhausted);
}

TEST_F(ObjectMemoryTest, DecodedStringsCountWhatTheyHold) {
  pb::TensorProto proto;
  EXPECT_TRUE(EncodeTensor(LongVector(2), &proto).ok());
  const auto decoded =
      DecodeTensor(proto, device_.allocator(), int64_t{1} << 30);
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_GE(LiveBytes(), 2 * kLong);
}

}  // namespace
}  // namespace leat::object_memory_test
