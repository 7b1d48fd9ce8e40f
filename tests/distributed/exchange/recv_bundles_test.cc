// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/exchange/recv_bundles.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/distributed/wire/messages.h"
#include "leat/distributed/wire/recv_tensor.h"
#include "leat/tests/distributed/exchange/marked_recvs.h"
#include "leat/tests/distributed/received_tensor.h"
#include "leat/tests/distributed/recv_messages.h"

namespace leat::recv_bundles_test {
namespace {

using ::leat::testing::BundlesOf;
using ::leat::testing::BundlesOfText;
using ::leat::testing::KeyOf;
using ::leat::testing::MarkedRecv;
using ::leat::testing::MarkedRecvText;
using ::leat::testing::ReceivedTensor;
using ::leat::testing::RequestList;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Returns the keys of each bundle.
std::vector<std::vector<std::string>> Keys(const RecvBundles& bundles) {
  std::vector<std::vector<std::string>> keys;
  for (const RecvKeys::Shared& each : bundles.bundles()) {
    keys.emplace_back();
    for (const ParsedKey& key : *each) keys.back().push_back(key.text());
  }
  return keys;
}

// ---------------------------------------------------------------------------
// Tests which bundles a graph has.

TEST(RecvBundlesTest, AreThoseThatTheMasterMarks) {
  const std::vector<MarkedRecv> recvs = {
      {.tensor = "a", .bundle = 7},  {.tensor = "b", .bundle = -1},
      {.tensor = "c", .bundle = {}}, {.tensor = "d", .bundle = 7},
      {.tensor = "e", .bundle = -1}, {.tensor = "f", .bundle = 7}};
  const auto bundles = BundlesOf(recvs);
  ASSERT_THAT(Keys(*bundles),
              ElementsAre(ElementsAre(KeyOf(recvs[1]), KeyOf(recvs[4])),
                          ElementsAre(KeyOf(recvs[0]), KeyOf(recvs[3]),
                                      KeyOf(recvs[5]))));
  for (size_t i = 0; i < bundles->bundles().size(); ++i) {
    const std::vector<ParsedKey>& keys = *bundles->bundles()[i];
    for (size_t k = 0; k < keys.size(); ++k) {
      EXPECT_THAT(keys[k].text(), HasSubstr(recvs[0].receiver));
      const RecvBundles::Place* const place = bundles->Find(keys[k]);
      ASSERT_NE(place, nullptr);
      EXPECT_EQ(place->bundle, i);
      EXPECT_EQ(place->index, k);
    }
  }
  EXPECT_EQ(bundles->Find(ParsedKey(KeyOf(recvs[2]))), nullptr);
  EXPECT_EQ(bundles->Find(ParsedKey()), nullptr);
}

TEST(RecvBundlesTest, OneAloneIsNone) {
  const auto bundles =
      BundlesOf({{.tensor = "a", .bundle = 1}, {.tensor = "b", .bundle = 2}});
  EXPECT_THAT(Keys(*bundles), IsEmpty());
  EXPECT_EQ(bundles->Find(ParsedKey(KeyOf({.tensor = "a"}))), nullptr);
}

// A _Recv that waits for a node is left out of the bundle. In a loop, every
// _Recv waits for a node of the control loop.
TEST(RecvBundlesTest, OneThatWaitsForANodeIsNotInIt) {
  const MarkedRecv a{.tensor = "a"}, b{.tensor = "b"};
  const MarkedRecv late{.tensor = "late", .waits = true};
  const auto bundles = BundlesOf({a, late, b});
  EXPECT_THAT(Keys(*bundles), ElementsAre(ElementsAre(KeyOf(a), KeyOf(b))));
  EXPECT_EQ(bundles->Find(ParsedKey(KeyOf(late))), nullptr);
  EXPECT_THAT(Keys(*BundlesOf({a, late})), IsEmpty());
}

TEST(RecvBundlesTest, AreOfOneTask) {
  const MarkedRecv a{.tensor = "a"};
  const MarkedRecv other{.tensor = "b",
                         .sender = "/job:ps/replica:0/task:1/device:CPU:0"};
  const MarkedRecv beside{.tensor = "c",
                          .sender = "/job:ps/replica:0/task:0/device:CPU:1"};
  const auto bundles = BundlesOf({a, other, beside});
  EXPECT_THAT(Keys(*bundles),
              ElementsAre(ElementsAre(KeyOf(a), KeyOf(beside))));
  EXPECT_EQ(bundles->Find(ParsedKey(KeyOf(other))), nullptr);
  EXPECT_THAT(Keys(*BundlesOf({a, other})), IsEmpty());
}

TEST(RecvBundlesTest, AreForOneDevice) {
  const MarkedRecv a{.tensor = "a"}, b{.tensor = "b"};
  const MarkedRecv other{
      .tensor = "c", .receiver = "/job:worker/replica:0/task:0/device:CPU:1"};
  const auto bundles = BundlesOf({a, other, b});
  EXPECT_THAT(Keys(*bundles), ElementsAre(ElementsAre(KeyOf(a), KeyOf(b))));
  EXPECT_EQ(bundles->Find(ParsedKey(KeyOf(other))), nullptr);
  EXPECT_THAT(Keys(*BundlesOf({a, other})), IsEmpty());
}

// A receive completes only one bundle. If one key were in two bundles, the
// receive of this key would complete the first bundle, and the second bundle
// would wait forever.
TEST(RecvBundlesTest, AKeyIsInOne) {
  const MarkedRecv a{.tensor = "a"}, b{.tensor = "b"};
  const MarkedRecv again{.tensor = "a", .bundle = 1};
  const MarkedRecv c{.tensor = "c", .bundle = 1};
  const MarkedRecv d{.tensor = "d", .bundle = 1};
  EXPECT_THAT(Keys(*BundlesOf({a, b, a, again, c, d})),
              ElementsAre(ElementsAre(KeyOf(a), KeyOf(b)),
                          ElementsAre(KeyOf(c), KeyOf(d))));
  EXPECT_THAT(Keys(*BundlesOf({a, a})), IsEmpty());
  EXPECT_THAT(Keys(*BundlesOf({a, b, again, c})),
              ElementsAre(ElementsAre(KeyOf(a), KeyOf(b))));
}

TEST(RecvBundlesTest, OfTooManyTensorsAreNone) {
  std::vector<MarkedRecv> recvs;
  for (size_t i = 0; i < kMaxRecvKeys; ++i) {
    recvs.push_back({.tensor = absl::StrCat("t", i)});
  }
  const auto most = BundlesOf(recvs);
  ASSERT_EQ(most->bundles().size(), 1u);
  EXPECT_EQ(most->bundles()[0]->size(), recvs.size());
  recvs.push_back({.tensor = "more"});
  EXPECT_THAT(Keys(*BundlesOf(recvs)), IsEmpty());
}

TEST(RecvBundlesTest, OfKeysThatNoRequestCanHaveAreNone) {
  const auto of_names = [](size_t bytes) {
    return BundlesOf({{.tensor = std::string(bytes, 'a')},
                      {.tensor = std::string(bytes, 'b')}});
  };
  constexpr size_t kMost = static_cast<size_t>(kMaxInlineHeaderBytes);
  EXPECT_THAT(Keys(*of_names(kMost / 2)), IsEmpty());
  EXPECT_THAT(Keys(*of_names(kMost)), IsEmpty());
  // The request for each bundle must be small enough.
  int num_bundles = 0;
  for (size_t bytes = kMost / 8; bytes < kMost / 2; bytes += 1000) {
    const auto bundles = of_names(bytes);
    if (bundles->bundles().empty()) break;
    ++num_bundles;
    EXPECT_LE(
        RequestList(INT64_MAX, Keys(*bundles)[0], INT64_MAX).header.size(),
        kMost);
  }
  EXPECT_GT(num_bundles, 0);
}

TEST(RecvBundlesTest, WhatIsNoNumberOrNoRecvIsNotMarked) {
  const std::string a = MarkedRecvText({.tensor = "a"}, "recv_a");
  const std::string b = MarkedRecvText({.tensor = "b"}, "recv_b");
  EXPECT_EQ(BundlesOfText(a + b)->bundles().size(), 1u);
  EXPECT_THAT(Keys(*BundlesOfText(
                  a + absl::StrReplaceAll(
                          b, {{"\"_leat_bundle\" value { i: 0 }",
                               "\"_leat_bundle\" value { s: \"0\" }"}}))),
              IsEmpty());
  EXPECT_THAT(Keys(*BundlesOfText(
                  a + absl::StrReplaceAll(b, {{"_Recv", "_HostRecv"}}))),
              IsEmpty());
}

// ---------------------------------------------------------------------------
// Tests how a step's receives complete the bundles.

// The step has one bundle with the tensors a, b and c, and one bundle with x
// and y.
class BundledRecvsTest : public ::testing::Test {
 protected:
  static std::string Key(const char* tensor) {
    return KeyOf({.tensor = tensor});
  }
  // Returns true if the receive was taken into a bundle. If the receive
  // completes the bundle, `ready_` then has the keys of the bundle, and `all_`
  // has the callbacks of the bundle.
  bool Add(const std::string& key, const ReceivedTensor& received) {
    Rendezvous::Done done = ReceivedTensor(received).Done();
    ready_ = nullptr;
    all_.clear();
    const bool is_taken = recvs_.Add(ParsedKey(key), done, ready_, all_);
    // If Add does not take the receive, it must leave the callback in `done`.
    EXPECT_TRUE(is_taken || done != nullptr);
    EXPECT_EQ(ready_ == nullptr, all_.empty());
    return is_taken;
  }
  bool AddAndWait(const char* tensor, const ReceivedTensor& received) {
    const bool is_taken = Add(Key(tensor), received);
    EXPECT_EQ(ready_, nullptr);
    EXPECT_EQ(received.calls(), 0);
    return is_taken;
  }

