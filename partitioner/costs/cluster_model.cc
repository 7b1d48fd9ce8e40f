// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/partitioner/costs/cluster_model.h"

#include "leat/core/codec/json.h"
#include "leat/core/files/regular_file.h"
#include "leat/core/status_macros.h"

namespace leat {

absl::StatusOr<ClusterModel> ClusterModel::Load(const std::string& path) {
  LEAT_ASSIGN_OR_RETURN(
      const std::string text,
      ReadRegularFile(path, static_cast<int64_t>(kMaxJsonBytes)));
  return FromJson(text, path);
}

int ClusterModel::FindDevice(absl::string_view name) const {
  const auto found = device_index_.find(name);
  return found == device_index_.end() ? -1 : found->second;
}

int ClusterModel::LinkBetween(int task, int other_task) const {
  if (task == other_task) return kNoLink;
  const auto host = static_cast<size_t>(tasks_[task].host);
  const auto other = static_cast<size_t>(tasks_[other_task].host);
  if (host == other) return host_links_[host].tasks;
  return pair_links_[host * hosts_.size() + other];
}

double ClusterModel::NumProcessors() const {
  double number = 0;
  for (const HostModel& host : hosts_) number += host.cores;
  for (const DeviceModel& device : devices_) {
    if (device.type == kGpu) number += device.streams;
  }
  return number;
}

std::vector<DeviceInfo> ClusterModel::DeviceInfos() const {
  std::vector<DeviceInfo> infos;
  infos.reserve(devices_.size());
  for (const DeviceModel& device : devices_) {
    infos.push_back({.name = device.name,
                     .type = device.type,
                     .memory_bytes = device.memory_bytes,
                     .incarnation = 1,
                     .description = device.kind});
  }
  return infos;
}

}  // namespace leat
