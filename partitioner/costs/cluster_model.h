// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ClusterModel describes the machines on which a plan would run: their cores
// and memory, the devices of each task, and the links between them. The
// machines need not exist. docs/planning.md describes the JSON text.
//
//   LEAT_ASSIGN_OR_RETURN(const ClusterModel model,
//                         ClusterModel::Load("examples/clusters/x.json"));
//   const int gpu =
//   model.FindDevice("/job:worker/replica:0/task:0/device:GPU:0");
//   model.devices()[gpu].memory_bytes;
#ifndef LEAT_PARTITIONER_COSTS_CLUSTER_MODEL_H_
#define LEAT_PARTITIONER_COSTS_CLUSTER_MODEL_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/devices/device.h"
#include "leat/partitioner/costs/device_rates.h"

namespace leat {

// Describes a machine. The processes of a host share its cores.
struct HostModel {
  std::string name = {};
  int cores = 1;
  int64_t memory_bytes = 0;
};

// Says who waits for whom on a link.
enum class LinkSharing : uint8_t {
  kPair,  // each pair of ends has a line of its own, in each direction
  kEnd,   // each end sends one tensor at a time, and receives one at a time
  kAll,   // only one tensor is on the link at a time
};

// Describes the lines between hosts, between the tasks of a host, or between
// the GPUs of a host and its memory.
struct LinkModel {
  std::string name = {};       // its place in the JSON text, such as "links[0]"
  double latency_seconds = 0;  // until the first byte arrives
  double bytes_per_second = 0;
  LinkSharing sharing = LinkSharing::kPair;
  // Are the times that a core is busy at each of the two ends.
  double seconds_per_message = 0;
  double seconds_per_byte = 0;
};

// Describes a process.
struct TaskModel {
  std::string name = {};  // such as "/job:worker/replica:0/task:0"
  int host = 0;           // index into ClusterModel::hosts()
};

// Describes a device of a task.
struct DeviceModel {
  std::string name = {};  // the full name
  DeviceType type = kCpu;
  std::string kind = {};  // a key of "kinds"
  // Is not set if the kind has no rates.
  std::optional<DeviceRates> rates = {};
  int task = 0;  // index into ClusterModel::tasks()
  int host = 0;  // index into ClusterModel::hosts()
  int64_t memory_bytes = 0;
  int streams = 1;  // how many nodes a GPU runs at the same time
};

// Is immutable and thread-safe.
class ClusterModel {
 public:
  static constexpr int kMaxHosts = 1024;
  static constexpr int kMaxDevices = 100'000;
  static constexpr int kNoLink = -1;

  // Reads a model. `source` names the text in messages. Returns
  // INVALID_ARGUMENT, with the path of the field and its value, if the text is
  // no JSON, if a field is unknown, missing or of the wrong kind, if a number
  // is out of range, if a name occurs twice or is not defined, if there are too
  // many hosts or devices, or if two places have no link although they need
  // one.
  static absl::StatusOr<ClusterModel> FromJson(absl::string_view text,
                                               absl::string_view source);
  // Reads a file. Fails as ReadRegularFile and FromJson do.
  static absl::StatusOr<ClusterModel> Load(const std::string& path);

  const std::vector<HostModel>& hosts() const { return hosts_; }
  const std::vector<TaskModel>& tasks() const { return tasks_; }
  const std::vector<DeviceModel>& devices() const { return devices_; }
  const std::vector<LinkModel>& links() const { return links_; }

  // Returns the index of a device, or -1 if there is none of this name.
  int FindDevice(absl::string_view name) const;
  // Returns the index of the link over which two tasks talk, or kNoLink if they
  // are the same task.
  int LinkBetween(int task, int other_task) const;
  // Returns the index of the link between the GPUs of a host and its memory, or
  // kNoLink if the host has no GPUs.
  int GpuLink(int host) const { return host_links_[host].gpus; }
  // Returns the number of nodes that all devices together can run at the same
  // time: the cores of all hosts and the streams of all GPUs.
  double NumProcessors() const;
  // Returns the devices for planning, those of the first task first.
  std::vector<DeviceInfo> DeviceInfos() const;

 private:
  friend class ClusterModelReader;
  // Holds the links inside of a host.
  struct HostLinks {
    int tasks = kNoLink;
    int gpus = kNoLink;
  };

  ClusterModel() = default;

  std::vector<HostModel> hosts_;
  std::vector<TaskModel> tasks_;
  std::vector<DeviceModel> devices_;
  std::vector<LinkModel> links_;
  std::vector<HostLinks> host_links_;  // by host
  std::vector<int16_t> pair_links_;    // by host * hosts + other host
  absl::flat_hash_map<std::string, int> device_index_;
};

}  // namespace leat

#endif  // LEAT_PARTITIONER_COSTS_CLUSTER_MODEL_H_
