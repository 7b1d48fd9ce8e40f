// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/server/status_service.h"

#include <algorithm>
#include <memory>

#include "leat/core/threads/clock.h"
#include "leat/distributed/cluster/device_attributes.h"
#include "leat/distributed/exchange/open_recvs.h"
#include "leat/distributed/exchange/peers.h"
#include "leat/distributed/exchange/traffic.h"
#include "leat/distributed/master/master.h"
#include "leat/distributed/requests/request_queue.h"
#include "leat/distributed/shown_ids.h"
#include "leat/distributed/status_listing.h"
#include "leat/distributed/worker/worker.h"
#include "leat/protos/status.pb.h"
#include "leat/runtime/device_set.h"
#include "leat/runtime/host_memory.h"

namespace leat {
namespace {

// A request is only a number, so it is short.
constexpr size_t kMaxStatusRequestBytes = 1024;
constexpr size_t kMaxTaskBytes = 200;

void ReportRecvs(const OpenRecvs& recvs, const StatusListing& listing,
                 pb::TaskStatusResponse& status) {
  for (const OpenRecvs::Recv& recv :
       recvs.Oldest(listing.min_age, listing.max_listed)) {
    pb::WaitingRecvStatus& listed = *status.add_waiting_recvs();
    listed.set_step(ShownStep(recv.step_id));
    listed.set_key(ShownText(recv.key, OpenRecvs::kMaxKeyBytes));
    listed.set_sender(ShownText(SenderOf(recv.key), kMaxTaskBytes));
    listed.set_receiver(ShownText(ReceiverOf(recv.key), kMaxTaskBytes));
    listed.set_age_us(ToMicros(recv.age));
  }
  status.set_num_waiting_recvs(static_cast<int64_t>(recvs.size()));
}

}  // namespace

void StatusService::AddMethods(MethodTable& methods) {
  methods.Add(methods::kTaskStatus,
              [this](std::shared_ptr<CallContext>, Payload request,
                     Reply reply) { std::move(reply)(GetStatus(request)); });
}

absl::StatusOr<Payload> StatusService::GetStatus(const Payload& payload) const {
  pb::TaskStatusRequest request;
  if (payload.header.size() > kMaxStatusRequestBytes ||
      !request.ParseFromString(payload.header)) {
    return absl::InvalidArgumentError("malformed TaskStatusRequest");
  }
  StatusListing listing;
  // Longer than any step can have run, so that nothing is listed.
  constexpr int64_t kMaxAge = int64_t{1} << 50;
  listing.min_age = std::chrono::microseconds(
      std::clamp<int64_t>(request.min_age_us(), 0, kMaxAge));
  pb::TaskStatusResponse status;
  status.set_task(sources_.task);
  status.set_version(sources_.version);
  status.set_uptime_us(ToMicros(Clock::now() - started_));
  status.set_resident_bytes(ResidentBytes());
  for (const auto& device : sources_.devices->devices()) {
    ExportDevice(device->info(), *status.add_devices());
  }
  sources_.worker->Report(listing, status);
  sources_.master->Report(listing, status);
  sources_.peers->Report(sources_.task, listing, status);
  ReportRecvs(sources_.peers->traffic()->recvs(), listing, status);
  return ToPayload(status);
}

}  // namespace leat
