// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/transport/grpc/listening_sockets.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "leat/core/status_macros.h"
#include "leat/distributed/cluster/address.h"
#include "leat/distributed/transport/call_errors.h"

namespace leat {
namespace {

// Limits the number of free ports that are tried. A port that is free at the
// first address of a host may be in use at another address.
constexpr int kMaxPortsTried = 16;

using Addresses = std::unique_ptr<addrinfo, void (*)(addrinfo*)>;

// Makes a socket that listens at a socket address. Returns 0 or an error
// number.
int Listen(const sockaddr* address, socklen_t size, FileDescriptor& listening) {
  const int family = address->sa_family;
  FileDescriptor made(
      socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!made.is_open()) return errno;
  const int on = 1;
  const int off = 0;
  if (family != AF_UNIX) {
    setsockopt(made.number(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    // This option makes TCP send small messages at once. Connections inherit
    // it.
    setsockopt(made.number(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  }
  if (family == AF_INET6) {
    setsockopt(made.number(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
  }
  // Sets the mode of the socket. The socket file that bind makes gets the same
  // mode.
  if (family == AF_UNIX && fchmod(made.number(), S_IRUSR | S_IWUSR) != 0) {
    return errno;
  }
  if (bind(made.number(), address, size) != 0) return errno;
  if (listen(made.number(), SOMAXCONN) != 0) return errno;
  listening = std::move(made);
  return 0;
}

// Returns the port of a socket, in the network's byte order. Returns 0 and sets
// errno if the port cannot be found out.
in_port_t PortOf(const FileDescriptor& socket) {
  sockaddr_storage address = {};
  socklen_t size = sizeof(address);
  if (getsockname(socket.number(), reinterpret_cast<sockaddr*>(&address),
                  &size) != 0) {
    return 0;
  }
  return address.ss_family == AF_INET6
             ? reinterpret_cast<const sockaddr_in6&>(address).sin6_port
             : reinterpret_cast<const sockaddr_in&>(address).sin_port;
}

void SetPort(sockaddr* address, in_port_t port) {
  if (address->sa_family == AF_INET6) {
    reinterpret_cast<sockaddr_in6*>(address)->sin6_port = port;
  } else {
    reinterpret_cast<sockaddr_in*>(address)->sin_port = port;
  }
}

absl::StatusOr<Addresses> LookUp(const std::string& address) {
  const size_t colon = address.rfind(':');
  absl::string_view host(address.data(), colon);
  if (absl::ConsumePrefix(&host, "[")) absl::ConsumeSuffix(&host, "]");
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int failed = getaddrinfo(std::string(host).c_str(),
                                 address.c_str() + colon + 1, &hints, &found);
  if (failed != 0) return CannotListenError(address, gai_strerror(failed));
  return Addresses(found, freeaddrinfo);
}

// Returns the bytes of the IP address in `address`, without the port.
absl::string_view HostOf(const addrinfo& address) {
  if (address.ai_family == AF_INET6) {
    const auto& v6 = *reinterpret_cast<const sockaddr_in6*>(address.ai_addr);
    return {reinterpret_cast<const char*>(&v6.sin6_addr), sizeof(v6.sin6_addr)};
  }
  const auto& v4 = *reinterpret_cast<const sockaddr_in*>(address.ai_addr);
  return {reinterpret_cast<const char*>(&v4.sin_addr), sizeof(v4.sin_addr)};
}

// Returns true if the IP address of `one` occurs earlier in the list. For
// example, two lines of /etc/hosts may give the same name to the same address.
bool IsRepeated(const addrinfo* addresses, const addrinfo* one) {
  for (const addrinfo* each = addresses; each != one; each = each->ai_next) {
    if (HostOf(*each) == HostOf(*one)) return true;
  }
  return false;
}

// Listens at each of `addresses`. If the port is 0, the first socket gets a
// free port, and the other sockets get the same port. Leaves out addresses that
// this machine does not have or support. Returns an error number if listening
// at an address fails or all addresses are left out, otherwise 0.
int ListenAtAll(const addrinfo* addresses,
                std::vector<FileDescriptor>& sockets) {
  int lacking = 0;
  for (const addrinfo* each = addresses; each != nullptr;
       each = each->ai_next) {
    if (IsRepeated(addresses, each)) continue;
    if (!sockets.empty()) {
      const in_port_t port = PortOf(sockets.front());
      if (port == 0) return errno;
      SetPort(each->ai_addr, port);
    }
    FileDescriptor socket;
    const int error = Listen(each->ai_addr, each->ai_addrlen, socket);
    if (error == 0) {
      sockets.push_back(std::move(socket));
    } else if (error == EAFNOSUPPORT || error == EADDRNOTAVAIL) {
      lacking = error;
    } else {
      return error;
    }
  }
  return sockets.empty() ? lacking : 0;
}

absl::StatusOr<ListeningSockets> ListenAtHost(const std::string& address) {
  const bool has_free_port = HasFreePort(address);
  ListeningSockets listening{.address = address};
  int error = EADDRINUSE;
  for (int tried = 0; error == EADDRINUSE && tried < kMaxPortsTried; ++tried) {
    if (tried > 0 && !has_free_port) break;
    LEAT_ASSIGN_OR_RETURN(const Addresses addresses, LookUp(address));
    listening.sockets.clear();
    error = ListenAtAll(addresses.get(), listening.sockets);
  }
  if (error != 0) return CannotListenError(address, std::strerror(error));
  if (has_free_port) {
    const in_port_t port = PortOf(listening.sockets.front());
    if (port == 0) return CannotListenError(address, std::strerror(errno));
    listening.address =
        absl::StrCat(absl::StripSuffix(address, "0"), ntohs(port));
  }
  return listening;
}

absl::StatusOr<ListeningSockets> ListenAtPath(const std::string& address) {
  const std::string path = UnixPath(address);
  LEAT_RETURN_IF_ERROR(ClearSocketPath(path));
  sockaddr_un name = {};
  name.sun_family = AF_UNIX;
  if (path.size() >= sizeof(name.sun_path)) {
    return CannotListenError(address, std::strerror(ENAMETOOLONG));
  }
  std::memcpy(name.sun_path, path.data(), path.size());
  FileDescriptor socket;
  const int error =
      Listen(reinterpret_cast<const sockaddr*>(&name), sizeof(name), socket);
  if (error != 0) return CannotListenError(address, std::strerror(error));
  ListeningSockets listening;
  listening.sockets.push_back(std::move(socket));
  listening.address = address;
  listening.file = std::make_unique<UnixSocketFile>();
  listening.file->Own(path);
  return listening;
}

}  // namespace

absl::StatusOr<ListeningSockets> ListenAt(
    const std::string& address, std::chrono::milliseconds user_timeout) {
  LEAT_RETURN_IF_ERROR(CheckAddress(address));
  LEAT_ASSIGN_OR_RETURN(ListeningSockets listening,
                        UnixPath(address).empty() ? ListenAtHost(address)
                                                  : ListenAtPath(address));
  const auto timeout = static_cast<unsigned int>(user_timeout.count());
  for (const FileDescriptor& socket : listening.sockets) {
    // Connections inherit this option. Only TCP has it.
    setsockopt(socket.number(), IPPROTO_TCP, TCP_USER_TIMEOUT, &timeout,
               sizeof(timeout));
  }
  return listening;
}

}  // namespace leat
