// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Parses text as a cluster and as TF_CONFIG. A cluster that is accepted must
// have an address for each task, and must be equal to a cluster that is made
// from its jobs.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "leat/core/check.h"
#include "leat/distributed/cluster/cluster.h"
#include "leat/distributed/cluster/resolver.h"

namespace {

void Check(const leat::ClusterSpec& cluster) {
  for (const leat::TaskId& task : cluster.Tasks()) {
    LEAT_CHECK(cluster.AddressOf(task).ok());
  }
  const auto again = leat::ClusterSpec::Create(cluster.jobs());
  LEAT_CHECK(again.ok());
  LEAT_CHECK(*again == cluster);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto cluster = leat::ClusterSpec::FromJson(text); cluster.ok()) {
    Check(*cluster);
  }
  leat::ResolverInput input;
  input.environment = [text](const std::string&) {
    return std::optional<std::string>(text);
  };
  if (const auto config = leat::ResolveTask(input); config.ok()) {
    Check(config->cluster);
    LEAT_CHECK(config->in_cluster ==
               config->cluster.AddressOf(config->task).ok());
  }
  return 0;
}
