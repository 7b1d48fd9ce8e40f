// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ConnectionTable counts the open connections of a listener, both in total and
// for each peer's address, and says whether one more may be opened.
//
//   ConnectionTable table(/*max_connections=*/1000, /*max_per_address=*/500);
//   if (table.WhyFull("10.0.0.7").empty()) table.Add(descriptor, "10.0.0.7");
#ifndef LEAT_DISTRIBUTED_TRANSPORT_GRPC_CONNECTION_TABLE_H_
#define LEAT_DISTRIBUTED_TRANSPORT_GRPC_CONNECTION_TABLE_H_

#include <sys/stat.h>

#include <cstddef>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"

namespace leat {

// Is not thread-safe. The table owns no descriptors. gRPC owns them, and does
// not tell the table when it closes one. So the table remembers the inode of
// each descriptor's socket. RemoveClosed asks the system which of these sockets
// are still open.
class ConnectionTable {
 public:
  // `limit` is a text for messages. It says where the value of
  // `max_connections` comes from.
  ConnectionTable(size_t max_connections, size_t max_per_address,
                  absl::string_view limit = "--max-connections")
      : max_connections_(max_connections),
        max_per_address_(max_per_address),
        limit_(limit) {}

  // Adds the connection of the socket `descriptor` with a peer at `address`.
  void Add(int descriptor, const std::string& address);

  // Removes the connections that were closed since they were added. Takes less
  // than a microsecond for each connection in the table.
  void RemoveClosed();

  // Returns why no connection from `address` may be added, with the name of the
  // limit. Returns "" if one may be added.
  std::string WhyFull(absl::string_view address) const;

  // Returns the number of connections in the table, including those that were
  // closed since the last RemoveClosed.
  size_t size() const { return connections_.size(); }
  bool is_full() const { return connections_.size() >= max_connections_; }
  size_t max_connections() const { return max_connections_; }

 private:
  struct Connection {
    int descriptor;
    ino_t inode;
    std::string address;
  };

  const size_t max_connections_;
  const size_t max_per_address_;
  const std::string limit_;
  std::vector<Connection> connections_;
  absl::flat_hash_map<std::string, size_t> by_address_;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_TRANSPORT_GRPC_CONNECTION_TABLE_H_
