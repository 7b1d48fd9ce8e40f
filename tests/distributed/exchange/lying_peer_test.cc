// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests a parameter server that sends false descriptions of tensors. The
// receiver must not exceed its memory limits, must return an error that says
// what was wrong, and must keep nothing.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/threads/mutex.h"
#include "leat/distributed/client/remote_session.h"
#include "leat/distributed/exchange/peers.h"
#include "leat/distributed/server/server.h"
#include "leat/distributed/wire/recv_tensor.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"
#include "leat/protos/leat_worker.pb.h"
#include "leat/tests/distributed/recv_messages.h"
#include "leat/tests/distributed/scripted_task.h"
#include "leat/tests/testing/eventually.h"
#include "leat/tests/testing/in_process_network.h"
#include "leat/tests/testing/leaks.h"
#include "leat/tests/testing/simulated_clock.h"
#include "leat/tests/testing/test_service.h"

namespace leat::lying_peer_test {
namespace {

using ::leat::testing::Eventually;
using ::leat::testing::InProcessNetwork;
using ::leat::testing::RespondOne;
using ::leat::testing::ScriptedTask;
using ::leat::testing::SimulatedClock;
using ::testing::AllOf;
using ::testing::HasSubstr;
using Code = absl::StatusCode;

constexpr char kPsName[] = "/job:ps/replica:0/task:0";
constexpr char kWorkerName[] = "/job:worker/replica:0/task:0";
constexpr char kPsAddress[] = "localhost:1001";
constexpr char kWorkerAddress[] = "localhost:1002";
constexpr int64_t kMiB = int64_t{1} << 20;
constexpr int64_t kMemory = 64 * kMiB;
constexpr int kInFlight = 3;
constexpr int kTimes = 1000;

// A LyingTask is a parameter server that answers each call of a master with
// success and does nothing. It answers a receiver with a tensor of ones. The
// test sets the size and the dtype of this tensor.
class LyingTask {
 public:
  // With kRight, the task answers FetchChunk with the right chunk. With kShort,
  // the chunk lacks one byte. With kNone, the task does not answer FetchChunk.
  // With kAll, the task sends the whole tensor in one piece, so there is no
  // FetchChunk.
  enum class Chunks { kRight, kShort, kNone, kAll };

  explicit LyingTask(const std::shared_ptr<InProcessNetwork>& network)
      : task_(kPsName, kPsAddress, network, WithChunks(),
              [this](MethodTable& methods) { AddMethods(methods); }) {}
  ~LyingTask() {
    std::vector<Reply> kept;
    {
      MutexLock lock(mutex_);
      kept.swap(kept_);
    }
    for (Reply& reply : kept) {
      std::move(reply)(absl::CancelledError("the test ends"));
    }
  }

  // Sets the size in bytes and the dtype of the following tensors, and how the
  // task answers FetchChunk.
  void Say(int64_t bytes, Chunks chunks, DType dtype = DType::kFloat) {
    bytes_ = bytes;
    chunks_ = chunks;
    dtype_ = dtype;
    num_fetches_ = 0;
  }
  int num_fetches() const { return num_fetches_; }

 private:
  static pb::LeatPeer WithChunks() {
    pb::LeatPeer leat;
    leat.set_version(kLeatPeerVersion);
    leat.set_max_chunk_bytes(kMaxChunkBytes);
    return leat;
  }

  void AddMethods(MethodTable& methods) {
    methods.Add(
        methods::kRecvTensor,
        [this](const std::shared_ptr<CallContext>&, const Payload& request,
               Reply reply) { std::move(reply)(Begin(request)); });
    methods.Add(
        methods::kFetchChunk,
        [this](const std::shared_ptr<CallContext>&, const Payload& request,
               Reply reply) { Fetch(request, std::move(reply)); });
  }

