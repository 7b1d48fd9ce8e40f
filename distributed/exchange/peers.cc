// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/exchange/peers.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/quoted_text.h"

namespace leat {

Peers::Peers(const ClusterSpec& cluster, Transport& transport,
             std::chrono::nanoseconds answer_timeout)
    : traffic_(std::make_shared<Traffic>(cluster, transport.clock())) {
  for (const auto& [job, tasks] : cluster.jobs()) {
    for (const auto& [index, address] : tasks) {
      const std::string name = TaskId{.job = job, .index = index}.ToString();
      peers_.emplace(name, std::make_shared<Peer>(name, address, transport,
                                                  traffic_, answer_timeout));
    }
  }
}

absl::StatusOr<Peers::PeerRef> Peers::Find(absl::string_view task) const {
  const auto found = peers_.find(task);
  if (found != peers_.end()) return found->second;
  return absl::NotFoundError(
      absl::StrCat("there is no task ", QuotedText(task), " in the cluster"));
}

}  // namespace leat
