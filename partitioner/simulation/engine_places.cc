// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Implements where runs happen in simulated time: on the cores of hosts, on the
// streams of GPUs, and on the lines between GPUs and the memory of their hosts.
#include <algorithm>

#include "leat/partitioner/simulation/engine.h"

namespace leat {

// Each GPU has its streams and a line in each direction, unless the GPUs of a
// host share one line.
void Engine::PrepareServers() {
  std::vector<int32_t> shared(cluster_.hosts().size(), -1);  // by host
  const auto add = [&](int lanes) {
    Server server;
    for (int32_t lane = lanes - 1; lane >= 0; --lane) {
      server.free_lanes.push_back(lane);
    }
    servers_.push_back(std::move(server));
    return static_cast<int32_t>(servers_.size()) - 1;
  };
  for (const int32_t index : step_.device_of) {
    const DeviceModel& device = cluster_.devices()[index];
    servers_of_.push_back({-1, -1, -1});
    if (device.type != kGpu) continue;
    std::array<int32_t, 3>& servers = servers_of_.back();
    servers[0] = add(device.streams);
    const LinkModel& link = cluster_.links()[cluster_.GpuLink(device.host)];
    if (link.sharing == LinkSharing::kAll) {
      int32_t& line = shared[device.host];
      if (line < 0) line = add(1);
      servers[1] = servers[2] = line;
    } else {
      servers[1] = add(1);
      servers[2] = add(1);
    }
  }
}

// What is in the pool already has the first claim to a free core.
void Engine::AddToPool(int32_t index, const Item& item) {
  Host& host = hosts_[index];
  if (host.free_cores > 0 && host.pool.empty()) return GiveCore(index, item);
  host.pool.push_back(item);
}

void Engine::GiveCore(int32_t index, const Item& item) {
  Host& host = hosts_[index];
  --host.free_cores;
  int32_t worker = static_cast<int32_t>(workers_.size());
  if (host.idle.empty()) {
    workers_.push_back({.host = index, .lane = host.num_lanes++});
  } else {
    worker = host.idle.back();
    host.idle.pop_back();
  }
  Begin(worker, item);
}

void Engine::Begin(int32_t index, const Item& item) {
  Worker& worker = workers_[index];
  worker.current = item;
  worker.begin = now_;
  worker.extra_cores = 0;
  double seconds = 0;
  if (item.node >= 0) {
    const ModelNode& node = step_.nodes[item.node];
    Host& host = hosts_[worker.host];
    worker.extra_cores = std::min(node.cores - 1, host.free_cores);
    host.free_cores -= worker.extra_cores;
    const double of_one = node.seconds * node.cores;
    seconds = of_one / (1 + worker.extra_cores);
    busy_seconds_[node.part] += of_one;
    const State& state = StateOf(item.node, item.iteration);
    worker.cause = CauseOf(item, state);
  }
  Push({.time = now_ + seconds,
        .kind = Event::Kind::kWorkerEnds,
        .subject = index});
}

// If the run was ready before, it has waited for the core or stream of the run
// that has just ended.
Engine::PackedCause Engine::CauseOf(const Item& item,
                                    const State& state) const {
  if (item.ready == now_) return state.cause;
  return static_cast<PackedCause>(runs_.size()) - 1;
}

void Engine::Continue(int32_t index) {
  Worker& worker = workers_[index];
  const int32_t of_host = worker.host;
  Host& host = hosts_[of_host];
  std::vector<Item>& own = worker.cheap.empty() ? worker.kept : worker.cheap;
  if (own.empty()) {
    ++host.free_cores;
    host.idle.push_back(index);
  } else {
    const Item next = own.back();
    own.pop_back();
    Begin(index, next);
  }
  // The cores that helped the run that has ended may be free, too.
  while (host.free_cores > 0 && !host.pool.empty()) {
    const Item next = host.pool.front();
    host.pool.pop_front();
    GiveCore(of_host, next);
  }
}

int32_t Engine::ServerOf(const ModelNode& node) const {
  const std::array<int32_t, 3>& servers = servers_of_[node.part];
  if (node.place == RunPlace::kStream) return servers[0];
  return node.is_to_host ? servers[1] : servers[2];
}

void Engine::AddToServer(int32_t server, const Item& item) {
  if (!servers_[server].free_lanes.empty()) return BeginOnServer(server, item);
  servers_[server].queue.push_back(item);
}

void Engine::BeginOnServer(int32_t index, const Item& item) {
  Server& server = servers_[index];
  const int32_t lane = server.free_lanes.back();
  server.free_lanes.pop_back();
  const ModelNode& node = step_.nodes[item.node];
  if (node.place == RunPlace::kStream) busy_seconds_[node.part] += node.seconds;
  const State& state = StateOf(item.node, item.iteration);
  Push({.time = now_ + node.seconds,
        .kind = Event::Kind::kServerEnds,
        .subject = index,
        .lane = lane,
        .item = item,
        .begin = now_,
        .cause = CauseOf(item, state)});
}

}  // namespace leat