  absl::StatusOr<Payload> Begin(const Payload& message) const {
    const auto request = DecodeRecvRequest(RecvForm::kOne, message.header);
    if (!request.ok()) return request.status();
    EXPECT_GT(request->wish.chunk_bytes, 0);
    if (chunks_ == Chunks::kAll) return RespondOne(All(), false);
    // The tensor has at least two chunks.
    const int64_t chunk_bytes = std::min(request->wish.chunk_bytes,
                                         std::max(bytes_ / 2, kMinChunkBytes));
    const auto element = static_cast<int64_t>(SizeOf(dtype_));
    return EncodeTransferResponse({.id = 1,
                                   .total_bytes = bytes_,
                                   .chunk_bytes = chunk_bytes,
                                   .dtype = dtype_,
                                   .shape = Shape{bytes_ / element}},
                                  Ones(chunk_bytes));
  }

  Tensor All() const {
    const int64_t bytes = bytes_;
    const DType dtype = dtype_;
    if (dtype == DType::kString) {
      return Tensor::Filled<std::string>(Shape{1}, "one");
    }
    const Tensor ones = Ones(bytes);
    return Tensor::FromBuffer(
        dtype, Shape{bytes / static_cast<int64_t>(SizeOf(dtype))},
        ones.buffer(), ones.buffer()->data());
  }

  void Fetch(const Payload& message, Reply reply) {
    ++num_fetches_;
    const auto request = DecodeFetchChunkRequest(message.header);
    if (!request.ok()) return std::move(reply)(request.status());
    if (chunks_ == Chunks::kNone) {
      MutexLock lock(mutex_);
      return kept_.push_back(std::move(reply));
    }
    const int64_t missing = chunks_ == Chunks::kShort ? 1 : 0;
    std::move(reply)(EncodeFetchChunkResponse(Ones(request->length - missing)));
  }

  // Returns `bytes` bytes that are ones when they are read as floats.
  static Tensor Ones(int64_t bytes) {
    Tensor ones = Tensor::Filled<float>(Shape{bytes / 4 + 1}, 1.0f);
    return Tensor::FromBuffer(DType::kUint8, Shape{bytes}, ones.buffer(),
                              ones.mutable_raw_data());
  }

  std::atomic<int64_t> bytes_{0};
  std::atomic<Chunks> chunks_{Chunks::kRight};
  std::atomic<DType> dtype_{DType::kFloat};
  std::atomic<int> num_fetches_{0};
  Mutex mutex_;
  std::vector<Reply> kept_ ABSL_GUARDED_BY(mutex_);
  ScriptedTask task_;  // destroyed first, because it uses the fields above
};

using Chunks = LyingTask::Chunks;

class LyingPeerTest : public ::testing::Test {
 protected:
  void StartWorker(const ServerLimits& limits, int64_t cpu_memory_bytes = 0) {
    const auto cluster = *ClusterSpec::Create(
        {{"ps", {{0, kPsAddress}}}, {"worker", {{0, kWorkerAddress}}}});
    auto worker = Server::Start(
        {.config = {.cluster = cluster, .task = {"worker", 0}},
         .devices = {.num_threads = 2, .cpu_memory_bytes = cpu_memory_bytes},
         .limits = limits,
         .chunks = {.inline_bytes = kMiB,
                    .chunk_bytes = kMiB,
                    .in_flight = kInFlight},
         .transport = "in-process",
         .transports = &network_->transports()});
    ASSERT_TRUE(worker.ok()) << worker.status();
    worker_ = *std::move(worker);
    {
      const auto ps = b_.OnDevice("/job:ps/task:0");
      weight_ = b_.Variable("weight", b_.Const(Tensor::Vector<float>({1, 1})))
                    .value();
    }
    const auto worker_device = b_.OnDevice("/job:worker/task:0");
    sum_ = op::Sum(weight_, b_.Const(Tensor::Vector<int32_t>({0})));
    other_ = op::Neg(b_.Placeholder<float>("x", Shape{}));
    graph_ = b_.Build().value();
    session_ = NewSession();
    other_session_ = NewSession();
  }
  void TearDown() override {
    // The other session still works.
    const auto out = other_session_->Run(
        {.feeds = {{"x:0", Tensor::Scalar(2.0f)}}, .fetches = {other_}});
    EXPECT_TRUE(out.ok()) << out.status();
    EXPECT_EQ(session_->Close(), absl::OkStatus());
    EXPECT_EQ(other_session_->Close(), absl::OkStatus());
    EXPECT_EQ(testing::LeaksOf(*worker_), "");
  }
  void ExpectToReceive(int64_t bytes) {
    ps_.Say(bytes, Chunks::kRight);
    const auto sum = Receive();
    ASSERT_TRUE(sum.ok()) << sum.status();
    EXPECT_EQ(*sum, static_cast<float>(bytes / 4));
  }
  // Waits until the worker runs no part of the failed steps any more.
  void WaitUntilIdle() {
    EXPECT_TRUE(
        Eventually([this] { return worker_->counters().running == 0; }));
  }

