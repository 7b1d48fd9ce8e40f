// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// ServerCall: one call of a method of this task. Deletes itself when gRPC has
// done with it, which is after the handler's reply.
#ifndef LEAT_DISTRIBUTED_GRPC_SERVER_CALL_H_
#define LEAT_DISTRIBUTED_GRPC_SERVER_CALL_H_

#include <memory>

#include "absl/status/statusor.h"
#include "grpcpp/generic/async_generic_service.h"
#include "grpcpp/support/byte_buffer.h"
#include "leat/distributed/methods.h"

namespace leat {

// gRPC calls each of its methods at most once, OnCancel beside any other.
class ServerCall final : public grpc::ServerGenericBidiReactor {
 public:
  // Both are borrowed. `entry` may be null: the call is then refused.
  ServerCall(const MethodTable::Entry* entry,
             grpc::GenericCallbackServerContext& context);

  void OnReadDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override { delete this; }

 private:
  void Answer(absl::StatusOr<Payload> response);
  void Refuse(const absl::Status& status);

  const MethodTable::Entry* const entry_;
  grpc::GenericCallbackServerContext& context_;
  const std::shared_ptr<CallContext> call_ = std::make_shared<CallContext>();
  grpc::ByteBuffer request_;
  grpc::ByteBuffer response_;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_GRPC_SERVER_CALL_H_
