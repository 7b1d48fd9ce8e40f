// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests large tensors between tasks, over every transport. The tensors must
// arrive whole, in the expected number of chunks, and nothing of them may be
// left when their step ends. One file of a test program includes this file and
// instantiates ChunkTest with names of transports.
#ifndef LEAT_TESTS_TESTING_CHUNK_SUITE_H_
#define LEAT_TESTS_TESTING_CHUNK_SUITE_H_

#include <algorithm>
#include <atomic>
#include <complex>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/devices/rendezvous.h"
#include "leat/core/float16.h"
#include "leat/core/status_payloads.h"
#include "leat/core/threads/thread.h"
#include "leat/distributed/exchange/peers.h"
#include "leat/distributed/exchange/step_outbox.h"
#include "leat/distributed/exchange/step_table.h"
#include "leat/distributed/exchange/tensor_receiver.h"
#include "leat/distributed/wire/recv_tensor.h"
#include "leat/distributed/worker/worker.h"
#include "leat/protos/leat_worker.pb.h"
#include "leat/runtime/local_session.h"
#include "leat/tests/distributed/received_tensor.h"
#include "leat/tests/distributed/recv_messages.h"
#include "leat/tests/testing/busy_threads.h"
#include "leat/tests/testing/eventually.h"
#include "leat/tests/testing/in_process_network.h"
#include "leat/tests/testing/simulated_clock.h"
#include "leat/tests/testing/test_service.h"

namespace leat::testing {

using ::testing::AllOf;
using ::testing::HasSubstr;

// A ChunkTask is a task of a cluster with a worker and no master. It counts the
// calls that it gets and can hold back calls of FetchChunk. It is thread-safe.
// A ChunkTask owns its devices, tables, transport and threads.
class ChunkTask {
 public:
  // `transports` is borrowed and has a transport named `transport`.
  // `max_message_bytes` limits what the task receives, chunked tensors
  // included.
  struct Options {
    std::string transport = {};
    const TransportRegistry* transports = nullptr;
    TaskId id = {};
    ClusterSpec cluster;
    ChunkOptions chunks = {};
    int64_t max_message_bytes = INT32_MAX;
  };

  explicit ChunkTask(const Options& options) : name_(options.id.ToString()) {
    devices_ =
        DeviceSet::Create({.task = name_, .num_cpus = 1, .num_threads = 2})
            .value();
    transport_ = options.transports->Create(options.transport).value();
    peers_ = std::make_unique<Peers>(options.cluster, *transport_);
    receiver_ = std::make_unique<TensorReceiver>(
        *peers_, devices_->compute_queue(), &BuiltinOps().variants(),
        options.max_message_bytes, options.chunks);
    timers_ = std::make_unique<TimerQueue>("test-timers", TestClock());
    blocking_ = NewThreadPool("test-blocking", 1);
    steps_ = std::make_unique<StepTable>(
        name_, ServerLimits(), *timers_, [this](int64_t step_id) {
          return std::make_shared<StepOutbox>(step_id, *devices_, 1000);
        });
    WorkerEnvironment environment;
    environment.task = name_;
    environment.devices = devices_.get();
    environment.ops = &BuiltinOps();
    environment.kernels = &BuiltinKernels();
    environment.steps = steps_.get();
    environment.peers = peers_.get();
    environment.receiver = receiver_.get();
    environment.timers = timers_.get();
    environment.blocking = blocking_.get();
    worker_ = std::make_unique<Worker>(std::move(environment));
    worker_->AddMethods(methods_);
    Count(methods::kGetStatus);
    Count(methods::kRecvTensor);
    Count(methods::kFetchChunk);
    listener_ = transport_->Listen("127.0.0.1:0", methods_).value();
  }

  const std::string& name() const { return name_; }
  const std::string& address() const { return listener_->address(); }
  const Device& device() const { return *devices_->devices()[0]; }
  WorkQueue& compute_queue() { return devices_->compute_queue(); }
  Peers& peers() { return *peers_; }
  TensorReceiver& receiver() { return *receiver_; }
  StepTable& steps() { return *steps_; }
  Transport& transport() { return *transport_; }
  Listener& listener() { return *listener_; }

  // Begins a step on this task and returns its outbox.
  std::shared_ptr<StepOutbox> Begin(int64_t step_id) {
    return steps_->Begin(step_id, "session", this, [](const absl::Status&) {})
        .value();
  }

