// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// MasterClient: calls of a master's methods that wait for their answers, for a
// client's own threads. Thread-safe.
#ifndef LEAT_DISTRIBUTED_MASTER_CLIENT_H_
#define LEAT_DISTRIBUTED_MASTER_CLIENT_H_

#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/cancellation.h"
#include "leat/distributed/methods.h"
#include "leat/distributed/payload.h"
#include "leat/distributed/transport.h"

namespace google::protobuf {
class Message;
class MessageLite;
}  // namespace google::protobuf

namespace leat {

// Where a session's master is.
struct MasterTarget {
  std::string transport = {};
  std::string address = {};
};

// "grpc://host:port", "unix:///path", "in-process://host:port".
// INVALID_ARGUMENT quoting a target of another form.
absl::StatusOr<MasterTarget> ParseTarget(absl::string_view target);

class MasterClient {
 public:
  MasterClient(std::unique_ptr<Transport> transport, std::string address)
      : transport_(std::move(transport)), address_(std::move(address)) {}

  const std::string& address() const { return address_; }

  // The response, or why there is none. RESOURCE_EXHAUSTED for a request that
  // no message can hold.
  absl::StatusOr<Payload> Call(const Method& method,
                               const google::protobuf::MessageLite& request,
                               WireTensors tensors, CallOptions options);

  // The same for messages without tensors.
  absl::Status Call(const Method& method,
                    const google::protobuf::MessageLite& request,
                    google::protobuf::Message& response,
                    CallOptions options = {});

  // The master is Leat's: later calls notice within seconds that it is silent.
  // One of TensorFlow would have to answer behind what is being fed to it, over
  // any network.
  void Watch() { transport_->WatchPeer(address_, /*allows_pings=*/true); }

  // Does not wait, nor tell what came of it.
  void Notify(const Method& method,
              const google::protobuf::MessageLite& request);

 private:
  const std::unique_ptr<Transport> transport_;
  const std::string address_;
};

// INTERNAL naming the method for bytes that are no such message.
absl::Status ParseHeader(const Method& method, const Payload& payload,
                         google::protobuf::Message& message);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_MASTER_CLIENT_H_
