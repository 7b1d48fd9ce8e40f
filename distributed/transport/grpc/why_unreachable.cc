// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/transport/grpc/why_unreachable.h"

#include "absl/strings/match.h"
#include "absl/strings/strip.h"

namespace leat {
namespace {

constexpr absl::string_view kCannotConnect =
    "failed to connect to all addresses; last error: ";
constexpr absl::string_view kCannotResolve = "DNS resolution failed";

// `part` is a part of a message of gRPC 1.51 or later. `meaning` is the reason
// for users.
struct Known {
  absl::string_view part;
  const char* meaning;
};

constexpr Known kConnectErrors[] = {
    {"Connection refused", "connection refused, because nothing listens there"},
    {"No such file or directory", "there is no such socket"},
    {"Permission denied", "permission denied"},
    {"Network is unreachable", "there is no route to its network"},
    {"No route to host", "there is no route to its host"},
    // The peer's host never answered the attempt to connect.
    {"tcp handshaker shutdown", "timed out, because its host does not answer"},
    {"before receiving SETTINGS",
     "timed out, because it accepts connections but does not answer"},
    {"http1.x server", "it speaks HTTP/1, so it is no task"},
    {"Socket closed",
     "it closes each connection, so it is no task, or it wants TLS, or it has "
     "as many connections as it may have (--max-connections)"},
};

}  // namespace

std::string WhyUnreachable(absl::string_view message) {
  if (absl::StartsWith(message, kCannotResolve)) {
    return absl::StrContains(message, "Domain name not found")
               ? "unknown host"
               : std::string(message);
  }
  if (!absl::ConsumePrefix(&message, kCannotConnect)) {
    return std::string(message);
  }
  for (const Known& known : kConnectErrors) {
    if (absl::StrContains(message, known.part)) return known.meaning;
  }
  return std::string(message);
}

}  // namespace leat