  // Returns how many calls of `method` (GetStatus, RecvTensor or FetchChunk)
  // the task has received so far, including calls that are held.
  int calls(const Method& method) const {
    MutexLock lock(mutex_);
    const auto found = calls_.find(method.path);
    return found == calls_.end() ? 0 : found->second;
  }

  // Holds calls of FetchChunk from now on, until Release.
  void HoldChunks() {
    MutexLock lock(mutex_);
    holds_chunks_ = true;
  }
  // Returns the number of calls of FetchChunk that are held.
  size_t num_held() const {
    MutexLock lock(mutex_);
    return held_.size();
  }
  // Runs the held calls on the calling thread. Holds no further calls.
  void Release() {
    std::vector<absl::AnyInvocable<void() &&>> held;
    {
      MutexLock lock(mutex_);
      holds_chunks_ = false;
      held.swap(held_);
    }
    for (auto& call : held) std::move(call)();
  }

 private:
  // Wraps the handler of `method` with a function that counts the calls and
  // holds calls of FetchChunk.
  void Count(const Method& method) {
    methods_.Wrap(method, [this, &method](Handler handler) {
      const bool is_chunk =
          absl::string_view(method.path) == methods::kFetchChunk.path;
      return [this, path = std::string(method.path), is_chunk,
              handler = std::make_shared<Handler>(std::move(handler))](
                 std::shared_ptr<CallContext> context, Payload request,
                 Reply reply) {
        {
          MutexLock lock(mutex_);
          ++calls_[path];
          if (is_chunk && holds_chunks_) {
            held_.push_back([handler, context = std::move(context),
                             request = std::move(request),
                             reply = std::move(reply)]() mutable {
              (*handler)(std::move(context), std::move(request),
                         std::move(reply));
            });
            return;
          }
        }
        (*handler)(std::move(context), std::move(request), std::move(reply));
      };
    });
  }

  const std::string name_;
  mutable Mutex mutex_;
  std::map<std::string, int> calls_ ABSL_GUARDED_BY(mutex_);
  bool holds_chunks_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<absl::AnyInvocable<void() &&>> held_ ABSL_GUARDED_BY(mutex_);

  // The members have the order that they have in a server (server.cc).
  std::unique_ptr<Peers> peers_;
  std::unique_ptr<TensorReceiver> receiver_;
  std::unique_ptr<DeviceSet> devices_;
  std::unique_ptr<TimerQueue> timers_;
  std::unique_ptr<WorkQueue> blocking_;
  std::unique_ptr<StepTable> steps_;
  std::unique_ptr<Worker> worker_;
  std::unique_ptr<Transport> transport_;
  MethodTable methods_;
  std::unique_ptr<Listener> listener_;
};

// A worker receives tensors that a parameter server (ps) sends in step kStep.
// The test's parameter is the name of the transport.
class ChunkTest : public ::testing::TestWithParam<std::string> {
 protected:
  static constexpr int64_t kChunk = 8192;
  static constexpr int64_t kInline = 20'000;  // not a multiple of kChunk
  static constexpr int64_t kStep = 77;

  ChunkTest() { MakeWorker({}); }
  void TearDown() override {
    ps_->Release();
    ps_->steps().End(kStep, absl::AbortedError("the test ends"));
    EXPECT_EQ(ps_->steps().num_steps(), 0u);
  }

  // Makes the worker, or replaces it, and makes the ps if there is none. A
  // `max_message_bytes` of 0 stands for the default.
  void MakeWorker(int64_t max_message_bytes) {
    ChunkTask::Options options = {
        .transport = GetParam(),
        .transports = GetParam() == "in-process" ? &network_->transports()
                                                 : &BuiltinTransports(),
        .id = {.job = "ps"},
        .cluster = Cluster("127.0.0.1:1", "127.0.0.1:2"),
        .chunks = {
            .inline_bytes = kInline, .chunk_bytes = kChunk, .in_flight = 3}};
    if (ps_ == nullptr) ps_ = std::make_unique<ChunkTask>(options);
    options.id = {.job = "worker"};
    options.cluster = Cluster(ps_->address(), "127.0.0.1:2");
    if (max_message_bytes > 0) options.max_message_bytes = max_message_bytes;
    worker_ = std::make_unique<ChunkTask>(options);
  }
  static ClusterSpec Cluster(const std::string& ps, const std::string& worker) {
    return *ClusterSpec::Create({{"ps", {{0, ps}}}, {"worker", {{0, worker}}}});
  }

