// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests lookup tables with many entries, from several threads, without memory,
// and with values that no file can hold. sync_cases_test.cc compares the ops
// with TensorFlow's.
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/resource_handle.h"
#include "leat/core/threads/thread.h"
#include "leat/kernels/handle_output.h"
#include "leat/tests/testing/failing_allocations.h"
#include "leat/tests/testing/kernel_test_harness.h"

namespace leat::tables_test {
namespace {

using ::testing::ElementsAre;
using testing::FailingAllocations;
using ::testing::HasSubstr;
using testing::KernelTestHarness;
using testing::NthFailure;

template <class T>
Tensor Vector(const std::vector<T>& values) {
  return Tensor::FromSpan<T>(Shape{static_cast<int64_t>(values.size())},
                             values);
}

template <class T>
std::vector<T> Values(const Tensor& tensor) {
  const auto data = tensor.data<T>();
  return std::vector<T>(data.begin(), data.end());
}

// A table, and the calls of the ops on it.
class Table {
 public:
  // Makes a table of the op `op`. Dense tables have the keys 0 and -1 for empty
  // and deleted entries.
  Table(const std::string& op, DType key, DType value) {
    AttrMap attrs = {{"key_dtype", key},
                     {"value_dtype", value},
                     {"shared_name", std::string("table")}};
    std::vector<Tensor> inputs;
    if (op == "MutableDenseHashTableV2") {
      attrs.Set("initial_num_buckets", int64_t{4});
      inputs = {Tensor::Scalar<int64_t>(0), Tensor::Scalar<int64_t>(-1)};
      if (key == DType::kString) {
        inputs = {Tensor::Scalar<std::string>("0"),
                  Tensor::Scalar<std::string>(std::string(1000, '-'))};
      }
    }
    auto handle = harness_.RunOne(op, std::move(attrs), std::move(inputs));
    EXPECT_TRUE(handle.ok()) << handle.status();
    if (handle.ok()) handle_ = *std::move(handle);
  }

  absl::Status Insert(const Tensor& keys, const Tensor& values) {
    return Call("LookupTableInsertV2", {keys, values}).status();
  }
  absl::Status Remove(const Tensor& keys) {
    return Call("LookupTableRemoveV2", {keys}).status();
  }
  absl::Status Import(const Tensor& keys, const Tensor& values) {
    return Call("LookupTableImportV2", {keys, values}).status();
  }
  absl::StatusOr<Tensor> Find(const Tensor& keys, const Tensor& missing) {
    auto found = Call("LookupTableFindV2", {keys, missing});
    if (!found.ok()) return found.status();
    return found->front();
  }
  int64_t Size() {
    const auto size = Call("LookupTableSizeV2", {});
    EXPECT_TRUE(size.ok()) << size.status();
    return size.ok() ? size->front().scalar<int64_t>() : -1;
  }
  absl::StatusOr<std::vector<Tensor>> Export(DType key, DType value) {
    return Call("LookupTableExportV2", {},
                {{"Tkeys", key}, {"Tvalues", value}});
  }

  KernelTestHarness& harness() { return harness_; }

 private:
  absl::StatusOr<std::vector<Tensor>> Call(const std::string& op,
                                           std::vector<Tensor> inputs,
                                           AttrMap attrs = {}) {
    inputs.insert(inputs.begin(), handle_);
    return harness_.Run(op, std::move(attrs), std::move(inputs));
  }

