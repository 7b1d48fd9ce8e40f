// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/runtime/local_rendezvous.h"

namespace leat::local_rendezvous_concurrency_test {
namespace {

using ::testing::HasSubstr;

// Holds the result of a RecvAsync.
struct Received {
  int calls = 0;
  absl::Status status;
  Tensor tensor;
  bool is_dead = false;

  Rendezvous::Done Done() {
    return [this](const absl::Status& s, Tensor t, bool dead) {
      ++calls;
      status = s;
      tensor = std::move(t);
      is_dead = dead;
    };
  }
};

TEST(LocalRendezvousTest, HandsOverWhatWasSentBefore) {
  LocalRendezvous rendezvous;
  ASSERT_TRUE(rendezvous.Send(ParsedKey("k"), Tensor::Scalar(3), false).ok());
  Received received;
  rendezvous.RecvAsync(ParsedKey("k"), received.Done());
  ASSERT_EQ(received.calls, 1);
  EXPECT_TRUE(received.status.ok());
  EXPECT_EQ(received.tensor.scalar<int>(), 3);
}

TEST(LocalRendezvousTest, HandsOverWhatIsSentLater) {
  LocalRendezvous rendezvous;
  Received received;
  rendezvous.RecvAsync(ParsedKey("k"), received.Done());
  EXPECT_EQ(received.calls, 0);
  ASSERT_TRUE(rendezvous.Send(ParsedKey("k"), Tensor(), true).ok());
  EXPECT_EQ(received.calls, 1);
  EXPECT_TRUE(received.is_dead);
}

// A loop has new keys in every iteration. If the rendezvous kept a mark for
// each used key, the marks would take more memory with every iteration.
TEST(LocalRendezvousTest, KeepsNoMarksOfKeysInsideOfLoops) {
  LocalRendezvous rendezvous;
  for (const bool recv_first : {false, true, false}) {
    const std::string key = "a;1;b;t;77:3";
    Received received;
    if (recv_first) rendezvous.RecvAsync(ParsedKey(key), received.Done());
    ASSERT_TRUE(rendezvous.Send(ParsedKey(key), Tensor::Scalar(3), false).ok());
    if (!recv_first) rendezvous.RecvAsync(ParsedKey(key), received.Done());
    EXPECT_EQ(received.calls, 1);
    EXPECT_TRUE(received.status.ok());
  }
  ASSERT_TRUE(
      rendezvous.Send(ParsedKey("a;1;b;t;0:0"), Tensor::Scalar(3), false).ok());
  EXPECT_FALSE(
      rendezvous.Send(ParsedKey("a;1;b;t;0:0"), Tensor::Scalar(3), false).ok());
}

TEST(LocalRendezvousTest, RefusesASecondSendOrRecvOfAKey) {
  LocalRendezvous rendezvous;
  ASSERT_TRUE(rendezvous.Send(ParsedKey("k"), Tensor::Scalar(3), false).ok());
  EXPECT_EQ(rendezvous.Send(ParsedKey("k"), Tensor::Scalar(4), false).code(),
            absl::StatusCode::kAlreadyExists);
  Received first, second;
  rendezvous.RecvAsync(ParsedKey("k"), first.Done());
  rendezvous.RecvAsync(ParsedKey("k"), second.Done());
  EXPECT_TRUE(first.status.ok());
  EXPECT_EQ(second.status.code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(rendezvous.Send(ParsedKey("k"), Tensor::Scalar(5), false).code(),
            absl::StatusCode::kAlreadyExists);
}

TEST(LocalRendezvousTest, AnAbortEndsWaitingAndLaterCallsWithTheFirstReason) {
  LocalRendezvous rendezvous;
  Received waiting, later;
  rendezvous.RecvAsync(ParsedKey("k"), waiting.Done());
  rendezvous.StartAbort(absl::UnavailableError("worker 1 is gone"));
  rendezvous.StartAbort(absl::InternalError("an echo"));
  rendezvous.RecvAsync(ParsedKey("j"), later.Done());
  EXPECT_EQ(waiting.status, absl::UnavailableError("worker 1 is gone"));
  EXPECT_EQ(later.status, absl::UnavailableError("worker 1 is gone"));
  EXPECT_EQ(rendezvous.Send(ParsedKey("i"), Tensor(), false),
            absl::UnavailableError("worker 1 is gone"));
}

TEST(LocalRendezvousTest, RefusesASendBeyondItsLimit) {
  LocalRendezvous rendezvous(2);
  EXPECT_EQ(rendezvous.size(), 0u);
  ASSERT_TRUE(rendezvous.Send(ParsedKey("a"), Tensor::Scalar(1), false).ok());
  ASSERT_TRUE(rendezvous.Send(ParsedKey("b"), Tensor::Scalar(2), false).ok());
  EXPECT_EQ(rendezvous.size(), 2u);
  const absl::Status full =
      rendezvous.Send(ParsedKey("one_more"), Tensor(), true);
  EXPECT_EQ(full.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(full.message()), HasSubstr("one_more"));
  EXPECT_EQ(rendezvous.size(), 2u);
  // The tensors in the rendezvous can still be received. Each of them leaves a
  // mark that its key was used.
  Received received;
  rendezvous.RecvAsync(ParsedKey("a"), received.Done());
  EXPECT_TRUE(received.status.ok());
  EXPECT_EQ(received.tensor.scalar<int>(), 1);
  EXPECT_EQ(rendezvous.Send(ParsedKey("one_more"), Tensor(), true).code(),
            absl::StatusCode::kResourceExhausted);
}

TEST(LocalRendezvousTest, RefusesARecvBeyondItsLimit) {
  LocalRendezvous rendezvous(1);
  Received waiting, refused;
  rendezvous.RecvAsync(ParsedKey("a"), waiting.Done());
  rendezvous.RecvAsync(ParsedKey("one_more"), refused.Done());
  EXPECT_EQ(refused.calls, 1);
  EXPECT_EQ(refused.status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(refused.status.message()), HasSubstr("one_more"));
  EXPECT_EQ(waiting.calls, 0);
  EXPECT_TRUE(rendezvous.Send(ParsedKey("a"), Tensor::Scalar(1), false).ok());
  EXPECT_EQ(waiting.calls, 1);
  EXPECT_TRUE(waiting.status.ok());
}

TEST(LocalRendezvousTest, ALoopMayRunForLongerThanTheLimit) {
  LocalRendezvous rendezvous(1);
  for (int i = 0; i < 10; ++i) {
    const std::string key = absl::StrCat("a;1;b;t;77:", i);
    ASSERT_TRUE(rendezvous.Send(ParsedKey(key), Tensor::Scalar(i), false).ok())
        << i;
    Received received;
    rendezvous.RecvAsync(ParsedKey(key), received.Done());
    EXPECT_EQ(received.tensor.scalar<int>(), i);
  }
  EXPECT_EQ(rendezvous.size(), 0u);
}

TEST(LocalRendezvousTest, DestructionEndsWhoWaits) {
  Received received;
  {
    LocalRendezvous rendezvous;
    rendezvous.RecvAsync(ParsedKey("k"), received.Done());
  }
  EXPECT_EQ(received.calls, 1);
  EXPECT_FALSE(received.status.ok());
}

TEST(LocalRendezvousTest, EveryTensorArrivesOnceUnderContention) {
  LocalRendezvous rendezvous;
  constexpr int kKeys = 2000;
  std::atomic<int64_t> sum{0};
  std::thread sender([&] {
    for (int i = 0; i < kKeys; ++i) {
      ASSERT_TRUE(
          rendezvous.Send(ParsedKey(absl::StrCat(i)), Tensor::Scalar(i), false)
              .ok());
    }
  });
  for (int i = 0; i < kKeys; ++i) {
    rendezvous.RecvAsync(ParsedKey(absl::StrCat(i)),
                         [&sum](const absl::Status& status, Tensor t, bool) {
                           if (status.ok()) sum += t.scalar<int>();
                         });
  }
  sender.join();
  EXPECT_EQ(sum, int64_t{kKeys} * (kKeys - 1) / 2);
}

}  // namespace
}  // namespace leat::local_rendezvous_concurrency_test
