// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Takes bytes as the answers of a peer, first to GetStatus, and then to
// RecvTensor and FetchChunk, or to RecvTensors. Whatever the bytes are, the
// receive of each tensor must end exactly once, take little memory, and leave
// nothing behind.
//
// The first byte chooses the number of tensors and how they are received (see
// the constructor of Receiver and Receive). Each following byte chooses what
// happens next (see Receiver::Continue), until no call or closure is left. If a
// reply comes next, its bytes follow (see Script::Message). After the last
// byte, the peer can no longer be reached.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "leat/core/check.h"
#include "leat/core/devices/accounted_allocator.h"
#include "leat/core/threads/cancellation.h"
#include "leat/distributed/exchange/peers.h"
#include "leat/distributed/exchange/tensor_receiver.h"
#include "leat/distributed/transport/call_errors.h"
#include "leat/distributed/wire/recv_tensor.h"
#include "leat/distributed/wire/wire.h"
#include "leat/protos/worker.pb.h"
#include "leat/tests/core/variant_decoders.h"
#include "leat/tests/distributed/fake_transport.h"
#include "leat/tests/distributed/received_message.h"
#include "leat/tests/distributed/received_tensor.h"
#include "leat/tests/testing/held_queue.h"

namespace {

using leat::AsTransportError;
using leat::Payload;
using leat::testing::ReceivedTensor;

constexpr char kTask[] = "/job:ps/replica:0/task:0";
constexpr int64_t kStepId = 7;
constexpr int64_t kMaxBytes = 1 << 20;  // for one tensor
constexpr size_t kMaxTensors = 3;
// Is the memory limit for all tensors together. The limit exceeds the sum of
// the tensors' sizes. If a tensor uses a part of a slice of a message, the
// whole slice counts as used memory.
constexpr int64_t kMaxMemory = 4 * kMaxTensors * kMaxBytes;
constexpr int64_t kLittleMemory = 16 << 10;
constexpr size_t kMaxZeros = 4 << 20;  // for all replies together

// Reads the input. Bytes beyond its end are 0.
class Script {
 public:
  explicit Script(absl::string_view bytes) : left_(bytes) {}

  bool AtEnd() const { return left_.empty(); }

  size_t Byte() {
    if (left_.empty()) return 0;
    const auto byte = static_cast<uint8_t>(left_.front());
    left_.remove_prefix(1);
    return byte;
  }

  // Reads a message. The input holds the size of the message (two bytes), a
  // number n (two bytes), and the bytes of the message. 8 * n zeros are
  // appended to the message, so that a small input can contain a large chunk.
  std::string Message() {
    const size_t size = Number();
    const size_t zeros = std::min(8 * Number(), zeros_left_);
    std::string message(left_.substr(0, size));
    left_.remove_prefix(message.size());
    zeros_left_ -= zeros;
    message.append(zeros, '\0');
    return message;
  }

 private:
  size_t Number() {
    const size_t low = Byte();
    return low | Byte() << 8;
  }

  absl::string_view left_;
  size_t zeros_left_ = kMaxZeros;
};

// Keeps each call until the test takes and answers it. Is used by one thread.
class HeldTransport final : public leat::Transport {
 public:
  struct OneCall {
    leat::Method method = {};
    leat::Reply done = {};
  };

  ~HeldTransport() override { LEAT_CHECK(calls_.empty()); }

  void Call(absl::string_view, const leat::Method& method, Payload request,
            leat::CallOptions, leat::Reply done) override {
    CheckRequest(method, request);
    calls_.push_back({method, std::move(done)});
  }
  absl::StatusOr<std::unique_ptr<leat::Listener>> Listen(
      const std::string&, const leat::MethodTable&) override {
    return absl::UnimplementedError("nobody calls");
  }

  size_t size() const { return calls_.size(); }
  // Removes one of the calls and returns it. REQUIRES: size() > 0.
  OneCall Take(size_t i) {
    const auto place = calls_.begin() + static_cast<ptrdiff_t>(i % size());
    OneCall call = std::move(*place);
    calls_.erase(place);
    return call;
  }

