// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/exchange/peers.h"

#include <functional>
#include <string>
#include <utility>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/status_payloads.h"
#include "leat/distributed/transport/call_errors.h"
#include "leat/distributed/wire/recv_tensor.h"
#include "leat/distributed/wire/wire.h"
#include "leat/protos/worker.pb.h"
#include "leat/tests/distributed/fake_transport.h"

namespace leat::peers_test {
namespace {

using ::leat::testing::FakeTransport;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const char kPs[] = "/job:ps/replica:0/task:0";
const char kWorker[] = "/job:worker/replica:0/task:3";
const char kPsAddress[] = "127.0.0.1:7001";
const char kWorkerAddress[] = "127.0.0.1:7002";

ClusterSpec Cluster() {
  return *ClusterSpec::Create(
      {{"ps", {{0, kPsAddress}}}, {"worker", {{3, kWorkerAddress}}}});
}

class PeersTest : public ::testing::Test {
 protected:
  using Answer = std::function<absl::StatusOr<Payload>(const Payload&)>;

  void Serve(const char* address, Answer answer) {
    transport_.Serve(
        address, [answer](std::shared_ptr<CallContext>, Payload request,
                          Reply reply) { std::move(reply)(answer(request)); });
  }

  absl::StatusOr<Payload> Call(absl::string_view task) {
    const absl::StatusOr<Peers::PeerRef> peer = peers_.Find(task);
    if (!peer.ok()) return peer.status();
    absl::StatusOr<Payload> result = absl::UnknownError("not called");
    (*peer)->Call(
        methods::kCleanupGraph, Payload(), {},
        (*peer)->NameTransportErrors(
            [&](absl::StatusOr<Payload> reply) { result = std::move(reply); }));
    return result;
  }

  absl::StatusOr<PeerStatus> GetStatus(absl::string_view task) {
    const absl::StatusOr<Peers::PeerRef> peer = peers_.Find(task);
    if (!peer.ok()) return peer.status();
    absl::StatusOr<PeerStatus> result = absl::UnknownError("not called");
    (*peer)->GetStatus({}, [&](absl::StatusOr<PeerStatus> status) {
      result = std::move(status);
    });
    return result;
  }

