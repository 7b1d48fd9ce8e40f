// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/exchange/chunked_receive.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/devices/accounted_allocator.h"
#include "leat/core/threads/mutex.h"
#include "leat/distributed/wire/wire.h"
#include "leat/tests/distributed/received_message.h"
#include "leat/tests/testing/eventually.h"
#include "leat/tests/testing/held_queue.h"
#include "leat/tests/testing/simulated_clock.h"
#include "leat/tests/testing/test_service.h"

namespace leat::chunked_receive_test {
namespace {

using testing::Eventually;
using ::testing::HasSubstr;
using testing::ReceivedMessage;

constexpr int64_t kChunk = 4096;

// Counts its allocations. After a call of Fail, Allocate returns no memory.
class CountingAllocator final : public Allocator {
 public:
  BufferRef Allocate(size_t bytes) override {
    ++calls_;
    return fails_ ? nullptr : HostAllocator().Allocate(bytes);
  }
  absl::string_view name() const override { return "counting"; }
  int calls() const { return calls_; }
  void Fail() { fails_ = true; }

 private:
  std::atomic<int> calls_{0};
  std::atomic<bool> fails_{false};
};

// Encodes a payload and splits the bytes again. The result is what a transport
// between processes gives to its receiver.
Payload Received(Payload sent, TensorField field) {
  const auto segments = *EncodePayload(std::move(sent), field);
  std::string bytes;
  for (const Segment& segment : segments) {
    bytes += segment.bytes;
    if (!segment.tensor.IsValid()) continue;
    bytes.append(segment.tensor.raw_data(),
                 static_cast<size_t>(segment.tensor.num_bytes()));
  }
  return *SplitPayload(ReceivedMessage(bytes).Take(), field);
}

// Holds the tensors of a received message. `live` is the number of
// CountedTensors that exist.
class CountedTensors final : public PendingTensors {
 public:
  CountedTensors(std::unique_ptr<PendingTensors> received,
                 std::atomic<int>& live)
      : received_(std::move(received)), live_(live) {
    ++live_;
  }
  ~CountedTensors() override { --live_; }

  int64_t bytes() const override { return received_->bytes(); }
  bool IsQuick() const override { return bytes() <= kMaxInlineBytes; }
  absl::StatusOr<WireTensors> Decode(Allocator& allocator,
                                     const VariantDecoders* variants,
                                     int64_t max_bytes) override {
    return received_->Decode(allocator, variants, max_bytes);
  }

 private:
  const std::unique_ptr<PendingTensors> received_;
  std::atomic<int>& live_;
};

class ChunkedReceiveTest : public ::testing::Test {
 protected:
  ChunkedReceiveTest() { Send(5 * kChunk / 4 + 25, kChunk); }

  // Makes a tensor of `elements` floats for the receive, and the Transfer that
  // describes it.
  void Send(int64_t elements, int64_t chunk_bytes) {
    sent_ = Tensor::Filled<float>(Shape({elements}), 0);
    for (int64_t i = 0; i < elements; ++i) {
      sent_.mutable_data<float>()[static_cast<size_t>(i)] =
          static_cast<float>(i);
    }
    transfer_ = {.id = 5,
                 .total_bytes = sent_.num_bytes(),
                 .chunk_bytes = chunk_bytes,
                 .dtype = sent_.dtype(),
                 .shape = sent_.shape()};
  }
  // From now on, closures for the compute threads wait in the returned queue
  // until the test runs them.
  testing::HeldQueue& HoldCompute() {
    auto held = std::make_unique<testing::HeldQueue>();
    testing::HeldQueue& queue = *held;
    queue_ = std::move(held);
    return queue;
  }

  Tensor Chunk(int64_t offset, int64_t length) const {
    Tensor chunk = Tensor::Filled<uint8_t>(Shape({length}), 0);
    std::memcpy(chunk.mutable_raw_data(), sent_.raw_data() + offset,
                static_cast<size_t>(length));
    return chunk;
  }
  Payload Answer(Tensor chunk) {
    Payload answer = EncodeFetchChunkResponse(std::move(chunk));
    if (!is_received_) return answer;
    answer = Received(std::move(answer), methods::kFetchChunk.response);
    answer.pending = std::make_unique<CountedTensors>(std::move(answer.pending),
                                                      num_waiting_);
    return answer;
  }

