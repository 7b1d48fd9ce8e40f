// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/resource_store.h"

#include <gtest/gtest.h>

namespace leat::resource_store_test {
namespace {

class Counter final : public Resource {
 public:
  static constexpr char kTypeName[] = "Counter";
  std::string DebugString() const override { return "counter"; }
};

absl::StatusOr<std::shared_ptr<Counter>> MakeCounter() {
  return std::make_shared<Counter>();
}

TEST(ResourceStoreTest, MakesOnceAndFindsAgain) {
  ResourceStore store;
  EXPECT_TRUE(absl::IsNotFound(store.Find<Counter>("c", "x").status()));
  const auto made = store.FindOrMake<Counter>("c", "x", MakeCounter);
  ASSERT_TRUE(made.ok());
  const auto again = store.FindOrMake<Counter>("c", "x", MakeCounter);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(*made, *again);
  EXPECT_EQ(*store.Find<Counter>("c", "x"), *made);
  EXPECT_TRUE(absl::IsNotFound(store.Find<Counter>("d", "x").status()));
}

TEST(ResourceStoreTest, AFailedMakeLeavesNothing) {
  ResourceStore store;
  const auto failed = store.FindOrMake<Counter>(
      "c", "x", []() -> absl::StatusOr<std::shared_ptr<Counter>> {
        return absl::InternalError("no");
      });
  EXPECT_TRUE(absl::IsInternal(failed.status()));
  EXPECT_EQ(store.size(), 0u);
}

TEST(ResourceStoreTest, DeletesOneOrAContainer) {
  ResourceStore store;
  for (const char* container : {"a", "b"}) {
    for (const char* name : {"x", "y"}) {
      ASSERT_TRUE(store.FindOrMake<Counter>(container, name, MakeCounter).ok());
    }
  }
  EXPECT_TRUE(store.Delete("a", "Counter", "x").ok());
  EXPECT_EQ(store.Delete("a", "Counter", "x"),
            absl::NotFoundError("Resource a/x/<unknown> does not exist."));
  EXPECT_EQ(store.size(), 3u);
  store.ClearContainer("b");
  EXPECT_EQ(store.size(), 1u);
  EXPECT_NE(store.PrivateName("node"), store.PrivateName("node"));
  store.Clear();
  EXPECT_EQ(store.size(), 0u);
}

TEST(ResourceStoreTest, TheEmptyContainerIsTheDefaultOne) {
  ResourceStore store("ps");
  EXPECT_EQ(store.default_container(), "ps");
  const auto made = store.FindOrMake<Counter>("", "x", MakeCounter);
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(*store.FindOrMake<Counter>("ps", "x", MakeCounter), *made);
  EXPECT_EQ(*store.Find<Counter>("", "x"), *made);
  EXPECT_EQ(*store.Find<Counter>("ps", "x"), *made);
  EXPECT_EQ(store.Find<Counter>("", "y").status(),
            absl::NotFoundError("Resource ps/y/Counter does not exist."));
  EXPECT_EQ(store.Find<Counter>("other", "y").status(),
            absl::NotFoundError("Container other does not exist. (Could not "
                                "find resource: other/y)"));
  EXPECT_TRUE(store.Delete("", "Counter", "x").ok());
  EXPECT_EQ(store.size(), 0u);

  ASSERT_TRUE(store.FindOrMake<Counter>("", "x", MakeCounter).ok());
  ASSERT_TRUE(store.FindOrMake<Counter>("other", "x", MakeCounter).ok());
  store.ClearContainer(kDefaultContainer);
  EXPECT_EQ(store.size(), 2u);
  store.ClearContainer("");
  EXPECT_EQ(store.size(), 1u);
  EXPECT_TRUE(store.Find<Counter>("other", "x").ok());
}

TEST(ResourceStoreTest, TheDefaultContainerOfALocalSessionIsLocalhost) {
  ResourceStore store;
  ASSERT_TRUE(store.FindOrMake<Counter>("", "x", MakeCounter).ok());
  EXPECT_TRUE(store.Find<Counter>("localhost", "x").ok());
}

TEST(ResourceStoreTest, HandlesOfOtherDevicesAndTypesAreRefused) {
  ResourceHandle handle;
  handle.device = "/device:CPU:0";
  handle.maybe_type_name = "Counter";
  EXPECT_TRUE(CheckHandle(handle, "Counter", "/device:CPU:0").ok());
  EXPECT_TRUE(
      absl::IsInvalidArgument(CheckHandle(handle, "Counter", "/device:CPU:1")));
  EXPECT_TRUE(
      absl::IsInvalidArgument(CheckHandle(handle, "Queue", "/device:CPU:0")));
}

}  // namespace
}  // namespace leat::resource_store_test
