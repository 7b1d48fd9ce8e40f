// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// MasterClient calls the methods of a master on behalf of a client. All calls
// except Notify wait for the answer on the calling thread.
#ifndef LEAT_DISTRIBUTED_CLIENT_MASTER_CLIENT_H_
#define LEAT_DISTRIBUTED_CLIENT_MASTER_CLIENT_H_

#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/threads/clock.h"
#include "leat/distributed/client/patient_call.h"
#include "leat/distributed/transport/transport.h"
#include "leat/distributed/wire/methods.h"
#include "leat/distributed/wire/payload.h"

namespace google::protobuf {
class Message;
class MessageLite;
}  // namespace google::protobuf

namespace leat {

// Holds the name of the transport and the address of a session's master.
struct MasterTarget {
  std::string transport = {};  // its name, such as "grpc"
  std::string address = {};    // in one of the forms of address.h
};

// Parses "grpc://host:port", "unix:///path" or "name://host:port". The first
// two forms select the transport grpc. The last form selects the transport
// `name`. Does not check that this transport exists. Returns INVALID_ARGUMENT,
// quoting the target, for any other form.
absl::StatusOr<MasterTarget> ParseTarget(absl::string_view target);

// Is thread-safe. Owns the transport. The destructor ends every call, because
// it destroys the transport.
class MasterClient {
 public:
  // REQUIRES: `transport` can reach `address` (address.h).
  MasterClient(std::unique_ptr<Transport> transport, std::string address)
      : transport_(std::move(transport)), address_(std::move(address)) {}

  const std::string& address() const { return address_; }
  // Returns the clock of the transport.
  Clock& clock() const { return transport_->clock(); }

  // Calls `method` and waits for the response. Returns the response or the
  // error of the call, or RESOURCE_EXHAUSTED if the request is too large for a
  // message. Has the same requirements as Transport::CallAndWait.
  absl::StatusOr<Payload> Call(const Method& method,
                               const google::protobuf::MessageLite& request,
                               WireTensors tensors, CallOptions options);

  // Calls `method` without tensors, waits for the response, and parses it into
  // `response`. Fails as the Call above and ParseHeader do.
  absl::Status Call(const Method& method,
                    const google::protobuf::MessageLite& request,
                    google::protobuf::Message& response,
                    CallOptions options = {});

  // Calls `method` of a master that has perhaps not started yet
  // (patient_call.h), and parses the response into `response`. Returns
  // RESOURCE_EXHAUSTED if the request is too large for a message. Otherwise
  // fails as the function CallPatiently of patient_call.h and ParseHeader do.
  absl::Status CallPatiently(const Method& method,
                             const google::protobuf::MessageLite& request,
                             google::protobuf::Message& response,
                             const ConnectWait& wait);

  // Makes later calls fail within seconds when the master falls silent.
  // REQUIRES: the master is a task of Leat, which allows pings. A master of
  // TensorFlow allows no pings, so the transport would call its health check
  // instead (Transport::WatchPeer). That call would wait behind the feeds of
  // steps, which may take arbitrarily long.
  void Watch() { transport_->WatchPeer(address_, /*allows_pings=*/true); }

  // Calls `method` without waiting, and drops the result.
  void Notify(const Method& method,
              const google::protobuf::MessageLite& request);

 private:
  const std::unique_ptr<Transport> transport_;
  const std::string address_;
};

// Parses the header of the response of `method` into `message`. Returns
// INTERNAL, naming the method, if the header is not a message of that type.
// Returns RESOURCE_EXHAUSTED if the message would take more than
// kMaxAnswerBytes (messages.h).
absl::Status ParseHeader(const Method& method, const Payload& payload,
                         google::protobuf::Message& message);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_CLIENT_MASTER_CLIENT_H_
