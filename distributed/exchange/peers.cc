// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/exchange/peers.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/quoted_text.h"

namespace leat {

Peers::Peers(const ClusterSpec& cluster, Transport& transport)
    : traffic_(std::make_shared<Traffic>(cluster)) {
  for (const auto& [job, tasks] : cluster.jobs()) {
    for (const auto& [index, address] : tasks) {
      const std::string name = TaskId{.job = job, .index = index}.ToString();
      peers_.emplace(
          name, std::make_shared<Peer>(name, address, transport, traffic_));
    }
  }
}

absl::StatusOr<Peers::PeerRef> Peers::Find(absl::string_view task) const {
  const auto found = peers_.find(task);
  if (found != peers_.end()) return found->second;
  return absl::NotFoundError(
      absl::StrCat("there is no task ", QuotedText(task), " in the cluster"));
}

void Peers::Call(absl::string_view task, const Method& method, Payload request,
                 CallOptions options, Reply done) {
  const absl::StatusOr<PeerRef> peer = Find(task);
  if (!peer.ok()) return std::move(done)(peer.status());
  (*peer)->Call(method, std::move(request), std::move(options),
                (*peer)->NameTransportErrors(std::move(done)));
}

void Peers::GetStatus(absl::string_view task, CallOptions options,
                      Peer::StatusDone done) {
  const absl::StatusOr<PeerRef> peer = Find(task);
  if (!peer.ok()) return std::move(done)(peer.status());
  (*peer)->GetStatus(std::move(options), std::move(done));
}

void Peers::Meet(absl::string_view task) {
  if (const absl::StatusOr<PeerRef> peer = Find(task); peer.ok()) {
    (*peer)->Meet();
  }
}

}  // namespace leat