 private:
  // Checks that a request is valid. Every request must be valid, whatever the
  // peer has answered before.
  static void CheckRequest(const leat::Method& method, const Payload& request) {
    const absl::string_view path = method.path;
    if (path == leat::methods::kRecvTensor.path) {
      LEAT_CHECK(
          leat::DecodeRecvRequest(leat::RecvForm::kOne, request.header).ok());
    } else if (path == leat::methods::kRecvTensors.path) {
      const auto recv =
          leat::DecodeRecvRequest(leat::RecvForm::kList, request.header);
      LEAT_CHECK(recv.ok());
      LEAT_CHECK(recv->step_id == kStepId);
    } else if (path == leat::methods::kFetchChunk.path) {
      const auto fetch = leat::DecodeFetchChunkRequest(request.header);
      LEAT_CHECK(fetch.ok());
      LEAT_CHECK(fetch->step_id == kStepId);
      LEAT_CHECK(fetch->offset >= leat::kMinChunkBytes);
      LEAT_CHECK(fetch->length > 0);
      LEAT_CHECK(fetch->offset + fetch->length <= kMaxBytes);
    }
  }

  std::deque<OneCall> calls_;
};

// A LimitedAllocator is an allocator with limited memory, which tells whether
// the limit was reached.
class LimitedAllocator final : public leat::Allocator {
 public:
  explicit LimitedAllocator(int64_t limit_bytes)
      : account_(std::make_shared<leat::MemoryAccount>("fuzz", limit_bytes)),
        memory_(leat::HostAllocator(), account_) {}

  leat::BufferRef Allocate(size_t bytes) override {
    return Given(memory_.Allocate(bytes));
  }
  leat::BufferRef Reserve(int64_t bytes) override {
    return Given(memory_.Reserve(bytes));
  }
  absl::string_view name() const override { return memory_.name(); }

  int64_t live_bytes() const { return account_->live_bytes(); }
  bool has_refused() const { return has_refused_; }

 private:
  leat::BufferRef Given(leat::BufferRef buffer) {
    has_refused_ = has_refused_ || buffer == nullptr;
    return buffer;
  }

  const std::shared_ptr<leat::MemoryAccount> account_;
  leat::AccountedAllocator memory_;
  bool has_refused_ = false;
};

const leat::ClusterSpec& Cluster() {
  static const auto& cluster = *new leat::ClusterSpec(
      leat::ClusterSpec::Create({{"ps", {{0, "127.0.0.1:7001"}}}}).value());
  return cluster;
}

// Receives tensors as the input says. All code runs on the thread that calls
// Receive, including the closures of the compute pool.
class Receiver {
 public:
  explicit Receiver(absl::string_view bytes)
      : script_(bytes),
        how_(script_.Byte()),
        has_little_memory_(how_ / 36 % 2 == 1),
        is_bundle_(how_ / 72 % 2 == 1),
        allocator_(has_little_memory_ ? kLittleMemory : kMaxMemory),
        peers_(Cluster(), transport_),
        receiver_(peers_, compute_, &leat::testing::Decoders(), kMaxBytes,
                  {.inline_bytes = leat::kMinChunkBytes,
                   .chunk_bytes = 2 * leat::kMinChunkBytes,
                   .in_flight = static_cast<int>(1 + how_ / 9 % 4)}) {}

  void Receive() {
    AskForStatus();
    const size_t num_tensors = 1 + how_ / 3 % kMaxTensors;
    std::vector<ReceivedTensor> received(num_tensors);
    if (is_bundle_) {
      Ask(absl::MakeSpan(received));
    } else {
      for (ReceivedTensor& one : received) Ask(absl::MakeSpan(&one, 1));
    }
    while (IsUnderWay()) Continue();
    for (const ReceivedTensor& one : received) {
      LEAT_CHECK(one.calls() == 1);
      LEAT_CHECK(!one.status().ok() || one.is_dead() || one.tensor().IsValid());
    }
    received.clear();
    LEAT_CHECK(peers_.traffic()->recvs().size() == 0);
    LEAT_CHECK(allocator_.live_bytes() == 0);
    LEAT_CHECK(has_little_memory_ || !allocator_.has_refused());
  }

 private:
  // Does one of three things, which the input chooses with `how_` % 3:
  // - 0: Asks the peer for its status. The answer says that the peer can send
  //   chunks.
  // - 1: Asks for nothing, so the receiver knows nothing about the peer.
  // - 2: Asks the peer for its status. The answer comes from the input (see
  //   Continue).
  void AskForStatus() {
    const size_t kind = how_ % 3;
    if (kind == 1) return;
    peers_.Find(kTask).value()->GetStatus(
        {}, [kind](const absl::StatusOr<leat::PeerStatus>& status) {
          LEAT_CHECK(kind != 0 || status.ok());
        });
    if (kind == 0) {
      leat::pb::GetStatusResponse status;
      status.mutable_leat()->set_version(leat::kLeatPeerVersion);
      status.mutable_leat()->set_max_chunk_bytes(leat::kMaxChunkBytes);
      Payload reply;
      reply.header = status.SerializeAsString();
      std::move(transport_.Take(0).done)(std::move(reply));
    }
    while (IsUnderWay()) Continue();
  }

