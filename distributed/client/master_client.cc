// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/client/master_client.h"

#include <climits>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "google/protobuf/message_lite.h"
#include "leat/core/quoted_text.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/mutex.h"
#include "leat/distributed/cluster/address.h"
#include "leat/distributed/wire/parse_message.h"

namespace leat {
namespace {

// The answer that a thread waits for. Thread-safe.
class Answer {
 public:
  void Set(absl::StatusOr<Payload> payload) {
    MutexLock lock(mutex_);
    payload_ = std::move(payload);
    set_.NotifyAll();
  }

  absl::StatusOr<Payload> Wait() {
    MutexLock lock(mutex_);
    while (!payload_.has_value()) set_.Wait(mutex_);
    return *std::move(payload_);
  }

 private:
  Mutex mutex_;
  CondVar set_;
  std::optional<absl::StatusOr<Payload>> payload_ ABSL_GUARDED_BY(mutex_);
};

// Returns the target for `address`, which CheckAddress accepts.
std::string TargetOf(absl::string_view address) {
  const std::string path = UnixPath(address);
  return path.empty() ? absl::StrCat("grpc://", address)
                      : absl::StrCat("unix://", path);
}

absl::Status CheckSize(const Method& method,
                       const google::protobuf::MessageLite& request) {
  const size_t bytes = request.ByteSizeLong();
  if (bytes <= INT_MAX) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat("a request of ", bytes, " bytes to ", method.path,
                   " is larger than any message, ", INT_MAX, " bytes"));
}

}  // namespace

absl::StatusOr<MasterTarget> ParseTarget(absl::string_view target) {
  MasterTarget parsed;
  absl::string_view rest = target;
  if (absl::ConsumePrefix(&rest, "grpc://")) {
    parsed = {"grpc", std::string(rest)};
  } else if (absl::ConsumePrefix(&rest, "unix://")) {
    parsed = {"grpc", absl::StrCat("unix:", rest)};
  } else if (absl::ConsumePrefix(&rest, "in-process://")) {
    parsed = {"in-process", std::string(rest)};
  } else {
    return absl::InvalidArgumentError(
        absl::StrCat("target ", QuotedText(target),
                     " is not of the form grpc://host:port, unix:///path or "
                     "in-process://host:port",
                     CheckAddress(target).ok()
                         ? absl::StrCat("; perhaps you mean ", TargetOf(target))
                         : ""));
  }
  if (absl::Status status = CheckAddress(parsed.address); !status.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("target ", QuotedText(target), ": ", status.message()));
  }
  return parsed;
}

absl::StatusOr<Payload> MasterClient::Call(
    const Method& method, const google::protobuf::MessageLite& request,
    WireTensors tensors, CallOptions options) {
  LEAT_RETURN_IF_ERROR(CheckSize(method, request));
  const auto answer = std::make_shared<Answer>();
  transport_->Call(address_, method,
                   Payload{.header = request.SerializeAsString(),
                           .tensors = std::move(tensors)},
                   std::move(options),
                   [answer](absl::StatusOr<Payload> payload) {
                     answer->Set(std::move(payload));
                   });
  return answer->Wait();
}

absl::Status MasterClient::Call(const Method& method,
                                const google::protobuf::MessageLite& request,
                                google::protobuf::Message& response,
                                CallOptions options) {
  LEAT_ASSIGN_OR_RETURN(const Payload payload,
                        Call(method, request, {}, std::move(options)));
  return ParseHeader(method, payload, response);
}

absl::Status MasterClient::CallPatiently(
    const Method& method, const google::protobuf::MessageLite& request,
    google::protobuf::Message& response, const ConnectWait& wait) {
  LEAT_RETURN_IF_ERROR(CheckSize(method, request));
  LEAT_ASSIGN_OR_RETURN(
      const Payload payload,
      leat::CallPatiently(*transport_, address_, method,
                          {.header = request.SerializeAsString()}, wait));
  return ParseHeader(method, payload, response);
}

void MasterClient::Notify(const Method& method,
                          const google::protobuf::MessageLite& request) {
  transport_->Call(address_, method,
                   Payload{.header = request.SerializeAsString()}, {},
                   [](absl::StatusOr<Payload>) {});
}

absl::Status ParseHeader(const Method& method, const Payload& payload,
                         google::protobuf::Message& message) {
  const absl::Status status =
      ParseMessage(payload.header, kMaxAnswerBytes, message);
  if (!absl::IsInvalidArgument(status)) return status;
  return absl::InternalError(
      absl::StrCat("the response to ", method.path, ": ", status.message()));
}

}  // namespace leat