  KernelTestHarness harness_;
  Tensor handle_;
};

// Does the same with a table and with a map. `keep` makes a value from a
// number.
template <class V>
void ComparesWithMap(const std::string& op, V (*value_of)(int64_t)) {
  Table table(op, DType::kInt64, kDTypeOf<V>);
  std::map<int64_t, V> map;
  uint64_t random = 1;
  for (int round = 0; round < 200; ++round) {
    std::vector<int64_t> keys;
    std::vector<V> values;
    for (int i = 0; i < 7; ++i) {
      random = random * 6364136223846793005 + 1442695040888963407;
      keys.push_back(1 + static_cast<int64_t>(random >> 33) % 97);
      values.push_back(value_of(static_cast<int64_t>(random >> 40)));
    }
    if (round % 3 == 2) {
      ASSERT_EQ(table.Remove(Vector(keys)), absl::OkStatus());
      for (const int64_t key : keys) map.erase(key);
    } else {
      ASSERT_EQ(table.Insert(Vector(keys), Vector(values)), absl::OkStatus());
      for (size_t i = 0; i < keys.size(); ++i) map[keys[i]] = values[i];
    }
    ASSERT_EQ(table.Size(), static_cast<int64_t>(map.size()));
  }
  std::vector<int64_t> all;
  std::vector<V> expected;
  for (int64_t key = 1; key <= 97; ++key) {
    all.push_back(key);
    const auto found = map.find(key);
    expected.push_back(found == map.end() ? V() : found->second);
  }
  const auto found = table.Find(Vector(all), Tensor::Scalar(V()));
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(Values<V>(*found), expected);
}

std::string TextOf(int64_t number) {
  return "a text with a number behind it: " + std::to_string(number);
}
int64_t Itself(int64_t number) { return number; }

TEST(TablesTest, MutableTablesKeepWhatAMapKeeps) {
  ComparesWithMap<int64_t>("MutableHashTableV2", &Itself);
  ComparesWithMap<std::string>("MutableHashTableV2", &TextOf);
}

TEST(TablesTest, DenseTablesKeepWhatAMapKeeps) {
  ComparesWithMap<int64_t>("MutableDenseHashTableV2", &Itself);
}

TEST(TablesTest, ExportGivesTheEntriesInTheOrderOfInsertion) {
  Table table("MutableHashTableV2", DType::kString, DType::kInt64);
  ASSERT_EQ(table.Insert(Vector<std::string>({"c", "a", "b", "a"}),
                         Vector<int64_t>({1, 2, 3, 4})),
            absl::OkStatus());
  const auto entries = table.Export(DType::kString, DType::kInt64);
  ASSERT_TRUE(entries.ok()) << entries.status();
  EXPECT_THAT(Values<std::string>((*entries)[0]), ElementsAre("c", "a", "b"));
  EXPECT_THAT(Values<int64_t>((*entries)[1]), ElementsAre(1, 4, 3));
}

// An export of other types ends the process of TensorFlow.
TEST(TablesTest, ExportOfOtherTypesIsAnError) {
  Table table("MutableHashTableV2", DType::kString, DType::kInt64);
  const absl::Status status =
      table.Export(DType::kInt32, DType::kInt64).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("Signature mismatch"));
}

// TensorFlow takes over the buckets as they are, so its table may find no keys,
// or end the process.
TEST(TablesTest, ADenseTableImportsAnyBuckets) {
  Table table("MutableDenseHashTableV2", DType::kInt64, DType::kInt64);
  const auto matrix = [](std::vector<int64_t> values) {
    return *Vector(values).Reshaped(
        Shape{static_cast<int64_t>(values.size()), 1});
  };
  const auto find = [&](std::vector<int64_t> keys) {
    const auto found = table.Find(Vector(keys), Tensor::Scalar<int64_t>(-7));
    EXPECT_TRUE(found.ok()) << found.status();
    return found.ok() ? Values<int64_t>(*found) : std::vector<int64_t>();
  };
  ASSERT_EQ(table.Import(matrix({4, 1, 2, 3}), matrix({40, 10, 20, 30})),
            absl::OkStatus());
  EXPECT_THAT(find({1, 2, 3, 4, 9}), ElementsAre(10, 20, 30, 40, -7));
  ASSERT_EQ(table.Import(matrix({8, 0, 5}), matrix({80, 1, 50})),
            absl::OkStatus());
  EXPECT_THAT(find({8, 5, 4}), ElementsAre(80, 50, -7));
  ASSERT_EQ(table.Import(matrix({}), matrix({})), absl::OkStatus());
  EXPECT_THAT(find({8}), ElementsAre(-7));
  ASSERT_EQ(table.Insert(Vector<int64_t>({8}), Vector<int64_t>({1})),
            absl::OkStatus());
  EXPECT_THAT(find({8}), ElementsAre(1));
  EXPECT_FALSE(
      table.Import(Tensor::Scalar<int64_t>(1), Tensor::Scalar<int64_t>(1))
          .ok());
  EXPECT_FALSE(
      table.Import(Vector<int64_t>({1, 2}), Vector<int64_t>({1})).ok());
}

TEST(TablesTest, ADenseTableOfAnyLoadFactorStaysWithinItsBounds) {
  KernelTestHarness harness;
  const auto handle =
      harness.RunOne("MutableDenseHashTableV2",
                     {{"shared_name", std::string("table")},
                      {"value_dtype", DType::kInt64},
                      {"initial_num_buckets", int64_t{4}},
                      {"max_load_factor", 1e-30f}},
                     {Tensor::Scalar<int64_t>(0), Tensor::Scalar<int64_t>(-1)});
  ASSERT_TRUE(handle.ok()) << handle.status();
  const auto inserted =
      harness.Run("LookupTableInsertV2", {},
                  {*handle, Vector<int64_t>({1}), Vector<int64_t>({1})});
  EXPECT_EQ(inserted.status().code(), absl::StatusCode::kResourceExhausted);
}

TEST(TablesTest, ValuesCanBeHandles) {
  Table table("MutableDenseHashTableV2", DType::kString, DType::kResource);
  ResourceHandle handle;
  handle.name = "a name that does not fit into the object";
  ASSERT_EQ(table.Insert(Vector<std::string>({"a"}),
                         Vector<ResourceHandle>({handle})),
            absl::OkStatus());
  const auto found = table.Find(Vector<std::string>({"b", "a"}),
                                Tensor::Scalar(ResourceHandle()));
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->data<ResourceHandle>()[0].name, "");
  EXPECT_EQ(found->data<ResourceHandle>()[1].name, handle.name);
}