  // Makes the worker ask the ps for its status. The answer tells the worker
  // that the ps can send chunks.
  void AskPs() {
    const CallResult asked;
    bool is_leat = false;
    worker_->peers()
        .Find(ps_->name())
        .value()
        ->GetStatus({}, [&is_leat, done = asked.Done()](
                            const absl::StatusOr<PeerStatus>& status) mutable {
          is_leat = status.ok() && status->is_leat &&
                    status->max_chunk_bytes == kMaxChunkBytes;
          std::move(done)(Payload());
        });
    ASSERT_TRUE(asked.Take().ok());
    ASSERT_TRUE(is_leat);
  }

  std::string Key(const std::string& tensor) const {
    return RendezvousKey{.send_device = ps_->device().name(),
                         .send_incarnation = ps_->device().info().incarnation,
                         .recv_device = worker_->device().name(),
                         .tensor_name = tensor}
        .ToString();
  }

  // Returns the rendezvous key of a new tensor of the step.
  std::string NewKey() { return Key(absl::StrCat("t", ++num_keys_)); }

  ReceivedTensor StartReceive(const std::string& key,
                              std::shared_ptr<Cancellation> cancellation = {}) {
    ReceivedTensor received;
    TensorReceive receive{
        .step_id = kStep,
        .keys = RecvKeys(ParsedKey(key)),
        .allocator = {std::shared_ptr<void>(), &HostAllocator()},
        .cancellation = std::move(cancellation)};
    receive.dones.push_back(received.Done());
    worker_->receiver().Receive(ps_->name(), std::move(receive));
    return received;
  }

  // Sends a tensor from the ps, receives it at the worker, and expects that the
  // ps keeps no transfer.
  ReceivedTensor Pass(const Tensor& tensor) {
    const std::string key = NewKey();
    const auto outbox = ps_->Begin(kStep);
    EXPECT_TRUE(outbox->Send(ParsedKey(key), tensor, false).ok());
    ReceivedTensor received = StartReceive(key);
    EXPECT_TRUE(received.Wait());
    EXPECT_EQ(received.calls(), 1);
    EXPECT_EQ(outbox->transfers()->size(), 0u);
    return received;
  }

  // Returns a uint8 tensor whose bytes differ from their neighbours, so that
  // the test notices a misplaced chunk.
  static Tensor Bytes(int64_t size) {
    Tensor tensor = Tensor::Filled<uint8_t>(Shape({size}), 0);
    const absl::Span<uint8_t> data = tensor.mutable_data<uint8_t>();
    for (int64_t i = 0; i < size; ++i) {
      data[static_cast<size_t>(i)] = static_cast<uint8_t>(i * 7 + (i >> 9));
    }
    return tensor;
  }

  // Calls a method of the ps. The request may be one that no honest peer makes.
  absl::StatusOr<Payload> CallPs(const Method& method, Payload request) {
    return CallNow(worker_->transport(), ps_->address(), method,
                   std::move(request));
  }
  absl::Status FetchChunk(const FetchChunkRequest& request) {
    return CallPs(methods::kFetchChunk, EncodeFetchChunkRequest(request))
        .status();
  }
  // Sends a tensor from the ps, and requests it in chunks of kChunk bytes with
  // no bytes inline. Returns the transfer that the ps has begun.
  Transfer BeginTransfer(const Tensor& tensor) {
    const std::string key = NewKey();
    EXPECT_TRUE(ps_->Begin(kStep)->Send(ParsedKey(key), tensor, false).ok());
    auto reply = CallPs(
        methods::kRecvTensor,
        RequestOne(kStep, key, 0, {.inline_bytes = 0, .chunk_bytes = kChunk}));
    EXPECT_TRUE(reply.ok()) << reply.status();
    const auto response = DecodeRecvResponse(RecvForm::kOne, reply->header);
    EXPECT_TRUE(response.ok() && response->transfer.has_value())
        << response.status();
    return *response->transfer;
  }

