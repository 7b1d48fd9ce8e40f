// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Parses text as a cluster model. In a model that is accepted, each device must
// be found by its name, and a link must connect any two tasks.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "leat/core/check.h"
#include "leat/partitioner/costs/cluster_model.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view text(reinterpret_cast<const char*>(data), size);
  const auto model = leat::ClusterModel::FromJson(text, "a fuzzed text");
  if (!model.ok()) return 0;
  const int num_devices = static_cast<int>(model->devices().size());
  LEAT_CHECK(num_devices > 0);
  // Models are large at times, so only the first and last devices are tried.
  constexpr int kTried = 8;
  for (int i = 0; i < std::min(num_devices, kTried); ++i) {
    for (const int at : {i, num_devices - 1 - i}) {
      const leat::DeviceModel& device = model->devices()[at];
      LEAT_CHECK(model->FindDevice(device.name) == at);
      if (device.type == leat::kGpu)
        LEAT_CHECK(model->GpuLink(device.host) >= 0);
      const int first = model->devices()[0].task;
      LEAT_CHECK((model->LinkBetween(device.task, first) >= 0) ==
                 (device.task != first));
    }
  }
  LEAT_CHECK(model->DeviceInfos().size() == model->devices().size());
  return 0;
}
