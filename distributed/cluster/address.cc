// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/cluster/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/un.h>

#include <algorithm>
#include <cstddef>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "leat/core/quoted_text.h"

namespace leat {
namespace {

constexpr size_t kMaxHost = 253;  // RFC 1035
constexpr size_t kMaxPath = sizeof(sockaddr_un::sun_path) - 1;
constexpr char kUnix[] = "unix:";

struct HostPort {
  absl::string_view host;  // without brackets
  absl::string_view port;
  bool is_ipv6 = false;
};

// Splits `address` at the ':' before its port. Returns false if there is no
// such ':', or if a host without brackets contains a ':'.
bool Split(absl::string_view address, HostPort& parts) {
  parts.is_ipv6 = absl::ConsumePrefix(&address, "[");
  const absl::string_view separator = parts.is_ipv6 ? "]:" : ":";
  const size_t end = address.find(separator);
  if (end == address.npos) return false;
  parts.host = address.substr(0, end);
  parts.port = address.substr(end + separator.size());
  return !absl::StrContains(parts.port, ':');
}

// Fills the 16 bytes of `bytes`. Returns false if `host` is not an IPv6
// address.
bool ParseIpv6(absl::string_view host, in6_addr& bytes) {
  return inet_pton(AF_INET6, std::string(host).c_str(), &bytes) == 1;
}

bool IsHost(const HostPort& parts) {
  if (parts.is_ipv6) {
    in6_addr unused;
    return ParseIpv6(parts.host, unused);
  }
  return !parts.host.empty() && parts.host.size() <= kMaxHost &&
         std::all_of(parts.host.begin(), parts.host.end(), [](char c) {
           return absl::ascii_isalnum(c) || c == '-' || c == '_' || c == '.';
         });
}

// Refuses leading zeros, so that each port has only one spelling.
bool IsPort(absl::string_view text) {
  int value = 0;
  return absl::SimpleAtoi(text, &value) && value >= 0 && value <= kMaxPort &&
         text == absl::StrCat(value);
}

// Returns the part of the error message that follows the address. Returns "" if
// the address is valid.
std::string ProblemOf(absl::string_view address) {
  if (absl::ConsumePrefix(&address, kUnix)) {
    if (!absl::StartsWith(address, "/")) return "is not unix:/ABSOLUTE/PATH";
    if (absl::StrContains(address, '\0') || address.size() > kMaxPath) {
      return absl::StrCat("is not the path of a socket, which has at most ",
                          kMaxPath, " bytes and none that is zero");
    }
    return "";
  }
  HostPort parts;
  if (!Split(address, parts) || !IsHost(parts)) {
    return "is none of HOST:PORT, [IPV6]:PORT and unix:/PATH";
  }
  if (!IsPort(parts.port)) {
    return absl::StrCat("has port ", QuotedText(parts.port),
                        ", which is not a number from 0 to ", kMaxPort);
  }
  return "";
}

}  // namespace

absl::Status CheckAddress(absl::string_view address) {
  const std::string problem = ProblemOf(address);
  if (problem.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("address ", QuotedText(address), " ", problem));
}

bool HasFreePort(absl::string_view address) {
  return !absl::StartsWith(address, kUnix) && absl::EndsWith(address, ":0");
}

bool IsLoopback(absl::string_view address) {
  if (absl::StartsWith(address, kUnix)) return true;
  HostPort parts;
  if (!Split(address, parts)) return false;
  in6_addr ipv6;
  if (parts.is_ipv6) {
    return ParseIpv6(parts.host, ipv6) && IN6_IS_ADDR_LOOPBACK(&ipv6);
  }
  in_addr ipv4;
  if (inet_pton(AF_INET, std::string(parts.host).c_str(), &ipv4) == 1) {
    return ntohl(ipv4.s_addr) >> 24 == IN_LOOPBACKNET;
  }
  return absl::EqualsIgnoreCase(parts.host, "localhost");
}

std::string UnixPath(absl::string_view address) {
  return absl::ConsumePrefix(&address, kUnix) ? std::string(address) : "";
}

std::string CanonicalAddress(absl::string_view address) {
  if (absl::ConsumePrefix(&address, kUnix)) {
    while (absl::StartsWith(address, "//")) address.remove_prefix(1);
    return absl::StrCat(kUnix, address);
  }
  HostPort parts;
  in6_addr bytes;
  char text[INET6_ADDRSTRLEN];
  if (Split(address, parts) && parts.is_ipv6 && ParseIpv6(parts.host, bytes) &&
      inet_ntop(AF_INET6, &bytes, text, sizeof(text)) != nullptr) {
    return absl::StrCat("[", text, "]:", parts.port);
  }
  return absl::AsciiStrToLower(address);
}

}  // namespace leat