  // Time is simulated unless the transport has sockets.
  const std::unique_ptr<SimulatedClock> clock_ =
      GetParam() == "in-process" ? std::make_unique<SimulatedClock>() : nullptr;
  const std::shared_ptr<InProcessNetwork> network_ =
      std::make_shared<InProcessNetwork>(2, TestClock());
  std::unique_ptr<ChunkTask> ps_;
  std::unique_ptr<ChunkTask> worker_;
  int num_keys_ = 0;
};

// The sizes are close to kInline, or to sizes at which the number of chunks
// changes. Tensors larger than kInline are sent in chunks.
TEST_P(ChunkTest, ChunkedTensorsAreWhole) {
  AskPs();
  std::vector<int64_t> sizes = {1};
  for (const int64_t around :
       {kChunk, 2 * kChunk, kInline, 3 * kChunk, 4 * kChunk, 10 * kChunk}) {
    for (const int64_t more : {-1, 0, 1}) sizes.push_back(around + more);
  }
  sizes.push_back(1'000'003);
  for (const int64_t size : sizes) {
    SCOPED_TRACE(absl::StrCat(size, " bytes"));
    const Tensor sent = Bytes(size);
    const int before = ps_->calls(methods::kFetchChunk);
    {
      const ReceivedTensor received = Pass(sent);
      ASSERT_TRUE(received.status().ok()) << received.status();
      EXPECT_TRUE(Identical(received.tensor(), sent));
      EXPECT_FALSE(received.is_dead());
    }
    const int64_t pieces = size > kInline ? (size + kChunk - 1) / kChunk : 1;
    EXPECT_EQ(ps_->calls(methods::kFetchChunk) - before, pieces - 1);
    // In the end, only `sent` uses the buffer of the tensor.
    EXPECT_TRUE(Eventually([&] { return sent.IsUnique(); }));
  }
}

TEST_P(ChunkTest, ChunkedTensorsOfEveryTypeAreWhole) {
  AskPs();
  const int64_t n = 50'000;
  const std::vector<std::pair<Tensor, bool>> tensors = {
      {Tensor::Filled<float>(Shape({n}), 1.5f), true},
      {Tensor::Filled<double>(Shape({10, n / 10}), -0.0), true},
      {Tensor::Filled<half>(Shape({n, 1}), half(1.5f)), true},
      {Tensor::Filled<bfloat16>(Shape({n}), bfloat16(2.0f)), true},
      {Tensor::Filled<int8_t>(Shape({n}), -3), true},
      {Tensor::Filled<int64_t>(Shape({2, 5, n / 10}), INT64_MIN), true},
      {Tensor::Filled<std::complex<double>>(Shape({n}), {1, 2}), true},
      // Bools and strings are not sent in chunks: the receiver checks the bytes
      // of bools, and strings are not plain bytes.
      {Tensor::Filled<bool>(Shape({n}), true), false},
      {Tensor::Filled<std::string>(Shape({n}), "a string"), false},
  };
  for (const auto& [sent, is_chunked] : tensors) {
    SCOPED_TRACE(Name(sent.dtype()));
    const int before = ps_->calls(methods::kFetchChunk);
    const ReceivedTensor received = Pass(sent);
    ASSERT_TRUE(received.status().ok()) << received.status();
    EXPECT_TRUE(Identical(received.tensor(), sent));
    EXPECT_EQ(ps_->calls(methods::kFetchChunk) > before, is_chunked);
  }
}

// The first tensor arrives whole, because the receiver does not know yet
// whether the peer can send chunks. The receiver then asks for the peer's
// status, once.
TEST_P(ChunkTest, AsksFirstWhetherAPeerHasChunks) {
  const Tensor sent = Bytes(10 * kChunk);
  const ReceivedTensor whole = Pass(sent);
  EXPECT_TRUE(Identical(whole.tensor(), sent));
  EXPECT_EQ(ps_->calls(methods::kFetchChunk), 0);
  if (GetParam() == "in-process") {
    // Nothing was copied, so there is no need to ask for the peer's status.
    EXPECT_TRUE(whole.tensor().SharesBufferWith(sent));
    EXPECT_EQ(ps_->calls(methods::kGetStatus), 0);
    return;
  }
  EXPECT_TRUE(Eventually([&] {
    Pass(sent);
    return ps_->calls(methods::kFetchChunk) > 0;
  }));
  EXPECT_EQ(ps_->calls(methods::kGetStatus), 1);
}

TEST_P(ChunkTest, TransfersEndWithTheirStep) {
  const Tensor sent = Bytes(10 * kChunk);
  const Transfer transfer = BeginTransfer(sent);
  // This reference keeps the outbox beyond the end of the step, as other
  // threads may do.
  const auto outbox = ps_->steps().Find(kStep).value();
  EXPECT_EQ(outbox->transfers()->size(), 1u);
  EXPECT_FALSE(sent.IsUnique());
  const FetchChunkRequest second = {
      .step_id = kStep, .id = transfer.id, .offset = kChunk, .length = kChunk};
  EXPECT_TRUE(FetchChunk(second).ok());
  ps_->steps().End(kStep, absl::AbortedError("the step is over"));
  EXPECT_EQ(outbox->transfers()->size(), 0u);
  EXPECT_TRUE(Eventually([&] { return sent.IsUnique(); }));
  const absl::Status status = FetchChunk(second);
  EXPECT_EQ(status.code(), absl::StatusCode::kAborted) << status;
  EXPECT_TRUE(IsDerived(status));
}

// A hostile peer asks for ranges that no chunk has and for transfers and steps
// that do not exist, and sends malformed messages.
TEST_P(ChunkTest, RefusesHostileFetches) {
  const Transfer transfer = BeginTransfer(Bytes(2 * kChunk + 100));
  const FetchChunkRequest good = {
      .step_id = kStep, .id = transfer.id, .offset = kChunk, .length = kChunk};
  using Code = absl::StatusCode;
  const auto expect = [&](Code code, FetchChunkRequest request) {
    const absl::Status status = FetchChunk(request);
    EXPECT_EQ(status.code(), code)
        << request.step_id << " " << request.id << " " << request.offset << " "
        << request.length << ": " << status;
  };
  for (const int64_t offset :
       {int64_t{1}, kChunk - 1, kChunk + 1, int64_t{-1}, -kChunk, 3 * kChunk,
        INT64_MAX, INT64_MIN, INT64_MAX / kChunk * kChunk}) {
    FetchChunkRequest bad = good;
    bad.offset = offset;
    expect(Code::kInvalidArgument, bad);
  }
  for (const int64_t length : {int64_t{0}, int64_t{-1}, kChunk - 1, kChunk + 1,
                               2 * kChunk, INT64_MAX, INT64_MIN}) {
    FetchChunkRequest bad = good;
    bad.length = length;
    expect(Code::kInvalidArgument, bad);
  }
  // The last chunk of this tensor has only 100 bytes.
  expect(Code::kInvalidArgument, {.step_id = kStep,
                                  .id = transfer.id,
                                  .offset = 2 * kChunk,
                                  .length = kChunk});
  FetchChunkRequest bad = good;
  bad.id ^= 1;
  expect(Code::kNotFound, bad);
  bad = good;
  bad.step_id = kStep + 1;
  expect(Code::kNotFound, bad);
  bad.step_id = INT64_MIN;
  expect(Code::kNotFound, bad);
  EXPECT_EQ(ps_->steps().num_steps(), 1u);  // No fetch began a step.
  // `padded` is the request with an unknown field of 70,000 bytes appended.
  const std::string padded =
      EncodeFetchChunkRequest(good).header +
      absl::StrCat("\x7a\xf0\xa2\x04", std::string(70'000, 'x'));
  for (const std::string& header :
       {std::string("\xff"), std::string(5000, 0), padded}) {
    Payload payload;
    payload.header = header;
    const absl::Status status =
        CallPs(methods::kFetchChunk, std::move(payload)).status();
    EXPECT_EQ(status.code(), Code::kInvalidArgument) << status;
  }
  // The refusals have not affected the transfer. A chunk may be fetched again
  // until all have been fetched.
  expect(Code::kOk, good);
  expect(Code::kOk, good);
  expect(Code::kOk, {.step_id = kStep,
                     .id = transfer.id,
                     .offset = 2 * kChunk,
                     .length = 100});
  expect(Code::kNotFound, good);
}

// `in_flight` is 3, so the worker asks for the fourth chunk only after one of
// the first three has arrived.
TEST_P(ChunkTest, FetchesNoMoreAtATimeThanItMay) {
  AskPs();
  ps_->HoldChunks();
  const std::string key = NewKey();
  const Tensor sent = Bytes(10 * kChunk);
  ASSERT_TRUE(ps_->Begin(kStep)->Send(ParsedKey(key), sent, false).ok());
  const ReceivedTensor received = StartReceive(key);
  ASSERT_TRUE(Eventually([&] { return ps_->num_held() == 3; }));
  TestClock().Sleep(std::chrono::milliseconds(20));
  EXPECT_EQ(ps_->num_held(), 3u);
  EXPECT_EQ(received.calls(), 0);
  ps_->Release();
  ASSERT_TRUE(received.Wait());
  EXPECT_TRUE(Identical(received.tensor(), sent));
}

// Chunks that wait for a compute thread count as in flight, too.
TEST_P(ChunkTest, FetchesNoMoreThanItMayWhileComputeThreadsAreBusy) {
  AskPs();
  BusyThreads busy(worker_->compute_queue());
  const std::string key = NewKey();
  const Tensor sent = Bytes(10 * kChunk);
  ASSERT_TRUE(ps_->Begin(kStep)->Send(ParsedKey(key), sent, false).ok());
  const ReceivedTensor received = StartReceive(key);
  // The first chunk arrived with the answer to RecvTensor and waits for a
  // compute thread. `in_flight` is 3, so the worker fetches only two more
  // chunks.
  ASSERT_TRUE(
      Eventually([&] { return ps_->calls(methods::kFetchChunk) == 2; }));
  TestClock().Sleep(std::chrono::milliseconds(20));
  EXPECT_EQ(ps_->calls(methods::kFetchChunk), 2);
  EXPECT_EQ(received.calls(), 0);
  busy.End();
  ASSERT_TRUE(received.Wait());
  EXPECT_TRUE(Identical(received.tensor(), sent));
}

TEST_P(ChunkTest, ACancelledReceiveEnds) {
  AskPs();
  ps_->HoldChunks();
  const std::string key = NewKey();
  ASSERT_TRUE(
      ps_->Begin(kStep)->Send(ParsedKey(key), Bytes(10 * kChunk), false).ok());
  const auto cancellation = std::make_shared<Cancellation>();
  const ReceivedTensor received = StartReceive(key, cancellation);
  ASSERT_TRUE(Eventually([&] { return ps_->num_held() == 3; }));
  const absl::Status reason = AsDerived(absl::AbortedError("step failed"));
  cancellation->Cancel(reason);
  ASSERT_TRUE(received.Wait());
  EXPECT_EQ(received.status(), reason);
  ps_->Release();
  EXPECT_EQ(received.calls(), 1);
  EXPECT_EQ(ps_->calls(methods::kFetchChunk), 3);
}

TEST_P(ChunkTest, AnEndedStepEndsAReceive) {
  AskPs();
  ps_->HoldChunks();
  const std::string key = NewKey();
  ASSERT_TRUE(
      ps_->Begin(kStep)->Send(ParsedKey(key), Bytes(10 * kChunk), false).ok());
  const ReceivedTensor received = StartReceive(key);
  ASSERT_TRUE(Eventually([&] { return ps_->num_held() == 3; }));
  ps_->steps().End(kStep, absl::InternalError("a kernel failed"));
  ps_->Release();
  ASSERT_TRUE(received.Wait());
  EXPECT_EQ(received.status().code(), absl::StatusCode::kAborted)
      << received.status();
  EXPECT_TRUE(IsDerived(received.status()));
}

TEST_P(ChunkTest, ALostPeerEndsAReceive) {
  AskPs();
  ps_->HoldChunks();
  const std::string key = NewKey();
  ASSERT_TRUE(
      ps_->Begin(kStep)->Send(ParsedKey(key), Bytes(10 * kChunk), false).ok());
  const ReceivedTensor received = StartReceive(key);
  ASSERT_TRUE(Eventually([&] { return ps_->num_held() == 3; }));
  Thread stops("stops",
               [&] { ps_->listener().Shutdown(std::chrono::nanoseconds(0)); });
  EXPECT_TRUE(received.Wait());
  ps_->Release();
  stops.Join();
  EXPECT_EQ(received.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(received.status().message()),
              AllOf(HasSubstr(ps_->name()), HasSubstr("while receiving 't1'")));
  EXPECT_FALSE(IsDerived(received.status()));
}

TEST_P(ChunkTest, RefusesTransfersAboveTheLimitOfMessages) {
  MakeWorker(/*max_message_bytes=*/5 * kChunk);
  AskPs();
  const Tensor fits = Bytes(5 * kChunk);
  EXPECT_TRUE(Identical(Pass(fits).tensor(), fits));
  const Tensor sent = Bytes(5 * kChunk + 1);
  const std::string key = NewKey();
  ASSERT_TRUE(ps_->Begin(kStep)->Send(ParsedKey(key), sent, false).ok());
  const ReceivedTensor received = StartReceive(key);
  ASSERT_TRUE(received.Wait());
  EXPECT_EQ(received.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(received.status().message()),
              AllOf(HasSubstr(ps_->name()), HasSubstr("40961 bytes")));
}

}  // namespace leat::testing

#endif  // LEAT_TESTS_TESTING_CHUNK_SUITE_H_