TEST(TablesTest, WithoutMemoryATableStaysAsItWas) {
  for (const char* const op :
       {"MutableHashTableV2", "MutableDenseHashTableV2"}) {
    Table table(op, DType::kInt64, DType::kInt64);
    std::vector<int64_t> keys(100);
    for (size_t i = 0; i < keys.size(); ++i) {
      keys[i] = static_cast<int64_t>(i) + 1;
    }
    bool failed = false;
    for (int64_t n = 1;; ++n) {
      const Tensor entries = Vector(keys);
      FailingAllocations failing(n, NthFailure::kOnlyOne);
      const absl::Status status = table.Insert(entries, entries);
      if (failing.Stop() == 0) break;
      failed = true;
      EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
      EXPECT_EQ(table.Size(), 0);
    }
    EXPECT_TRUE(failed);
    EXPECT_EQ(table.Size(), 100);
  }
}

// The bucket of a removed key holds the deleted key.
TEST(TablesTest, RemovedKeysOfADenseTableAreCharged) {
  Table table("MutableDenseHashTableV2", DType::kString, DType::kInt64);
  const Tensor key = Vector<std::string>({"a"});
  ASSERT_TRUE(table.Insert(key, Vector<int64_t>({1})).ok());
  FailingAllocations failing(1, NthFailure::kAllFromThere);
  const absl::Status status = table.Remove(key);
  EXPECT_EQ(failing.Stop(), 1);
  EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
  EXPECT_EQ(table.Size(), 1);
}

TEST(TablesTest, ThreadsFindWhileOthersInsert) {
  for (const char* const op :
       {"MutableHashTableV2", "MutableDenseHashTableV2"}) {
    Table table(op, DType::kInt64, DType::kInt64);
    constexpr int64_t kKeys = 300;
    {
      std::vector<Thread> threads;
      for (int64_t thread = 0; thread < 2; ++thread) {
        threads.emplace_back("inserts", [&table, thread] {
          for (int64_t key = 1 + thread; key <= kKeys; key += 2) {
            EXPECT_EQ(table.Insert(Vector<int64_t>({key}),
                                   Vector<int64_t>({10 * key})),
                      absl::OkStatus());
          }
        });
        threads.emplace_back("finds", [&table] {
          for (int64_t key = 1; key <= kKeys; ++key) {
            const auto found =
                table.Find(Vector<int64_t>({key}), Tensor::Scalar<int64_t>(-7));
            ASSERT_TRUE(found.ok()) << found.status();
            const int64_t value = found->data<int64_t>()[0];
            EXPECT_TRUE(value == -7 || value == 10 * key) << value;
          }
        });
      }
    }
    EXPECT_EQ(table.Size(), kKeys);
  }
}

TEST(TablesTest, ANodeOfOtherTypesCannotShareATable) {
  KernelTestHarness harness;
  AttrMap attrs = {{"key_dtype", DType::kString},
                   {"value_dtype", DType::kInt64},
                   {"use_node_name_sharing", true}};
  ASSERT_TRUE(harness.RunOne("HashTableV2", attrs, {}).ok());
  attrs.Set("value_dtype", DType::kInt32);
  EXPECT_THAT(harness.RunOne("HashTableV2", attrs, {}).status().message(),
              HasSubstr("Conflicting key/value dtypes string->int32 with "
                        "string-int64 for table test"));
}

}  // namespace
}  // namespace leat::tables_test
