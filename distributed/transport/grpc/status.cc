// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/transport/grpc/status.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "leat/core/escaped_text.h"
#include "leat/core/status_payloads.h"
#include "leat/core/utf8.h"

namespace leat {
namespace {

constexpr size_t kMaxTextBytes = 3 << 10;  // as sent, with escapes
constexpr size_t kMaxDetailsBytes = 3 << 10;
constexpr char kCut[] = "... [cut]";

// Returns how many bytes `c` takes in the header "grpc-message". This header is
// printable ASCII, so other characters (and '%') are percent-encoded.
size_t SentBytes(char c) { return c >= ' ' && c <= '~' && c != '%' ? 1 : 3; }

// Returns `message`, or its beginning and kCut if it is too long. Never cuts
// inside a UTF-8 character.
std::string Shortened(absl::string_view message) {
  size_t sent = 0;
  size_t fits = 0;  // kCut can follow at most this many bytes
  size_t i = 0;
  for (; i < message.size(); ++i) {
    if (sent + sizeof(kCut) - 1 <= kMaxTextBytes) fits = i;
    sent += SentBytes(message[i]);
    if (sent > kMaxTextBytes) break;
  }
  if (i == message.size()) return std::string(message);
  return absl::StrCat(Utf8Prefix(message, fits), kCut);
}

// Returns the encoded payloads. If they do not fit, the largest ones are left
// out.
std::string ShortDetails(const absl::Status& status) {
  std::string details = EncodePayloads(status);
  std::vector<std::pair<size_t, std::string>> urls;
  status.ForEachPayload([&](absl::string_view url, const absl::Cord& value) {
    urls.emplace_back(url.size() + value.size(), url);
  });
  std::sort(urls.begin(), urls.end());
  absl::Status shorter = status;
  while (details.size() > kMaxDetailsBytes && !urls.empty()) {
    shorter.ErasePayload(urls.back().second);
    urls.pop_back();
    details = EncodePayloads(shorter);
  }
  return details;
}

}  // namespace

grpc::Status ToGrpcStatus(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  return grpc::Status(static_cast<grpc::StatusCode>(status.code()),
                      Shortened(EscapedLines(status.message())),
                      ShortDetails(status));
}

absl::Status FromGrpcStatus(const grpc::Status& status) {
  if (status.ok()) return absl::OkStatus();
  const int code = status.error_code();
  const bool is_known = code > 0 && code <= grpc::StatusCode::UNAUTHENTICATED;
  absl::Status result(is_known ? static_cast<absl::StatusCode>(code)
                               : absl::StatusCode::kUnknown,
                      status.error_message());
  DecodePayloads(status.error_details(), result);
  return result;
}

}  // namespace leat