  static std::string KeyOf(size_t i) {
    return absl::StrCat(kTask, "/device:CPU:0;000000000000abcd;",
                        "/job:worker/replica:0/task:0/device:CPU:0;edge_", i,
                        "_w;0:0");
  }

  // Calls TensorReceiver::Receive once. Each element of `received` receives a
  // new tensor.
  void Ask(absl::Span<ReceivedTensor> received) {
    std::vector<leat::ParsedKey> keys;
    leat::TensorReceive receive{
        .step_id = kStepId,
        .allocator = {std::shared_ptr<void>(), &allocator_},
        .cancellation = cancellation_};
    for (ReceivedTensor& one : received) {
      keys.emplace_back(KeyOf(num_keys_++));
      receive.dones.push_back(one.Done());
    }
    receive.keys =
        keys.size() == 1
            ? leat::RecvKeys(keys[0])
            : leat::RecvKeys(
                  std::make_shared<const std::vector<leat::ParsedKey>>(
                      std::move(keys)));
    receive.record = [](absl::Span<const leat::ParsedKey> all,
                        absl::Span<const leat::SentTensor> tensors,
                        int64_t) { LEAT_CHECK(all.size() == tensors.size()); };
    receiver_.Receive(kTask, std::move(receive));
  }

  bool IsUnderWay() const { return transport_.size() + compute_.size() > 0; }

  // Does the next action, which the next byte of the input chooses. REQUIRES:
  // IsUnderWay().
  void Continue() {
    if (script_.AtEnd()) {
      if (compute_.size() > 0) return compute_.RunOne();
      const absl::Status gone =
          AsTransportError(absl::UnavailableError("it is gone"));
      return std::move(transport_.Take(0).done)(gone);
    }
    const size_t next = script_.Byte();
    const size_t what = next % 10;
    if (what == 7) {
      cancellation_->Cancel(absl::AbortedError("the step has failed"));
    } else if (what > 7) {
      if (compute_.size() > 0) compute_.RunOne();
    } else if (transport_.size() > 0) {
      Answer(transport_.Take(next / 10), what);
    }
  }

  void Answer(HeldTransport::OneCall call, size_t what) {
    if (what == 6) return;  // destroys the callback without calling it
    std::move(call.done)(what < 4 ? ReceivedReply(call.method, what)
                                  : ErrorReply(what == 5));
  }

  absl::StatusOr<Payload> ErrorReply(bool is_of_the_transport) {
    const auto code = static_cast<absl::StatusCode>(1 + script_.Byte() % 16);
    const absl::Status error(code, "it has failed");
    if (is_of_the_transport) return AsTransportError(error);
    return error;
  }

  // Reads a reply from the input. The reply consists of slices, as if it had
  // come from another process.
  absl::StatusOr<Payload> ReceivedReply(const leat::Method& method,
                                        size_t what) {
    constexpr size_t kSliceBytes[] = {0, 1, 7, 64};  // 0: all in one slice
    constexpr size_t kMaxCut = 1024;
    const std::string bytes = script_.Message();
    std::vector<size_t> cuts;
    const size_t step = kSliceBytes[what];
    for (size_t cut = step; step > 0 && cut < std::min(bytes.size(), kMaxCut);
         cut += step) {
      cuts.push_back(cut);
    }
    leat::testing::ReceivedMessage message(bytes, cuts);
    absl::StatusOr<Payload> reply =
        leat::SplitPayload(message.Take(), method.response);
    if (!reply.ok()) return AsTransportError(reply.status());
    return reply;
  }

  Script script_;
  const size_t how_;
  const bool has_little_memory_;
  const bool is_bundle_;
  LimitedAllocator allocator_;
  HeldTransport transport_;
  leat::testing::HeldQueue compute_;
  leat::Peers peers_;
  leat::TensorReceiver receiver_;
  size_t num_keys_ = 0;
  const std::shared_ptr<leat::Cancellation> cancellation_ =
      std::make_shared<leat::Cancellation>();
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Receiver(absl::string_view(reinterpret_cast<const char*>(data), size))
      .Receive();
  return 0;
}