  void Start(int in_flight = 2) {
    ChunkedReceive::Options options;
    options.transfer = transfer_;
    options.step_id = 9;
    options.in_flight = in_flight;
    options.allocator = &accounted_;
    options.compute = queue_.get();
    options.fetch = [this](const Payload& request, Reply reply) {
      {
        MutexLock lock(mutex_);
        calls_.push_back(
            {*DecodeFetchChunkRequest(request.header), std::move(reply)});
      }
      if (on_fetch_ != nullptr) on_fetch_();
    };
    options.explain = [](const absl::Status& why) {
      return absl::Status(why.code(),
                          absl::StrCat("explained: ", why.message()));
    };
    ChunkedReceive::Start(std::move(options),
                          Answer(Chunk(0, transfer_.chunk_bytes)),
                          [this](absl::StatusOr<Tensor> tensor) {
                            MutexLock lock(mutex_);
                            ++num_results_;
                            bytes_at_end_ = account_->live_bytes();
                            result_ = std::move(tensor);
                          });
  }
  // Starts the receive, and waits until it has asked for `in_flight` chunks. By
  // then the first chunk has been copied.
  void StartAndWait(int in_flight) {
    Start(in_flight);
    EXPECT_TRUE(Eventually(
        [&] { return num_calls() == static_cast<size_t>(in_flight); }));
  }

  struct Fetch {
    FetchChunkRequest request = {};
    Reply reply = {};
  };
  // Takes the oldest call that has no answer, or the newest one if `last` is
  // true. Fails the test if all calls have an answer.
  Fetch TakeCall(bool last = false) {
    MutexLock lock(mutex_);
    if (calls_.empty()) {
      ADD_FAILURE() << "no call";
      return {.reply = [](const absl::StatusOr<Payload>&) {}};
    }
    Fetch call = std::move(last ? calls_.back() : calls_.front());
    last ? calls_.pop_back() : calls_.pop_front();
    return call;
  }
  size_t num_calls() {
    MutexLock lock(mutex_);
    return calls_.size();
  }
  int num_results() {
    MutexLock lock(mutex_);
    return num_results_;
  }
  // Answers calls with the right chunks until no call is left. The answers make
  // the receive ask for further chunks, and these calls are answered too.
  void AnswerAll(bool last_first = false) {
    while (num_calls() > 0) {
      Fetch call = TakeCall(last_first);
      EXPECT_EQ(call.request.step_id, 9);
      EXPECT_EQ(call.request.id, 5u);
      std::move(call.reply)(
          Answer(Chunk(call.request.offset, call.request.length)));
    }
  }
  absl::StatusOr<Tensor> Result() {
    EXPECT_TRUE(Eventually([this] { return num_results() > 0; }));
    MutexLock lock(mutex_);
    EXPECT_EQ(num_results_, 1);
    return result_;
  }
  // Answers the call for the second chunk with `answer`. Returns the error of
  // the receive.
  absl::Status ErrorOf(absl::StatusOr<Payload> answer) {
    Start();
    Fetch call = TakeCall();
    std::move(call.reply)(std::move(answer));
    const absl::Status status = Result().status();
    AnswerAll();
    EXPECT_EQ(num_results(), 1);
    MutexLock lock(mutex_);
    num_results_ = 0;
    return status;
  }

