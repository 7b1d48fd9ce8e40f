// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests how a step receives a bundle, which is several tensors in one call
// (partitioner/bundles.h).
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/status_payloads.h"
#include "leat/distributed/exchange/recv_call.h"
#include "leat/distributed/wire/recv_tensor.h"
#include "leat/distributed/wire/wire.h"
#include "leat/protos/step_stats.pb.h"
#include "leat/runtime/step_stats.h"
#include "leat/tests/distributed/exchange/marked_recvs.h"
#include "leat/tests/distributed/exchange/remote_rendezvous_fixture.h"
#include "leat/tests/distributed/fake_transport.h"
#include "leat/tests/distributed/received_message.h"
#include "leat/tests/distributed/received_tensor.h"

namespace leat::testing::rendezvous {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class BundleTest : public RemoteRendezvousTest {
 protected:
  // Makes the worker begin a run that receives bundles from the parameter
  // server. `bundles` has the names of the tensors of each bundle.
  void UseBundles(const std::vector<std::vector<std::string>>& bundles,
                  RunInputs inputs = {}) {
    std::vector<MarkedRecv> recvs;
    for (size_t i = 0; i < bundles.size(); ++i) {
      for (const std::string& tensor : bundles[i]) {
        recvs.push_back(Marked(ps_, worker_, tensor, static_cast<int64_t>(i)));
      }
    }
    inputs.bundles = BundlesOf(recvs);
    worker_.Run(std::move(inputs));
  }
  std::string PsKey(absl::string_view tensor) {
    return Key(ps_, worker_, tensor);
  }
  ReceivedTensor RecvOf(absl::string_view tensor) {
    return Recv(worker_, PsKey(tensor));
  }
  void SendOf(absl::string_view tensor, Tensor value, bool is_dead = false) {
    const absl::Status status = ps_.rendezvous->Send(ParsedKey(PsKey(tensor)),
                                                     std::move(value), is_dead);
    EXPECT_TRUE(status.ok()) << status;
  }
};

TEST_F(BundleTest, IsPulledWithOneCallWhenAllIsAskedFor) {
  UseBundles({{"a0", "b0", "c0"}, {"a1", "b1", "c1"}});
  const Tensor a = Tensor::Vector<float>({1, 2});
  const Tensor b = Tensor::Scalar<int>(7);
  for (const int i : {0, 1}) {
    ps_.is_remote = i == 1;
    const std::string a_name = absl::StrCat("a", i);
    const std::string b_name = absl::StrCat("b", i);
    const std::string c_name = absl::StrCat("c", i);
    const ReceivedTensor received_c = RecvOf(c_name);
    SendOf(a_name, a);
    const ReceivedTensor received_a = RecvOf(a_name);
    EXPECT_EQ(ps_.NumBundlePulls(), i);
    const ReceivedTensor received_b = RecvOf(b_name);
    EXPECT_EQ(ps_.NumBundlePulls(), i + 1);
    EXPECT_EQ(worker_.peers.traffic()->recvs().size(), 3u);
    SendOf(c_name, Tensor(), /*is_dead=*/true);
    EXPECT_EQ(received_a.calls() + received_b.calls() + received_c.calls(), 0);
    SendOf(b_name, b);
    for (const ReceivedTensor& received :
         {received_a, received_b, received_c}) {
      ASSERT_EQ(received.calls(), 1);
      EXPECT_TRUE(received.status().ok()) << received.status();
    }
    EXPECT_TRUE(Identical(received_a.tensor(), a));
    EXPECT_TRUE(Identical(received_b.tensor(), b));
    EXPECT_TRUE(received_c.is_dead());
    EXPECT_FALSE(received_a.is_dead() || received_b.is_dead());
    EXPECT_EQ(received_a.tensor().SharesBufferWith(a), !ps_.is_remote);
    EXPECT_EQ(worker_.peers.traffic()->recvs().size(), 0u);
    EXPECT_EQ(ps_.peers.traffic()->recvs().size(), 0u);
  }
  EXPECT_EQ(ps_.NumPulls(), 0);
}

TEST_F(BundleTest, TakesNothingElse) {
  UseBundles({{"a", "b"}});
  const ReceivedTensor first = RecvOf("a");
  SendOf("other", Tensor::Scalar<int>(7));
  EXPECT_EQ(RecvOf("other").tensor().scalar<int>(), 7);
  EXPECT_EQ(ps_.NumPulls(), 1);
  // This key names b in another iteration of a loop. That is another tensor,
  // which is in no bundle.
  const std::string in_loop = Key(ps_, worker_, "b", 5, 1);
  const ReceivedTensor looped = Recv(worker_, in_loop);
  EXPECT_EQ(ps_.NumPulls(), 2);
  // The worker has already asked for "a". So this receive asks for "a" alone,
  // and not for the bundle.
  const ReceivedTensor again = RecvOf("a");
  EXPECT_EQ(ps_.NumPulls(), 3);
  const ReceivedTensor local = Recv(worker_, Key(worker_, worker_, "b"));
  EXPECT_EQ(first.calls() + looped.calls() + again.calls() + local.calls(), 0);
  EXPECT_EQ(ps_.NumBundlePulls(), 0);
}

TEST_F(BundleTest, BelongToOneRunOfTheStep) {
  UseBundles({{"a", "b"}});
  const ReceivedTensor a = RecvOf("a");
  const std::unique_ptr<RemoteRendezvous> first = std::move(worker_.rendezvous);
  UseBundles({{"b", "c"}});
  const ReceivedTensor c = RecvOf("c");
  EXPECT_EQ(ps_.NumBundlePulls(), 0);
  ReceivedTensor b;
  first->RecvAsync(ParsedKey(PsKey("b")), b.Done());
  EXPECT_EQ(ps_.NumBundlePulls(), 1);
  SendOf("a", Tensor::Scalar<int>(1));
  SendOf("b", Tensor::Scalar<int>(2));
  EXPECT_EQ(a.calls() + b.calls(), 2);
  EXPECT_EQ(c.calls(), 0);
  EXPECT_EQ(ps_.NumPulls(), 0);
}

TEST_F(BundleTest, LargeOnesAreCopiedOnAThreadOfThePool) {
  ps_.is_remote = true;
  UseBundles({{"a", "b"}});
  const Tensor a = Tensor::Filled<float>(Shape{50'000}, 1);
  const Tensor b = Tensor::Filled<float>(Shape{50'000}, 2);
  SendOf("a", a);
  SendOf("b", b);
  Allocator& allocator = worker_.devices->devices()[0]->host_allocator();
  const int64_t before = allocator.stats().live_bytes;
  const ReceivedTensor received_a = RecvOf("a"), received_b = RecvOf("b");
  ASSERT_TRUE(received_a.Wait());
  ASSERT_TRUE(received_b.Wait());
  EXPECT_TRUE(Identical(received_a.tensor(), a));
  EXPECT_TRUE(Identical(received_b.tensor(), b));
  EXPECT_GE(allocator.stats().live_bytes - before,
            a.num_bytes() + b.num_bytes());
}

TEST_F(BundleTest, AnErrorReachesAll) {
  UseBundles({{"a", "b", "c"}, {"d", "e"}});
  const absl::Status cause = absl::InternalError("bad op");
  const ReceivedTensor a = RecvOf("a"), b = RecvOf("b"), c = RecvOf("c");
  SendOf("a", Tensor::Scalar(1.0f));
  ps_.rendezvous->StartAbort(cause);
  const ReceivedTensor d = RecvOf("d"), e = RecvOf("e");
  for (const ReceivedTensor& received : {a, b, c, d, e}) {
    EXPECT_EQ(received.calls(), 1);
    EXPECT_EQ(received.status(), AsDerived(cause));
    EXPECT_FALSE(received.tensor().IsValid());
  }
}

TEST_F(BundleTest, NamesTheTaskThatCannotBeReached) {
  std::vector<MarkedRecv> recvs;
  for (const char* tensor : {"edge_5_w/read", "edge_6_b/read"}) {
    recvs.push_back({.tensor = tensor,
                     .sender = "/job:worker/replica:0/task:1/device:CPU:0",
                     .receiver = worker_.device().name()});
  }
  for (const char* tensor : {"x", "y"}) {
    recvs.push_back({.tensor = tensor,
                     .bundle = 1,
                     .sender = "/job:worker/replica:0/task:8/device:CPU:0",
                     .receiver = worker_.device().name()});
  }
  worker_.Run({.bundles = BundlesOf(recvs)});
  std::vector<ReceivedTensor> received;
  for (const MarkedRecv& recv : recvs) {
    received.push_back(Recv(worker_, leat::testing::KeyOf(recv)));
  }
  for (const int i : {0, 1}) {
    EXPECT_EQ(received[static_cast<size_t>(i)].status(),
              absl::UnavailableError(
                  "task /job:worker/replica:0/task:1 (gone:1) cannot be "
                  "reached: connection refused while receiving "
                  "'edge_5_w/read' and 1 more"));
  }
  for (const int i : {2, 3}) {
    EXPECT_EQ(received[static_cast<size_t>(i)].status().code(),
              absl::StatusCode::kNotFound);
  }
}

TEST_F(BundleTest, AnAbortEndsThoseThatWaitForTheRest) {
  UseBundles({{"a", "b"}, {"c", "d"}});
  const ReceivedTensor a = RecvOf("a");
  const ReceivedTensor c = RecvOf("c"), d = RecvOf("d");
  const std::shared_ptr<CallContext> call = ps_.LastCall();
  EXPECT_EQ(a.calls() + c.calls() + d.calls(), 0);
  const absl::Status reason = AsDerived(absl::InternalError("bad op"));
  worker_.rendezvous->StartAbort(reason);
  worker_.rendezvous->StartAbort(absl::InternalError("an echo"));
  EXPECT_TRUE(call->cancellation.IsCancelled());
  for (const ReceivedTensor& received : {a, c, d, RecvOf("b"), RecvOf("e")}) {
    EXPECT_EQ(received.calls(), 1);
    EXPECT_EQ(received.status(), reason);
  }
  EXPECT_EQ(ps_.NumBundlePulls(), 1);
  EXPECT_EQ(ps_.NumPulls(), 0);
  EXPECT_EQ(worker_.peers.traffic()->recvs().size(), 0u);
  EXPECT_EQ(ps_.peers.traffic()->recvs().size(), 0u);
}

TEST_F(BundleTest, DestructionEndsThoseThatWaitForTheRest) {
  UseBundles({{"a", "b"}, {"c", "d"}});
  const ReceivedTensor a = RecvOf("a");
  const ReceivedTensor c = RecvOf("c"), d = RecvOf("d");
  worker_.rendezvous.reset();
  for (const ReceivedTensor& received : {a, c, d}) {
    EXPECT_EQ(received.calls(), 1);
    EXPECT_EQ(received.status().code(), absl::StatusCode::kCancelled);
    EXPECT_TRUE(IsDerived(received.status()));
  }
}

TEST_F(BundleTest, MayComeAfterTheStep) {
  transport_.IgnoreCancellation();
  UseBundles({{"a", "b"}});
  const ReceivedTensor a = RecvOf("a"), b = RecvOf("b");
  worker_.rendezvous.reset();
  EXPECT_EQ(a.calls() + b.calls(), 0);
  SendOf("a", Tensor::Scalar<int>(1));
  SendOf("b", Tensor::Scalar<int>(2));
  EXPECT_EQ(a.calls(), 1);
  EXPECT_EQ(b.calls(), 1);
}

TEST_F(BundleTest, RepliesThatDoNotFitAreRefused) {
  const auto reply_of = [](int num_tensors, int num_flags) {
    const SentTensor sent{.tensor = Tensor::Scalar<int>(1)};
    Payload reply = EncodeRecvResponse(
        RecvForm::kList, SentTensors(static_cast<size_t>(num_flags), sent));
    const WireTensor wire{.tensor = Tensor::Scalar<int>(2)};
    reply.tensors.resize(static_cast<size_t>(num_tensors), wire);
    return reply;
  };
  struct Case {
    std::function<Payload()> reply;
    const char* why;
  };
  const std::vector<Case> cases = {
      {[&] { return reply_of(0, 0); }, "0 tensors and said of 0 whether"},
      {[&] { return reply_of(1, 1); }, "1 tensors and said of 1 whether"},
      {[&] { return reply_of(3, 3); }, "3 tensors and said of 3 whether"},
      {[&] { return reply_of(1, 2); }, "1 tensors and said of 2 whether"},
      {[&] { return reply_of(3, 2); }, "3 tensors and said of 2 whether"},
      {[&] { return reply_of(2, 1); }, "2 tensors and said of 1 whether"},
      {[&] { return reply_of(2, 3); }, "2 tensors and said of 3 whether"},
      {[&] {
         Payload reply = reply_of(2, 2);
         reply.tensors[1].tensor = Tensor();
         return reply;
       },
       "no tensor for '"},
      {[&] {
         Payload reply = reply_of(2, 2);
         reply.header = "\xff";
         return reply;
       },
       "the RecvTensorsResponse is malformed"},
      {[] {
         // This reply has two TensorProtos, the second one of dtype 99.
         return *SplitPayload(
             ReceivedMessage(
                 absl::string_view("\x0a\x02\x08\x01\x0a\x02\x08\x63", 8))
                 .Take(),
             methods::kRecvTensors.response);
       },
       ""}};
  std::vector<std::vector<std::string>> bundles;
  for (size_t i = 0; i < cases.size(); ++i) {
    bundles.push_back({absl::StrCat("first_", i), absl::StrCat("second_", i)});
  }
  bundles.push_back({"good", "dead"});
  UseBundles(bundles);
  for (size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE(cases[i].why);
    ps_.bundle_answer = [&] { return cases[i].reply(); };
    const ReceivedTensor first = RecvOf(bundles[i][0]);
    const ReceivedTensor second = RecvOf(bundles[i][1]);
    for (const ReceivedTensor& received : {first, second}) {
      ASSERT_EQ(received.calls(), 1);
      EXPECT_EQ(received.status().code(), absl::StatusCode::kInvalidArgument)
          << received.status();
      EXPECT_THAT(
          std::string(received.status().message()),
          AllOf(HasSubstr(absl::StrCat("task ", kPs, " answered RecvTensors")),
                HasSubstr(absl::StrCat("'first_", i, "' and 1 more")),
                HasSubstr(cases[i].why)));
      EXPECT_FALSE(IsDerived(received.status()));
    }
  }
  // A reply needs no value for a dead tensor.
  ps_.bundle_answer = [] {
    SentTensors sent(2);
    sent[0].tensor = Tensor::Scalar<int>(5);
    sent[1].is_dead = true;
    Payload reply = EncodeRecvResponse(RecvForm::kList, std::move(sent));
    reply.tensors[1].tensor = Tensor();
    return reply;
  };
  const ReceivedTensor good = RecvOf("good"), dead = RecvOf("dead");
  ASSERT_TRUE(good.status().ok()) << good.status();
  EXPECT_EQ(good.tensor().scalar<int>(), 5);
  EXPECT_TRUE(dead.status().ok()) << dead.status();
  EXPECT_TRUE(dead.is_dead());
}

TEST_F(BundleTest, EachPullIsRecorded) {
  const auto recorder = std::make_shared<StepStatsRecorder>();
  UseBundles({{"edge_1_w", "edge_2_b"}, {"edge_3_x", "edge_4_y"}},
             {.recorder = recorder});
  const ReceivedTensor w = RecvOf("edge_1_w"), b = RecvOf("edge_2_b");
  SendOf("edge_1_w", Tensor::Vector<float>({1, 2, 3}));
  SendOf("edge_2_b", Tensor(), /*is_dead=*/true);
  EXPECT_EQ(w.tensor().num_elements(), 3);
  EXPECT_TRUE(b.is_dead());
  // A pull that fails must not be recorded.
  ps_.bundle_answer = [] { return absl::InternalError("bad op"); };
  EXPECT_EQ(RecvOf("edge_3_x").calls(), 0);
  EXPECT_FALSE(RecvOf("edge_4_y").status().ok());
  pb::StepStats stats;
  recorder->Export(stats);
  ASSERT_EQ(stats.dev_stats_size(), 1);
  EXPECT_EQ(stats.dev_stats(0).device(), worker_.device().name());
  ASSERT_EQ(stats.dev_stats(0).node_stats_size(), 2);
  const auto& nodes = stats.dev_stats(0).node_stats();
  const std::string ends = absl::StrCat(" from ", ps_.device().name(), " to ",
                                        worker_.device().name());
  EXPECT_THAT(nodes[0].timeline_label(),
              AllOf(HasSubstr("[12B]"), HasSubstr("edge_1_w" + ends)));
  EXPECT_THAT(nodes[1].timeline_label(),
              AllOf(HasSubstr("[0B]"), HasSubstr("edge_2_b" + ends)));
  for (const pb::NodeExecStats& node : nodes) {
    EXPECT_EQ(node.node_name(), "RecvTensor");
  }
}

TEST_F(BundleTest, TakesTheMemoryOfTheSession) {
  constexpr int64_t kBytes = 2000;
  ps_.is_remote = true;
  for (const int i : {0, 1}) {
    for (const char* tensor : {"a", "b"}) {
      SendOf(absl::StrCat(tensor, i),
             Tensor::Filled<float>(Shape{kBytes / 4}, 1));
    }
  }
  const auto use = [this](int64_t limit_bytes) {
    auto session = std::make_shared<const SessionDevices>(
        *worker_.devices, "session 1a2b", limit_bytes);
    UseBundles({{"a0", "b0"}, {"a1", "b1"}}, {.devices = session});
    return session;
  };
  // With this limit, only one of the bundle's two tensors fits.
  const auto small = use(kBytes * 3 / 2);
  const ReceivedTensor a0 = RecvOf("a0"), b0 = RecvOf("b0");
  for (const ReceivedTensor& received : {a0, b0}) {
    EXPECT_EQ(received.calls(), 1);
    EXPECT_EQ(received.status().code(), absl::StatusCode::kResourceExhausted);
    EXPECT_THAT(std::string(received.status().message()),
                HasSubstr("of session 1a2b"));
  }
  EXPECT_EQ(small->live_bytes(), 0);
  const auto large = use(10 * kBytes);
  {
    const ReceivedTensor a1 = RecvOf("a1"), b1 = RecvOf("b1");
    EXPECT_TRUE(a1.status().ok()) << a1.status();
    EXPECT_TRUE(b1.status().ok()) << b1.status();
    EXPECT_GE(large->live_bytes(), 2 * kBytes);
  }
  EXPECT_EQ(large->live_bytes(), 0);
}

}  // namespace
}  // namespace leat::testing::rendezvous
