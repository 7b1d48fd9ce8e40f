// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests that no reader sees a value that is partly updated, while other threads
// read and update the variable.
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "leat/core/tensor.h"
#include "leat/kernels/variable.h"

namespace leat::variable_concurrency_test {
namespace {

using ::leat::kernels::UpdateTogether;
using ::leat::kernels::Variable;

constexpr int64_t kSize = 4096;
constexpr int kUpdates = 300;

std::shared_ptr<Variable> Zeros(const char* name) {
  auto variable =
      std::make_shared<Variable>(name, DType::kFloat, PartialShape{kSize});
  EXPECT_TRUE(variable->Assign(Tensor::Filled<float>(Shape{kSize}, 0.0f)).ok());
  return variable;
}

absl::Status AddOne(Tensor& value) {
  for (float& x : value.mutable_data<float>()) x += 1;
  return absl::OkStatus();
}

// Returns true if all elements are equal. They must always be equal, because
// every update adds one to each element.
bool IsUniform(const Tensor& value) {
  const auto data = value.data<float>();
  for (float x : data) {
    if (x != data[0]) return false;
  }
  return true;
}

// Runs `update` on two threads, kUpdates times on each. Meanwhile runs `check`
// on this thread until both threads are done.
template <class Update, class Check>
void Race(Update update, Check check) {
  std::atomic<int> running{2};
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kUpdates; ++i) update(t);
      --running;
    });
  }
  while (running > 0) check();
  for (std::thread& thread : threads) thread.join();
}

TEST(VariableConcurrencyTest, SnapshotsNeverTearUnderDenseUpdates) {
  auto variable = Zeros("v");
  Race(
      [&](int) { ASSERT_TRUE(variable->Update(HostAllocator(), AddOne).ok()); },
      [&] {
        auto value = variable->Read(HostAllocator());
        ASSERT_TRUE(value.ok());
        ASSERT_TRUE(IsUniform(*value));
      });
  EXPECT_EQ(variable->Read(HostAllocator())->data<float>()[0], 2 * kUpdates);
}

TEST(VariableConcurrencyTest, SnapshotsNeverTearUnderRowUpdates) {
  auto variable = Zeros("v");
  Race(
      [&](int thread) {
        if (thread == 0) {
          ASSERT_TRUE(variable->UpdateRows(HostAllocator(), AddOne).ok());
        } else {
          ASSERT_TRUE(variable->Update(HostAllocator(), AddOne).ok());
        }
      },
      [&] {
        auto value = variable->Read(HostAllocator());
        ASSERT_TRUE(value.ok());
        ASSERT_TRUE(IsUniform(*value));
        ASSERT_TRUE(variable
                        ->WithValue([](const Tensor& tensor) {
                          EXPECT_TRUE(IsUniform(tensor));
                          return absl::OkStatus();
                        })
                        .ok());
      });
  EXPECT_EQ(variable->Read(HostAllocator())->data<float>()[0], 2 * kUpdates);
}

TEST(VariableConcurrencyTest, AssignsAndUpdatesDoNotMix) {
  auto variable = Zeros("v");
  Race(
      [&](int thread) {
        if (thread == 0) {
          ASSERT_TRUE(
              variable->Assign(Tensor::Filled<float>(Shape{kSize}, 7.0f)).ok());
        } else {
          ASSERT_TRUE(variable->Update(HostAllocator(), AddOne).ok());
        }
      },
      [&] {
        auto value = variable->Read(HostAllocator());
        ASSERT_TRUE(value.ok());
        ASSERT_TRUE(IsUniform(*value));
      });
}

// The two threads pass the variables in opposite order.
TEST(VariableConcurrencyTest, UpdatesOfSeveralVariablesDoNotDeadlock) {
  auto a = Zeros("a"), b = Zeros("b");
  Race(
      [&](int thread) {
        std::vector<Variable*> both = {a.get(), b.get()};
        if (thread == 1) std::swap(both[0], both[1]);
        ASSERT_TRUE(UpdateTogether(HostAllocator(), both,
                                   [](absl::Span<Tensor* const> values) {
                                     EXPECT_TRUE(AddOne(*values[0]).ok());
                                     return AddOne(*values[1]);
                                   })
                        .ok());
      },
      [&] {
        ASSERT_TRUE(IsUniform(*a->Read(HostAllocator())));
        ASSERT_TRUE(IsUniform(*b->Read(HostAllocator())));
      });
  EXPECT_EQ(a->Read(HostAllocator())->data<float>()[0], 2 * kUpdates);
  EXPECT_EQ(b->Read(HostAllocator())->data<float>()[0], 2 * kUpdates);
}

}  // namespace
}  // namespace leat::variable_concurrency_test