  // Runs a step in which the worker receives a tensor of ones. Returns the sum
  // of the ones, which is the number of floats in the tensor.
  absl::StatusOr<float> Receive(
      std::chrono::milliseconds timeout = std::chrono::minutes(1)) {
    auto out =
        session_->Run({.fetches = {sum_}, .options = {.timeout = timeout}});
    if (!out.ok()) return out.status();
    return (*out)[0].scalar<float>();
  }

  SimulatedClock clock_;
  const std::shared_ptr<InProcessNetwork> network_ =
      std::make_shared<InProcessNetwork>(2, clock_);
  LyingTask ps_{network_};

 private:
  std::shared_ptr<Session> NewSession() {
    auto session =
        NewRemoteSession(graph_, absl::StrCat("in-process://", kWorkerAddress),
                         {.transports = &network_->transports()});
    EXPECT_TRUE(session.ok()) << session.status();
    return session.ok() ? *std::move(session) : nullptr;
  }

  std::unique_ptr<Server> worker_;
  GraphBuilder b_;
  Output weight_, sum_, other_;
  Graph graph_{BuiltinOps()};
  std::shared_ptr<Session> session_;
  std::shared_ptr<Session> other_session_;
};

TEST_F(LyingPeerTest, TensorsAboveTheLimitOfMessagesAreRefused) {
  StartWorker({.max_message_bytes = kMemory});
  for (const int64_t bytes : {kMemory + 4, 10'000 * kMiB, int64_t{1} << 62}) {
    ps_.Say(bytes, Chunks::kRight);
    const absl::Status status = Receive().status();
    EXPECT_EQ(status.code(), Code::kResourceExhausted) << status;
    EXPECT_THAT(std::string(status.message()),
                AllOf(HasSubstr(kPsName), HasSubstr("weight"),
                      HasSubstr(absl::StrCat(bytes, " bytes")),
                      HasSubstr(absl::StrCat("the limit of ", kMemory,
                                             " (--max-message-bytes)"))));
    EXPECT_EQ(ps_.num_fetches(), 0);
  }
  ExpectToReceive(kMemory / 2);
}

TEST_F(LyingPeerTest, TensorsThatASessionHasNoRoomForAreRefused) {
  StartWorker({.max_session_bytes = kMemory});
  ps_.Say(kMemory + 4, Chunks::kRight);
  const absl::Status status = Receive().status();
  EXPECT_EQ(status.code(), Code::kResourceExhausted) << status;
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr(kPsName), HasSubstr("weight"),
                    HasSubstr(absl::StrCat(kMemory + 4, " bytes")),
                    HasSubstr("of session")));
  // The receiver may have asked for some chunks before the session refused the
  // memory.
  EXPECT_LT(ps_.num_fetches(), kInFlight);
  ExpectToReceive(kMemory / 2);
}

TEST_F(LyingPeerTest, TensorsThatADeviceHasNoRoomForAreRefused) {
  StartWorker({}, /*cpu_memory_bytes=*/kMemory);
  ps_.Say(1024 * kMiB, Chunks::kRight);
  const absl::Status status = Receive().status();
  EXPECT_EQ(status.code(), Code::kResourceExhausted) << status;
  EXPECT_THAT(
      std::string(status.message()),
      AllOf(HasSubstr("weight"), HasSubstr(absl::StrCat(1024 * kMiB, " bytes")),
            HasSubstr("by allocator CPU:0")));
  EXPECT_LT(ps_.num_fetches(), kInFlight);
  ExpectToReceive(kMemory / 2);
}

// The memory of a tensor that never arrives stays reserved until the step ends.
// Then it is freed.
TEST_F(LyingPeerTest, MemoryForWhatNeverComesIsGivenBack) {
  constexpr int64_t kMost = kMemory / 4 * 3;
  StartWorker({.max_session_bytes = kMemory});
  ExpectToReceive(2 * kMiB);
  int num_fetches = 0;
  for (int i = 0; i < 5; ++i) {
    ps_.Say(kMost, Chunks::kNone);
    const absl::Status status =
        Receive(std::chrono::milliseconds(200)).status();
    EXPECT_EQ(status.code(), Code::kDeadlineExceeded) << status;
    num_fetches += ps_.num_fetches();
    WaitUntilIdle();
  }
  EXPECT_GT(num_fetches, 0);
  ExpectToReceive(kMost);
}

TEST_F(LyingPeerTest, ChunksOfAnotherLengthAreRefused) {
  StartWorker({});
  ps_.Say(kMemory, Chunks::kShort);
  const absl::Status status = Receive().status();
  EXPECT_EQ(status.code(), Code::kInvalidArgument) << status;
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr(kPsName), HasSubstr("weight"),
                    HasSubstr(absl::StrCat("uint8[", kMiB - 1, "]"))));
}

