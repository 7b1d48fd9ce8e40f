// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/transport/grpc/connection_table.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace leat {
namespace {

// Returns the inode of the socket `descriptor`, or 0 if `descriptor` is not an
// open socket. While a socket is open, no other socket has the same inode.
ino_t InodeOf(int descriptor) {
  struct stat info = {};
  const bool is_socket =
      fstat(descriptor, &info) == 0 && S_ISSOCK(info.st_mode);
  return is_socket ? info.st_ino : 0;
}

}  // namespace

void ConnectionTable::Add(int descriptor, const std::string& address) {
  connections_.push_back({descriptor, InodeOf(descriptor), address});
  ++by_address_[address];
}

void ConnectionTable::RemoveClosed() {
  const auto is_closed = [this](const Connection& connection) {
    if (InodeOf(connection.descriptor) == connection.inode) return false;
    const auto count = by_address_.find(connection.address);
    if (--count->second == 0) by_address_.erase(count);
    return true;
  };
  connections_.erase(
      std::remove_if(connections_.begin(), connections_.end(), is_closed),
      connections_.end());
}

std::string ConnectionTable::WhyFull(absl::string_view address) const {
  if (is_full()) {
    return absl::StrCat(connections_.size(), " connections are open (", limit_,
                        ")");
  }
  const auto count = by_address_.find(address);
  if (count != by_address_.end() && count->second >= max_per_address_) {
    return absl::StrCat(count->second, " connections of ", address,
                        " are open (--max-connections-per-address)");
  }
  return "";
}

}  // namespace leat
