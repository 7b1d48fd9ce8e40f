// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tests/testing/raw_connection.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "leat/core/check.h"

namespace leat::testing {
namespace {

constexpr char kPreface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
// Is the size of the largest HTTP/2 frame that every peer accepts.
constexpr size_t kMaxFrameBytes = 16 << 10;
// Is the stream id of frames that apply to the whole connection.
constexpr uint32_t kConnection = 0;
constexpr uint32_t kFirstStream = 1;

enum FrameType : uint8_t { kData = 0, kHeaders = 1, kSettings = 4 };
enum FrameFlag : uint8_t { kNone = 0, kEndStream = 1, kEndHeaders = 4 };

std::string BigEndian(uint32_t value, int bytes) {
  std::string text;
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
    text.push_back(static_cast<char>(value >> shift));
  }
  return text;
}

std::string Frame(FrameType type, FrameFlag flag, uint32_t stream,
                  absl::string_view payload) {
  LEAT_CHECK(payload.size() < kMaxFrameBytes);
  return absl::StrCat(BigEndian(static_cast<uint32_t>(payload.size()), 3),
                      BigEndian(type, 1), BigEndian(flag, 1),
                      BigEndian(stream, 4), payload);
}

// Returns a header in the literal form of HPACK, which needs no table.
std::string Literal(absl::string_view name, absl::string_view value) {
  LEAT_CHECK(name.size() < 127 && value.size() < 127);  // a length is one byte
  return absl::StrCat(BigEndian(0, 1),
                      BigEndian(static_cast<uint32_t>(name.size()), 1), name,
                      BigEndian(static_cast<uint32_t>(value.size()), 1), value);
}

}  // namespace

RawConnection::RawConnection(const std::string& address)
    : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in server = {};
  server.sin_family = AF_INET;
  server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  server.sin_port = htons(static_cast<uint16_t>(
      std::atoi(address.substr(address.rfind(':') + 1).c_str())));
  EXPECT_EQ(connect(socket_, reinterpret_cast<const sockaddr*>(&server),
                    sizeof(server)),
            0);
}

RawConnection::~RawConnection() { close(socket_); }

void RawConnection::Send(absl::string_view bytes) {
  EXPECT_TRUE(TrySend(bytes));
}

bool RawConnection::TrySend(absl::string_view bytes) {
  return send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
         static_cast<ssize_t>(bytes.size());
}

bool RawConnection::IsClosedByPeer() {
  const timeval limit = {.tv_sec = 60, .tv_usec = 0};
  setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
  char bytes[1024];
  ssize_t received = 0;
  do {
    received = recv(socket_, bytes, sizeof(bytes), 0);
  } while (received > 0);
  return received == 0 || errno == ECONNRESET;
}

std::string BytesOfCall(const Method& method, absl::string_view message) {
  const std::pair<absl::string_view, absl::string_view> fields[] = {
      {":method", "POST"},
      {":scheme", "http"},
      {":path", method.path},
      {":authority", "leat"},
      {"content-type", "application/grpc"},
      {"te", "trailers"}};
  std::string headers;
  for (const auto& [name, value] : fields) headers += Literal(name, value);
  const std::string framed = absl::StrCat(
      BigEndian(0, 1),  // not compressed
      BigEndian(static_cast<uint32_t>(message.size()), 4), message);
  return absl::StrCat(kPreface, Frame(kSettings, kNone, kConnection, ""),
                      Frame(kHeaders, kEndHeaders, kFirstStream, headers),
                      Frame(kData, kEndStream, kFirstStream, framed));
}

}  // namespace leat::testing