TEST_F(LyingPeerTest, TensorsOfAnotherTypeAreRefused) {
  // Together, the tensors that arrive in chunks are larger than the limit of
  // the session. So the test fails if refused tensors are not freed.
  constexpr int64_t kBytes = 16 << 10;
  constexpr int64_t kSessionBytes = 4 * kMiB;
  static_assert(kTimes / 2 * kBytes > kSessionBytes);
  StartWorker({.max_session_bytes = kSessionBytes});
  const auto expect_refused = [this](DType dtype, Chunks chunks) {
    ps_.Say(kBytes, chunks, dtype);
    const absl::Status status = Receive().status();
    ASSERT_EQ(status.code(), Code::kInvalidArgument) << status;
    ASSERT_THAT(
        std::string(status.message()),
        AllOf(HasSubstr(absl::StrCat("received a tensor of type ", Name(dtype),
                                     ", but it expects float")),
              HasSubstr(absl::StrCat(kWorkerName, "/device:CPU:0")),
              HasSubstr("[[{{node weight")));
    // The tensor has two chunks. The first chunk comes with the description of
    // the transfer. With kRight, the receiver has fetched the second chunk.
    ASSERT_EQ(ps_.num_fetches(), chunks == Chunks::kRight ? 1 : 0);
  };
  const std::vector<DType> types = {DType::kInt32, DType::kUint8,
                                    DType::kDouble, DType::kHalf};
  for (int i = 0; i < kTimes && !HasFatalFailure(); ++i) {
    expect_refused(types[static_cast<size_t>(i / 2) % types.size()],
                   i % 2 == 0 ? Chunks::kRight : Chunks::kAll);
  }
  expect_refused(DType::kString, Chunks::kAll);
  WaitUntilIdle();
  ExpectToReceive(2 * kMiB);
}

}  // namespace
}  // namespace leat::lying_peer_test
