// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions read and check the addresses of tasks. An address is
// "host:port", "[IPv6]:port" or "unix:/path". These are the forms that gRPC
// accepts. The functions are stateless and thread-safe.
#ifndef LEAT_DISTRIBUTED_CLUSTER_ADDRESS_H_
#define LEAT_DISTRIBUTED_CLUSTER_ADDRESS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace leat {

// Is the largest port number of TCP.
inline constexpr int kMaxPort = 65535;

// Returns INVALID_ARGUMENT, quoting the address, if `address` has none of the
// three forms. A host is an IPv6 address in brackets, or a text of at most 253
// letters, digits, '-', '_' and '.'. A port is a number from 0 to 65535 without
// leading zeros. A path is absolute and short enough for a socket.
absl::Status CheckAddress(absl::string_view address);

// Returns true if the port is 0. A task with port 0 takes a free port when it
// starts, so other tasks cannot reach the task by this address.
bool HasFreePort(absl::string_view address);

// Returns true if only processes of this machine can reach `address`:
// 127.0.0.0/8, ::1, localhost and Unix sockets. REQUIRES: CheckAddress accepts
// `address`.
bool IsLoopback(absl::string_view address);

// Returns the path of "unix:/path", or "" for the other forms.
std::string UnixPath(absl::string_view address);

// Returns the same text for every spelling of an address. Spellings may differ
// in the case of names, in the zeros of an IPv6 address and in repeated slashes
// before a path. Does not look up names. REQUIRES: CheckAddress accepts
// `address`.
std::string CanonicalAddress(absl::string_view address);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_CLUSTER_ADDRESS_H_
