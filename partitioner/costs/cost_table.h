// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// CostTable holds what sampled steps have measured: how long kernels take, how
// often nodes run in a step, and how large their outputs are.
//
//   table.Update(kind, [&](DeviceCosts& costs) {
//     costs.AddTime(CostKey(node, inputs), seconds);
//     costs.AddRuns({.name = node.name, .steps = 1, .runs = 1});
//   });
//   table.Seconds(kind, node, inputs);
#ifndef LEAT_PARTITIONER_COSTS_COST_TABLE_H_
#define LEAT_PARTITIONER_COSTS_COST_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "leat/core/threads/mutex.h"
#include "leat/partitioner/costs/measured_costs.h"

namespace leat {

// Is a bounded random sample of the times of a kernel's runs, in which recent
// runs have a share. A TimeSample is a value.
class TimeSample {
 public:
  static constexpr size_t kMaxTimes = 16;

  void Add(float seconds);
  // Returns the times that are kept, in no order.
  absl::Span<const float> times() const { return times_; }
  // Returns the smallest time that at least a quarter of the kept times do not
  // exceed. REQUIRES: there is a time.
  double LowerQuartile() const;

 private:
  std::vector<float> times_;
  uint32_t num_added_ = 0;  // counts up to a limit only
  uint32_t random_ = 1;
};

// Says what a node did in sampled steps. Is a value.
struct NodeRuns {
  std::string name = {};
  // Count the sampled steps that have the node, and its runs in all of them.
  double steps = 0;
  double runs = 0;
  // Holds, for each output, the size of the largest tensor in bytes.
  std::vector<double> output_bytes = {};
};

// Holds what was measured on the devices of one kind. A DeviceCosts is a value.
// It drops what is beyond its limits.
class DeviceCosts {
 public:
  static constexpr size_t kMaxKernels = 100'000;
  static constexpr size_t kMaxNodes = 100'000;
  static constexpr size_t kMaxName = 512;     // bytes of a node's name
  static constexpr size_t kMaxOutputs = 256;  // of a node
  static constexpr float kMaxSeconds = 1e6;   // of one run
  // Limits the numbers of a NodeRuns.
  static constexpr double kMaxCount = 1e15;
  // Limits the bytes of everything, about as it is written to a file.
  static constexpr size_t kMaxBytes = size_t{32} << 20;

  // Adds the time of a run. Drops times that are negative, above kMaxSeconds or
  // not a number.
  void AddTime(absl::string_view key, float seconds);
  // Adds to what is known about the node. Drops nodes with numbers that are
  // negative, above kMaxCount or not a number.
  void AddRuns(const NodeRuns& runs);
  // Adds those kernels and nodes of `others` that are not known yet.
  void AddUnknown(const DeviceCosts& others);

  const TimeSample* FindKernel(absl::string_view key) const;
  const NodeRuns* FindNode(absl::string_view name) const;
  // Hold the kernels by their keys, and the nodes by their names.
  const absl::btree_map<std::string, TimeSample>& kernels() const {
    return kernels_;
  }
  const absl::btree_map<std::string, NodeRuns>& nodes() const { return nodes_; }

 private:
  // Counts `bytes` more. Returns false if there would be too many.
  bool Reserve(size_t bytes);

  absl::btree_map<std::string, TimeSample> kernels_;
  absl::btree_map<std::string, NodeRuns> nodes_;
  size_t num_bytes_ = 0;
};

// Is thread-safe.
class CostTable final : public MeasuredCosts {
 public:
  static constexpr size_t kMaxKinds = 64;

  std::optional<double> Seconds(
      absl::string_view device_kind, const NodeDef& node,
      absl::Span<const TensorSpec> inputs) const override;
  std::optional<double> RunsPerStep(absl::string_view node) const override;
  // Returns the most bytes that each output of a node had, or nothing if the
  // node was not seen.
  std::optional<std::vector<double>> OutputBytes(absl::string_view node) const;

  // Calls `update` with the costs of the devices of the kind `device_kind`,
  // under a lock. Does nothing if there are already too many kinds.
  void Update(absl::string_view device_kind,
              absl::FunctionRef<void(DeviceCosts&)> update);
  // Returns the kinds for which Update was called, sorted.
  std::vector<std::string> kinds() const;
  // Returns a copy of the costs of a kind.
  DeviceCosts Copy(absl::string_view device_kind) const;

 private:
  const NodeRuns* FindNode(absl::string_view node) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  mutable Mutex mutex_;
  absl::btree_map<std::string, DeviceCosts> kinds_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat

#endif  // LEAT_PARTITIONER_COSTS_COST_TABLE_H_
