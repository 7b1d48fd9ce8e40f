// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/server/status_service.h"

#include <algorithm>
#include <memory>

#include "leat/core/status_macros.h"
#include "leat/distributed/cluster/device_attributes.h"
#include "leat/distributed/exchange/open_recvs.h"
#include "leat/distributed/exchange/peers.h"
#include "leat/distributed/exchange/traffic.h"
#include "leat/distributed/master/master.h"
#include "leat/distributed/server/memory_sweeper.h"
#include "leat/distributed/shown_status.h"
#include "leat/distributed/wire/messages.h"
#include "leat/distributed/worker/worker.h"
#include "leat/protos/status.pb.h"
#include "leat/runtime/device_set.h"
#include "leat/runtime/host_memory.h"

namespace leat {
namespace {

constexpr size_t kMaxTaskBytes = 200;

void ReportPeer(const PeerTraffic& traffic, pb::PeerTrafficStatus& peer) {
  const PeerTraffic::Totals totals = traffic.totals();
  peer.set_kind(
      static_cast<pb::PeerTrafficStatus::Kind>(static_cast<int>(totals.kind)));
  peer.set_state(static_cast<pb::PeerTrafficStatus::State>(
      static_cast<int>(totals.state)));
  peer.set_error(ShownText(totals.error, totals.error.size()));
  peer.set_calls(totals.calls);
  peer.set_calls_under_way(totals.calls_under_way);
  peer.set_calls_served(totals.calls_served);
  peer.set_bytes_sent(totals.bytes_sent);
  peer.set_bytes_received(totals.bytes_received);
  peer.set_heard_us(totals.heard.has_value() ? ToMicros(*totals.heard) : -1);
}

// Adds the traffic with every task except `own`.
void ReportPeers(const Peers& peers, absl::string_view own,
                 const StatusListing& listing, pb::TaskStatusResponse& status) {
  int64_t count = 0;
  for (const auto& [task, peer] : peers.all()) {
    if (task == own) continue;
    ++count;
    if (static_cast<size_t>(status.peers_size()) >= listing.max_peers) continue;
    pb::PeerTrafficStatus& listed = *status.add_peers();
    listed.set_task(task);
    listed.set_address(peer->address());
    ReportPeer(peer->traffic(), listed);
  }
  // Adds the traffic with callers that are not in the cluster. This task never
  // calls such callers.
  const PeerTraffic& others = peers.traffic()->Of("");
  if (others.totals().calls_served > 0) {
    ++count;
    ReportPeer(others, *status.add_peers());
  }
  status.set_num_peers(count);
}

void ReportRecvs(const OpenRecvs& recvs, const StatusListing& listing,
                 pb::TaskStatusResponse& status) {
  for (const OpenRecvs::Recv& recv :
       recvs.Oldest(listing.min_age, listing.max_listed)) {
    pb::WaitingRecvStatus& listed = *status.add_waiting_recvs();
    listed.set_step(ShownStep(recv.step_id));
    listed.set_key(ShownText(recv.key, OpenRecvs::kMaxKeyBytes));
    listed.set_sender(ShownText(recv.sender, kMaxTaskBytes));
    listed.set_receiver(ShownText(recv.receiver, kMaxTaskBytes));
    listed.set_age_us(ToMicros(recv.age));
  }
  status.set_num_waiting_recvs(static_cast<int64_t>(recvs.size()));
}

void ReportConnections(const ConnectionCounts& counts,
                       pb::ConnectionStatus& status) {
  status.set_open(static_cast<int64_t>(counts.open));
  status.set_max(static_cast<int64_t>(counts.max));
  status.set_refused(static_cast<int64_t>(counts.refused));
  status.set_problem(counts.problem);
}

void ReportMemory(const DeviceSet& devices, const MemorySweeper& sweeper,
                  pb::MemoryStatus& status) {
  for (const auto& device : devices.devices()) {
    if (device->gpu_stream() != nullptr) continue;  // not memory of the host
    const AllocatorStats stats = device->allocator().stats();
    status.set_live_bytes(status.live_bytes() + stats.live_bytes);
    status.set_kept_bytes(status.kept_bytes() + stats.kept_bytes);
  }
  status.set_free_heap_bytes(FreeHeapBytes());
  status.set_free_bytes(FreeMemoryBytes());
  status.set_given_back_bytes(sweeper.given_back_bytes());
}

}  // namespace

StatusService::StatusService(Sources sources)
    : sources_(std::move(sources)), started_(sources_.clock->Now()) {}

void StatusService::AddMethods(MethodTable& methods) {
  methods.Add(methods::kTaskStatus,
              [this](std::shared_ptr<CallContext>, Payload request,
                     Reply reply) { std::move(reply)(GetStatus(request)); });
}

absl::StatusOr<Payload> StatusService::GetStatus(const Payload& payload) const {
  pb::TaskStatusRequest request;
  LEAT_RETURN_IF_ERROR(ParseSmall(payload.header, request));
  StatusListing listing;
  // No tensor can have been awaited for longer than this. So the clamp does not
  // change the result for a larger `min_age_us`.
  constexpr int64_t kMaxAge = int64_t{1} << 50;
  listing.min_age = std::chrono::microseconds(
      std::clamp<int64_t>(request.min_age_us(), 0, kMaxAge));
  pb::TaskStatusResponse status;
  status.set_task(sources_.task);
  status.set_version(sources_.version);
  status.set_uptime_us(ToMicros(sources_.clock->Now() - started_));
  status.set_resident_bytes(ResidentBytes());
  ReportConnections(sources_.connections(), *status.mutable_connections());
  ReportMemory(*sources_.devices, *sources_.sweeper, *status.mutable_memory());
  for (const auto& device : sources_.devices->devices()) {
    ExportDevice(device->info(), *status.add_devices());
  }
  sources_.worker->Report(listing, status);
  sources_.master->Report(listing, status);
  ReportPeers(*sources_.peers, sources_.task, listing, status);
  ReportRecvs(sources_.peers->traffic()->recvs(), listing, status);
  return ToPayload(status);
}

}  // namespace leat