  const std::shared_ptr<const RecvBundles> bundles_ =
      BundlesOf({{.tensor = "a", .bundle = 0},
                 {.tensor = "x", .bundle = 1},
                 {.tensor = "b", .bundle = 0},
                 {.tensor = "y", .bundle = 1},
                 {.tensor = "c", .bundle = 0}});
  BundledRecvs recvs_{bundles_};
  RecvKeys::Shared ready_;
  RecvDones all_;
  ReceivedTensor a_, b_, c_, x_, y_;
};

TEST_F(BundledRecvsTest, GiveAllWithTheLast) {
  EXPECT_TRUE(AddAndWait("c", c_));
  EXPECT_TRUE(AddAndWait("x", x_));
  EXPECT_TRUE(AddAndWait("a", a_));
  EXPECT_TRUE(Add(Key("b"), b_));
  ASSERT_EQ(ready_, bundles_->bundles()[0]);
  EXPECT_THAT(Keys(*bundles_)[0], ElementsAre(Key("a"), Key("b"), Key("c")));
  ASSERT_EQ(all_.size(), 3u);
  for (int i = 0; i < 3; ++i) {
    std::move(all_[static_cast<size_t>(i)])(absl::OkStatus(), Tensor::Scalar(i),
                                            false);
  }
  EXPECT_EQ(a_.tensor().scalar<int>(), 0);
  EXPECT_EQ(b_.tensor().scalar<int>(), 1);
  EXPECT_EQ(c_.tensor().scalar<int>(), 2);
  EXPECT_EQ(x_.calls(), 0);
  EXPECT_TRUE(Add(Key("y"), y_));
  EXPECT_EQ(ready_, bundles_->bundles()[1]);
  EXPECT_EQ(all_.size(), 2u);
  // No receive waits any more.
  EXPECT_TRUE(recvs_.End().empty());
}

TEST_F(BundledRecvsTest, RefuseWhatIsOfNoBundle) {
  const ReceivedTensor other{};
  EXPECT_FALSE(Add(Key("d"), other));
  EXPECT_FALSE(Add("", other));
  EXPECT_FALSE(Add(Key("a").substr(1), other));
}

TEST_F(BundledRecvsTest, RefuseWhatWasAskedForBefore) {
  const ReceivedTensor again{};
  EXPECT_TRUE(AddAndWait("x", x_));
  EXPECT_FALSE(Add(Key("x"), again));
  EXPECT_TRUE(Add(Key("y"), y_));
  EXPECT_NE(ready_, nullptr);
  for (const char* tensor : {"x", "y"}) {
    EXPECT_FALSE(Add(Key(tensor), again));
    EXPECT_EQ(ready_, nullptr);
  }
  EXPECT_EQ(again.calls(), 0);
}

TEST_F(BundledRecvsTest, EndGivesThoseThatWait) {
  EXPECT_TRUE(AddAndWait("c", c_));
  EXPECT_TRUE(AddAndWait("x", x_));
  EXPECT_TRUE(AddAndWait("a", a_));
  EXPECT_TRUE(Add(Key("y"), y_));
  std::vector<Rendezvous::Done> ended = recvs_.End();
  ASSERT_EQ(ended.size(), 2u);
  for (Rendezvous::Done& done : ended) {
    std::move(done)(absl::AbortedError("the end"), Tensor(), false);
  }
  EXPECT_EQ(a_.calls(), 1);
  EXPECT_EQ(c_.calls(), 1);
  EXPECT_EQ(x_.calls() + y_.calls(), 0);
  for (const char* tensor : {"a", "b", "c", "x", "y"}) {
    EXPECT_FALSE(Add(Key(tensor), b_)) << tensor;
  }
  EXPECT_TRUE(recvs_.End().empty());
}

// Several threads ask for tensors while another thread ends the step. Each
// callback must be called exactly once. The thread that asks for the last
// tensor of a bundle gets all callbacks of the bundle.
TEST(BundledRecvsConcurrencyTest, EachIsGivenOnce) {
  constexpr int kRounds = 200;
  constexpr size_t kThreads = 3;
  std::vector<MarkedRecv> recvs;
  for (int i = 0; i < 20; ++i) {
    recvs.push_back({.tensor = absl::StrCat("t", i), .bundle = i / 5});
  }
  const auto bundles = BundlesOf(recvs);
  for (int round = 0; round < kRounds; ++round) {
    BundledRecvs bundled(bundles);
    std::atomic<int> given{0}, refused{0}, ended{0}, num_ready{0};
    std::atomic<bool> go{false};
    std::vector<std::thread> threads;
    for (size_t t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        while (!go) std::this_thread::yield();
        for (size_t i = t; i < recvs.size(); i += kThreads) {
          Rendezvous::Done done = [&given](const absl::Status&, const Tensor&,
                                           bool) { ++given; };
          RecvKeys::Shared ready;
          RecvDones all;
          refused += !bundled.Add(ParsedKey(KeyOf(recvs[i])), done, ready, all);
          num_ready += ready != nullptr;
          for (Rendezvous::Done& one : all) {
            std::move(one)(absl::OkStatus(), Tensor(), true);
          }
        }
      });
    }
    threads.emplace_back([&] {
      while (!go) std::this_thread::yield();
      if (round % 2 == 0) return;  // All bundles are completed.
      for (Rendezvous::Done& one : bundled.End()) {
        std::move(one)(absl::CancelledError(), Tensor(), false);
        ++ended;
      }
    });
    go = true;
    for (std::thread& thread : threads) thread.join();
    ASSERT_EQ(given + refused, static_cast<int>(recvs.size()));
    ASSERT_EQ(given - ended, 5 * num_ready.load());
    if (round % 2 == 0) {
      ASSERT_EQ(num_ready.load(), 4);
    }
  }
}

}  // namespace
}  // namespace leat::recv_bundles_test
