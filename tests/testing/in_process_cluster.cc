// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tests/testing/in_process_cluster.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "leat/core/check.h"
#include "leat/tests/testing/faulty_transport.h"
#include "leat/tests/testing/leaks.h"
#include "leat/tests/testing/simulated_clock.h"

namespace leat::testing {

InProcessCluster::InProcessCluster(const std::map<std::string, int>& jobs,
                                   ServerLimits limits,
                                   std::shared_ptr<CallFaults> faults,
                                   const ChunkOptions& chunks)
    : limits_(std::move(limits)), chunks_(chunks) {
  transports_.Add(
      "in-process",
      [network = std::make_shared<InProcessNetwork>(2, TestClock()),
       faults](const TransportOptions& options) -> std::unique_ptr<Transport> {
        auto transport = network->NewTransport(options);
        if (faults == nullptr) return transport;
        return std::make_unique<FaultyTransport>(std::move(transport), faults);
      });
  ClusterSpec::Jobs addresses;
  int port = 1000;
  for (const auto& [job, count] : jobs) {
    for (int i = 0; i < count; ++i) {
      addresses[job][i] = absl::StrCat("localhost:", ++port);
    }
  }
  auto spec = ClusterSpec::Create(std::move(addresses));
  LEAT_CHECK(spec.ok());
  spec_ = *std::move(spec);
  for (const TaskId& task : spec_.Tasks()) Start(task);
}

void InProcessCluster::Start(const TaskId& task, DeviceSetOptions devices) {
  auto server = Server::Start({.config = {.cluster = spec_, .task = task},
                               .devices = std::move(devices),
                               .limits = limits_,
                               .chunks = chunks_,
                               .transport = "in-process",
                               .transports = &transports_});
  ASSERT_TRUE(server.ok()) << server.status();
  servers_[task.ToString()] = *std::move(server);
}

std::string InProcessCluster::Address(const TaskId& task) const {
  return spec_.AddressOf(task).value();
}

std::string InProcessCluster::Target(const TaskId& task) const {
  return absl::StrCat("in-process://", Address(task));
}

absl::StatusOr<std::shared_ptr<Session>> InProcessCluster::NewSession(
    const Graph& graph, const TaskId& task, RemoteSessionOptions options) {
  options.transports = &transports_;
  return NewRemoteSession(graph, Target(task), options);
}

std::string InProcessCluster::Leaks() {
  std::string leaks;
  for (const auto& [task, server] : servers_) {
    absl::StrAppend(&leaks, LeaksOf(*server));
  }
  return leaks;
}

}  // namespace leat::testing
