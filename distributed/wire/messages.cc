// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/wire/messages.h"

#include "absl/strings/str_cat.h"
#include "google/protobuf/message.h"
#include "leat/core/codec/parsed_bytes.h"
#include "leat/core/status_macros.h"

namespace leat {

Payload ToPayload(const google::protobuf::MessageLite& message) {
  return Payload{.header = message.SerializeAsString()};
}

absl::Status CheckInlineHeader(absl::string_view name, size_t header_bytes) {
  if (static_cast<int64_t>(header_bytes) <= kMaxInlineHeaderBytes) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(name, " has ", header_bytes,
                                                 " bytes, more than ",
                                                 kMaxInlineHeaderBytes));
}

absl::Status ParseSmall(absl::string_view header,
                        google::protobuf::Message& message) {
  const absl::string_view name = message.GetDescriptor()->name();
  LEAT_RETURN_IF_ERROR(CheckInlineHeader(name, header.size()));
  if (message.ParseFromArray(header.data(), static_cast<int>(header.size()))) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("the ", name, " is malformed"));
}

absl::Status ParseMessage(absl::string_view header, int64_t max_bytes,
                          google::protobuf::Message& message) {
  const google::protobuf::Descriptor& type = *message.GetDescriptor();
  if (static_cast<int64_t>(header.size()) > kMaxInlineHeaderBytes) {
    const int64_t bytes = ParsedBytes(header, type, max_bytes);
    if (bytes > max_bytes) {
      return absl::ResourceExhaustedError(
          absl::StrCat("To parse a ", type.name(), " of ", header.size(),
                       " bytes takes at least ", bytes,
                       " bytes, more than the limit of ", max_bytes));
    }
  }
  if (header.size() <= INT32_MAX &&
      message.ParseFromArray(header.data(), static_cast<int>(header.size()))) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat(header.size(), " bytes are not a ", type.name()));
}

}  // namespace leat
