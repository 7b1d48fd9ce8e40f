// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Addresses of tasks: "host:port", "[IPv6]:port" or "unix:/path", as gRPC
// takes them.
#ifndef LEAT_DISTRIBUTED_ADDRESS_H_
#define LEAT_DISTRIBUTED_ADDRESS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace leat {

inline constexpr int kMaxPort = 65535;

// INVALID_ARGUMENT quoting an address of another form. Hosts are names of
// letters, digits, '-', '_' and '.', or numbers; ports are from 0 to 65535;
// paths are absolute and short enough for a socket.
absl::Status CheckAddress(absl::string_view address);

// Port 0: the task takes a free one when it starts, so no other task can reach
// it by this address.
bool HasFreePort(absl::string_view address);

// Only processes of this machine reach it: 127.0.0.0/8, ::1, localhost and
// sockets of Unix. REQUIRES: one that CheckAddress accepts.
bool IsLoopback(absl::string_view address);

// The path of a "unix:/path"; "" for others.
std::string UnixPath(absl::string_view address);

// Equal for two addresses that are the same but for how they are written: the
// case of names, zeros in IPv6, slashes before a path. Names are not looked up.
// REQUIRES: one that CheckAddress accepts.
std::string CanonicalAddress(absl::string_view address);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_ADDRESS_H_