  FakeTransport transport_;
  Peers peers_{Cluster(), transport_};
};

TEST_F(PeersTest, CallsTasksAtTheirAddresses) {
  for (const char* address : {kPsAddress, kWorkerAddress}) {
    Serve(address, [address](const Payload&) {
      Payload reply;
      reply.header = address;
      return reply;
    });
  }
  EXPECT_EQ(Call(kPs)->header, kPsAddress);
  EXPECT_EQ(Call(kWorker)->header, kWorkerAddress);
}

TEST_F(PeersTest, DoNotFindATaskOutsideOfTheCluster) {
  const absl::Status expected = absl::NotFoundError(
      "there is no task '/job:ps/replica:0/task:1' in the cluster");
  const char* const task = "/job:ps/replica:0/task:1";
  EXPECT_EQ(Call(task).status(), expected);
  EXPECT_EQ(GetStatus(task).status(), expected);
}

TEST_F(PeersTest, NameTaskAndAddressInTransportErrors) {
  EXPECT_EQ(Call(kPs).status(),
            absl::UnavailableError("task /job:ps/replica:0/task:0 "
                                   "(127.0.0.1:7001) cannot be reached: "
                                   "connection refused"));
  Serve(kWorkerAddress, [](const Payload&) {
    return AsTransportError(absl::DeadlineExceededError("1s"));
  });
  EXPECT_EQ(Call(kWorker).status(),
            absl::DeadlineExceededError("task /job:worker/replica:0/task:3 "
                                        "(127.0.0.1:7002) did not answer in "
                                        "time: 1s"));
}

TEST_F(PeersTest, LeaveWhatAPeerSaysAsItIs) {
  absl::Status said = absl::UnavailableError("queue 'q' is closed");
  said.SetPayload("k", absl::Cord("v"));
  Serve(kPsAddress, [said](const Payload&) { return said; });
  EXPECT_EQ(Call(kPs).status(), said);
}

TEST_F(PeersTest, TellTasksOfLeatFromTensorFlows) {
  for (const bool is_leat : {true, false}) {
    const std::string task = is_leat ? kPs : kWorker;
    Serve(is_leat ? kPsAddress : kWorkerAddress, [=](const Payload& request) {
      pb::GetStatusRequest message;
      EXPECT_TRUE(message.ParseFromString(request.header));
      EXPECT_EQ(message.leat().version(), kLeatPeerVersion);
      pb::GetStatusResponse response;
      pb::DeviceAttributes& device = *response.add_device_attributes();
      device.set_name(absl::StrCat(task, "/device:CPU:0"));
      device.set_device_type("CPU");
      device.set_memory_limit(1000);
      device.set_incarnation(UINT64_MAX);
      if (is_leat) response.mutable_leat()->set_version(kLeatPeerVersion);
      Payload payload;
      payload.header = response.SerializeAsString();
      return payload;
    });
  }
  const auto ps = GetStatus(kPs);
  const auto worker = GetStatus(kWorker);
  ASSERT_TRUE(ps.ok()) << ps.status();
  ASSERT_TRUE(worker.ok()) << worker.status();
  EXPECT_TRUE(ps->is_leat);
  EXPECT_FALSE(worker->is_leat);
  ASSERT_EQ(ps->devices.size(), 1u);
  EXPECT_EQ(ps->devices[0].name, "/job:ps/replica:0/task:0/device:CPU:0");
  EXPECT_EQ(ps->devices[0].incarnation, UINT64_MAX);
  EXPECT_EQ(ps->devices[0].memory_bytes, 1000);
  // A TensorFlow task, such as this worker, does not tolerate pings.
  EXPECT_THAT(transport_.pinged(), ElementsAre(kPsAddress));
  EXPECT_THAT(transport_.asked(), ElementsAre(kWorkerAddress));
}

TEST_F(PeersTest, RefuseTasksOfAnotherVersion) {
  Serve(kPsAddress, [](const Payload&) {
    pb::GetStatusResponse response;
    response.mutable_leat()->set_version(kLeatPeerVersion + 1);
    Payload payload;
    payload.header = response.SerializeAsString();
    return payload;
  });
  const absl::Status refused = GetStatus(kPs).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition) << refused;
  EXPECT_THAT(refused.message(), HasSubstr(kPs));
  EXPECT_THAT(refused.message(),
              HasSubstr(absl::StrCat(
                  "it speaks version ", kLeatPeerVersion + 1,
                  " of Leat's protocol between tasks, its caller version ",
                  kLeatPeerVersion)));
  EXPECT_THAT(transport_.pinged(), ElementsAre());
  EXPECT_THAT(transport_.asked(), ElementsAre());
}

TEST_F(PeersTest, RefuseStatusesThatMakeNoSense) {
  std::string header = "\xff";
  Serve(kPsAddress, [&header](const Payload&) {
    Payload payload;
    payload.header = header;
    return payload;
  });
  EXPECT_EQ(GetStatus(kPs).status(),
            absl::InvalidArgumentError(
                "task /job:ps/replica:0/task:0 answered GetStatus wrongly: "
                "the GetStatusResponse is malformed"));
  for (const char* name :
       {"/device:CPU:0", "/job:ps/replica:0/task:1/device:CPU:0",
        "/job:ps/replica:0/task:01/device:CPU:0", "x"}) {
    pb::GetStatusResponse response;
    response.add_device_attributes()->set_name(name);
    response.mutable_device_attributes(0)->set_device_type("CPU");
    response.mutable_device_attributes(0)->set_incarnation(1);
    response.mutable_leat()->set_version(kLeatPeerVersion);
    header = response.SerializeAsString();
    EXPECT_EQ(GetStatus(kPs).status().code(),
              absl::StatusCode::kInvalidArgument)
        << name;
  }
  pb::GetStatusResponse other;
  other.add_device_attributes()->set_name(
      "/job:ps/replica:0/task:1/device:CPU:0");
  other.mutable_device_attributes(0)->set_device_type("CPU");
  other.mutable_device_attributes(0)->set_incarnation(1);
  header = other.SerializeAsString();
  EXPECT_EQ(GetStatus(kPs).status(),
            absl::InvalidArgumentError(
                "task /job:ps/replica:0/task:0 answered GetStatus wrongly: it "
                "has the device /job:ps/replica:0/task:1/device:CPU:0, which "
                "belongs to another task; correct the address of "
                "/job:ps/replica:0/task:0 in the cluster"));
  EXPECT_THAT(transport_.pinged(), ElementsAre());
  EXPECT_THAT(transport_.asked(), ElementsAre());
}

// Returns the status of a task that can send chunks.
Payload StatusWithChunks() {
  pb::GetStatusResponse status;
  status.mutable_leat()->set_version(kLeatPeerVersion);
  status.mutable_leat()->set_max_chunk_bytes(kMaxChunkBytes);
  return {.header = status.SerializeAsString()};
}

TEST_F(PeersTest, AreMetOnce) {
  int num_calls = 0;
  Serve(kPsAddress, [&num_calls](const Payload&) -> absl::StatusOr<Payload> {
    if (num_calls++ == 0) return absl::UnavailableError("not yet");
    return StatusWithChunks();
  });
  const Peers::PeerRef ps = peers_.Find(kPs).value();
  ps->Meet();
  EXPECT_THAT(transport_.pinged(), ElementsAre());
  for (int i = 0; i < 3; ++i) ps->Meet();
  EXPECT_EQ(num_calls, 2);
  EXPECT_THAT(transport_.pinged(), ElementsAre(kPsAddress));
}

// Large headers are refused because they must not be parsed on a thread of the
// transport.
TEST_F(PeersTest, RefuseLargeHeaders) {
  Serve(kPsAddress, [](const Payload&) {
    Payload payload;
    payload.header = std::string(65537, '\0');
    return payload;
  });
  const absl::Status status = GetStatus(kPs).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr(kPs), HasSubstr("65537 bytes, more than")));
}

}  // namespace
}  // namespace leat::peers_test