  testing::SimulatedClock clock_;
  Tensor sent_;
  Transfer transfer_;
  bool is_received_ = true;
  std::atomic<int> num_waiting_{0};  // chunks that wait to be copied
  CountingAllocator allocator_;
  const std::shared_ptr<MemoryAccount> account_ =
      std::make_shared<MemoryAccount>("the test", INT64_MAX);
  AccountedAllocator accounted_{allocator_, account_};
  std::function<void()> on_fetch_;
  Mutex mutex_;
  std::deque<Fetch> calls_ ABSL_GUARDED_BY(mutex_);
  int num_results_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t bytes_at_end_ ABSL_GUARDED_BY(mutex_) = -1;
  absl::StatusOr<Tensor> result_ ABSL_GUARDED_BY(mutex_) =
      absl::UnknownError("none");
  std::unique_ptr<WorkQueue> queue_ = NewThreadPool("test", 2);
};

// The allocator may belong to a session that is destroyed as soon as `done` was
// called. So the receive must not use the allocator after it calls `done`.
TEST_F(ChunkedReceiveTest, UsesNothingBorrowedBehindItsEnd) {
  testing::HeldQueue& queue = HoldCompute();
  Start();
  std::move(TakeCall().reply)(absl::UnavailableError("gone"));
  EXPECT_EQ(num_results(), 0);
  queue.RunOne();
  EXPECT_EQ(Result().status().message(), "gone");
  EXPECT_EQ(allocator_.calls(), 0);
  AnswerAll();
  EXPECT_EQ(queue.size(), 0u);
}

// The transport may be destroyed as soon as `done` was called. So the receive
// must not make a call after it calls `done`.
TEST_F(ChunkedReceiveTest, HasNotEndedWhileItAsks) {
  // The chunks are so large that compute threads copy them.
  Send(3 * 2 * kMaxInlineBytes / 4, 2 * kMaxInlineBytes);
  testing::HeldQueue& queue = HoldCompute();
  Start(2);
  ASSERT_EQ(num_calls(), 1u);
  queue.RunOne();  // makes the tensor
  ASSERT_EQ(queue.size(), 1u);
  int num_asked = 0;
  on_fetch_ = [&] {
    ++num_asked;
    std::move(TakeCall().reply)(absl::UnavailableError("gone"));
    EXPECT_EQ(num_results(), 0);
  };
  queue.RunOne();  // copies the first chunk and asks for another
  EXPECT_EQ(num_asked, 1);
  EXPECT_EQ(num_results(), 1);
  EXPECT_EQ(Result().status().message(), "gone");
  AnswerAll();
  EXPECT_EQ(num_asked, 1);
}

TEST_F(ChunkedReceiveTest, LeavesNoMemoryBehindAFailure) {
  StartAndWait(3);
  EXPECT_EQ(account_->live_bytes(), sent_.num_bytes());
  std::move(TakeCall().reply)(absl::UnavailableError("gone"));
  EXPECT_EQ(Result().status().message(), "gone");
  {
    MutexLock lock(mutex_);
    EXPECT_EQ(bytes_at_end_, 0);
  }
  EXPECT_EQ(num_calls(), 2u);  // Both calls are still under way.
  AnswerAll();
}

TEST_F(ChunkedReceiveTest, HasNoMoreChunksThanItMayWhileNobodyCopies) {
  constexpr int kInFlight = 3;
  // Chunks of the first size are so small that any thread copies them. Chunks
  // of the second size are copied by compute threads only.
  for (const int64_t chunk_bytes : {kChunk, 2 * kMaxInlineBytes}) {
    SCOPED_TRACE(chunk_bytes);
    {
      MutexLock lock(mutex_);
      num_results_ = 0;
    }
    Send(9 * chunk_bytes / 4 + 1, chunk_bytes);
    testing::HeldQueue& queue = HoldCompute();
    Start(kInFlight);
    EXPECT_EQ(num_calls(), 2u);  // The first chunk has arrived.
    AnswerAll();
    EXPECT_EQ(num_waiting_, kInFlight);
    int most = 0;
    while (queue.size() > 0) {
      queue.RunOne();
      most = std::max(most, num_waiting_ + static_cast<int>(num_calls()));
      AnswerAll();
      most = std::max<int>(most, num_waiting_);
    }
    // `most` is the largest number of chunks that were asked for but not copied
    // yet. This number has reached the limit, but has not exceeded it.
    EXPECT_EQ(most, kInFlight);
    EXPECT_EQ(num_waiting_, 0);
    const auto received = Result();
    ASSERT_TRUE(received.ok()) << received.status();
    EXPECT_TRUE(Identical(*received, sent_));
  }
}

TEST_F(ChunkedReceiveTest, KeepsNothingThatIsMuchLargerThanAChunk) {
  testing::HeldQueue& queue = HoldCompute();
  Start();
  std::move(TakeCall().reply)(
      Answer(Tensor::Filled<uint8_t>(Shape({1 << 20}), 1)));
  EXPECT_EQ(num_waiting_, 0);
  while (queue.size() > 0) queue.RunOne();
  const absl::Status status = Result().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("bytes for a chunk of 4096"));
}

TEST_F(ChunkedReceiveTest, PutsChunksInTheirPlacesInWhateverOrderTheyCome) {
  for (const bool last_first : {false, true}) {
    for (const bool is_received : {false, true}) {
      is_received_ = is_received;
      {
        MutexLock lock(mutex_);
        num_results_ = 0;
      }
      const int before = allocator_.calls();
      StartAndWait(2);
      AnswerAll(last_first);
      const auto received = Result();
      ASSERT_TRUE(received.ok()) << received.status();
      EXPECT_TRUE(Identical(*received, sent_));
      // The receive allocates memory once, for the whole tensor. It allocates
      // none for the chunks.
      EXPECT_EQ(allocator_.calls(), before + 1);
    }
  }
}

TEST_F(ChunkedReceiveTest, HandsOutATensorThatNobodyElseHas) {
  StartAndWait(1);
  AnswerAll();
  Result().IgnoreError();
  absl::StatusOr<Tensor> received = absl::UnknownError("");
  {
    MutexLock lock(mutex_);
    received = std::move(result_);
    result_ = absl::UnknownError("none");
  }
  ASSERT_TRUE(received.ok());
  // In the end, only `received` holds the tensor's buffer. So a receiver may
  // change the tensor in place.
  EXPECT_TRUE(Eventually([&] { return received->IsUnique(); }));
}

TEST_F(ChunkedReceiveTest, EndsWithTheErrorOfACall) {
  const absl::Status lost = absl::UnavailableError("the peer is gone");
  EXPECT_EQ(ErrorOf(lost), lost);
}

TEST_F(ChunkedReceiveTest, RefusesWhatIsNoChunk) {
  const auto expect_refused = [this](absl::string_view why, Payload answer) {
    const absl::Status status = ErrorOf(std::move(answer));
    EXPECT_TRUE(absl::IsInvalidArgument(status) ||
                absl::IsResourceExhausted(status))
        << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("explained: "));
    EXPECT_THAT(std::string(status.message()), HasSubstr(why));
  };
  for (const bool is_received : {false, true}) {
    is_received_ = is_received;
    expect_refused("0 tensors instead of a chunk", Payload());
    expect_refused("uint8[4095] instead of a chunk of 4096 bytes",
                   Answer(Chunk(0, kChunk - 1)));
    expect_refused("uint8[4097] instead of a chunk of 4096 bytes",
                   Answer(Chunk(0, kChunk + 1)));
    expect_refused("int8[4096] instead of a chunk of 4096 bytes",
                   Answer(Tensor::Filled<int8_t>(Shape({kChunk}), 1)));
    // Every string takes some memory when it is parsed. So it would take too
    // much memory to parse this message.
    expect_refused(
        is_received ? "takes at least" : "string[",
        Answer(Tensor::Filled<std::string>(Shape({(kChunk - 64) / 32}), "")));
    Payload two = EncodeFetchChunkResponse(Chunk(0, kChunk));
    two.tensors.push_back({.tensor = Chunk(0, kChunk)});
    if (!is_received) {
      expect_refused("2 tensors instead of a chunk", std::move(two));
    } else {
      expect_refused("",
                     Received(std::move(two), methods::kFetchChunk.response));
    }
  }
  is_received_ = true;
  // This message is much larger than a chunk, so the receive refuses it without
  // parsing it.
  expect_refused("", Answer(Tensor::Filled<uint8_t>(Shape({1 << 20}), 1)));
}

TEST_F(ChunkedReceiveTest, EndsWithoutMemory) {
  allocator_.Fail();
  Start();
  const absl::Status status = Result().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
  AnswerAll();
  EXPECT_EQ(num_results(), 1);
  EXPECT_EQ(num_calls(), 0u);  // The receive has asked for no more chunks.
}

TEST_F(ChunkedReceiveTest, GoesWhenItsRepliesAreDropped) {
  const auto kept = std::make_shared<int>(0);
  ChunkedReceive::Options options;
  options.transfer = transfer_;
  options.in_flight = 3;
  options.allocator = &allocator_;
  options.compute = queue_.get();
  options.fetch = [kept](const Payload&, const Reply&) {};
  ChunkedReceive::Start(std::move(options), Answer(Chunk(0, kChunk)),
                        [kept](const absl::StatusOr<Tensor>&) {
                          ADD_FAILURE() << "it cannot have ended";
                        });
  EXPECT_TRUE(Eventually([&] { return kept.use_count() == 1; }));
}

}  // namespace
}  // namespace leat::chunked_receive_test
