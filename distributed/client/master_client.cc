// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/client/master_client.h"

#include <climits>

#include "absl/strings/str_cat.h"
#include "google/protobuf/message_lite.h"
#include "leat/core/quoted_text.h"
#include "leat/core/status_macros.h"
#include "leat/distributed/cluster/address.h"
#include "leat/distributed/wire/messages.h"

namespace leat {
namespace {

// Returns the target for `address`. REQUIRES: CheckAddress accepts `address`.
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
      absl::StrCat("a request to ", method.path, " takes ", bytes,
                   " bytes, but a message may have at most ", INT_MAX));
}

}  // namespace

absl::StatusOr<MasterTarget> ParseTarget(absl::string_view target) {
  constexpr absl::string_view separator = "://";
  const size_t end = target.find(separator);
  if (end == 0 || end == absl::string_view::npos) {
    return absl::InvalidArgumentError(
        absl::StrCat("target ", QuotedText(target),
                     " is not of the form grpc://host:port or unix:///path",
                     CheckAddress(target).ok()
                         ? absl::StrCat("; perhaps you mean ", TargetOf(target))
                         : ""));
  }
  MasterTarget parsed{
      .transport = std::string(target.substr(0, end)),
      .address = std::string(target.substr(end + separator.size()))};
  if (parsed.transport == "unix") {
    parsed = {"grpc", absl::StrCat("unix:", parsed.address)};
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
  return transport_->CallAndWait(address_, method,
                                 Payload{.header = request.SerializeAsString(),
                                         .tensors = std::move(tensors)},
                                 std::move(options));
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
  LEAT_ASSIGN_OR_RETURN(const Payload payload,
                        leat::CallPatiently(*transport_, address_, method,
                                            ToPayload(request), wait));
  return ParseHeader(method, payload, response);
}

void MasterClient::Notify(const Method& method,
                          const google::protobuf::MessageLite& request) {
  transport_->Call(address_, method, ToPayload(request), {},
                   [](absl::StatusOr<Payload>) {});
}

absl::Status ParseHeader(const Method& method, const Payload& payload,
                         google::protobuf::Message& message) {
  const absl::Status status =
      ParseMessage(payload.header, kMaxAnswerBytes, message);
  if (!absl::IsInvalidArgument(status)) return status;
  return absl::InternalError(absl::StrCat("the response to ", method.path,
                                          " is malformed: ", status.message()));
}

}  // namespace leat
