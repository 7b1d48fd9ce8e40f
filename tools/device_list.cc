// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/device_list.h"

#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/core/bytes_text.h"
#include "leat/core/devices/device.h"
#include "leat/core/devices/gpu_libraries.h"
#include "leat/core/devices/gpu_stream.h"
#include "leat/core/status_macros.h"
#include "leat/runtime/cuda/cuda_api.h"
#include "leat/tools/dumps/table.h"
#include "nlohmann/json.hpp"

namespace leat {
namespace {

// Returns why a list that was made with `options` has no GPU.
std::string WhyNoGpu(const DeviceSetOptions& options) {
  absl::StatusOr<std::shared_ptr<CudaApi>> cuda = options.cuda;
  if (options.cuda == nullptr) cuda = NewCudaApi();
  const absl::StatusOr<int> count =
      cuda.ok() ? (*cuda)->DeviceCount() : cuda.status();
  if (!count.ok()) return absl::StrCat("no GPU: ", count.status().message());
  if (*count == 0) return "no GPU: this machine has no NVIDIA GPU";
  return absl::StrCat(
      "this machine has ", *count, *count == 1 ? " GPU" : " GPUs",
      "; --devices gpu:all lists ", *count == 1 ? "it" : "them", ", too");
}

// Opens the libraries of each GPU. Opening one writes a message to the log if
// the library is missing.
void OpenLibraries(const DeviceSet& set) {
  for (const auto& device : set.devices()) {
    GpuStream* const stream = device->gpu_stream();
    if (stream == nullptr) continue;
    stream->libraries().matrix_multiplication();
    stream->libraries().convolution();
  }
}

std::string DeviceListJson(const std::vector<DeviceInfo>& infos) {
  auto json = nlohmann::ordered_json::array();
  for (const DeviceInfo& info : infos) {
    json.push_back({{"name", info.name},
                    {"type", info.type},
                    {"memory_bytes", info.memory_bytes},
                    {"description", info.description}});
  }
  return json.dump(1) + "\n";
}

std::string DeviceListText(const std::vector<DeviceInfo>& infos, bool color) {
  std::vector<std::vector<Cell>> rows;
  for (const DeviceInfo& info : infos) {
    rows.push_back({Cell(info.name, Style::kName), Cell(info.type),
                    Cell::Number(BytesText(info.memory_bytes)),
                    Cell(info.description, Style::kFaint)});
  }
  return FormatTable(rows, {.color = color, .indent = 0});
}

}  // namespace

absl::StatusOr<std::string> DeviceList(const DeviceSetOptions& devices,
                                       const DeviceListOptions& options) {
  LEAT_ASSIGN_OR_RETURN(const std::unique_ptr<DeviceSet> set,
                        DeviceSet::Create(devices));
  OpenLibraries(*set);
  const std::vector<DeviceInfo> infos = set->Infos();
  const bool has_gpu = infos.back().type == kGpu;  // the CPUs come first
  const std::string note = has_gpu ? "" : WhyNoGpu(devices);
  if (options.json) {
    if (!has_gpu && devices.num_gpus != 0 && devices.log) devices.log(note);
    return DeviceListJson(infos);
  }
  std::string text = DeviceListText(infos, options.color);
  if (!has_gpu) {
    absl::StrAppend(&text, Styled(note, Style::kFaint, options.color), "\n");
  }
  return text;
}

}  // namespace leat
