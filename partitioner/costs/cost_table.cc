// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/partitioner/costs/cost_table.h"

#include <algorithm>

#include "leat/partitioner/costs/cost_key.h"

namespace leat {
namespace {

// A new time takes the place of an old one with a probability that falls with
// the number of times that came before, but only down to that of this number.
// So a sample forgets what was long ago.
constexpr uint32_t kMaxAdded = 128;
// After so many steps, all earlier steps count half.
constexpr double kManySteps = 1024;
// An entry with one number takes about kEntryBytes in a file besides its key or
// name, and each further number takes about kNumberBytes.
constexpr size_t kEntryBytes = 80;
constexpr size_t kNumberBytes = 20;

// Returns false for a NaN, too.
bool IsCount(double count) {
  return count >= 0 && count <= DeviceCosts::kMaxCount;
}

}  // namespace

void TimeSample::Add(float seconds) {
  if (num_added_ < kMaxAdded) ++num_added_;
  if (times_.size() < kMaxTimes) {
    times_.push_back(seconds);
    return;
  }
  random_ =
      random_ * 1664525 + 1013904223;  // the generator of Numerical Recipes
  const uint32_t place = (random_ >> 8) % num_added_;
  if (place < kMaxTimes) times_[place] = seconds;
}

double TimeSample::LowerQuartile() const {
  std::vector<float> times = times_;
  const auto quartile = times.begin() + (times.size() + 3) / 4 - 1;
  std::nth_element(times.begin(), quartile, times.end());
  return *quartile;
}

bool DeviceCosts::Reserve(size_t bytes) {
  if (bytes > kMaxBytes - num_bytes_) return false;
  num_bytes_ += bytes;
  return true;
}

void DeviceCosts::AddTime(absl::string_view key, float seconds) {
  if (!(seconds >= 0 && seconds <= kMaxSeconds)) return;
  auto found = kernels_.find(key);
  if (found == kernels_.end()) {
    if (kernels_.size() >= kMaxKernels || !Reserve(key.size() + kEntryBytes)) {
      return;
    }
    found = kernels_.try_emplace(std::string(key)).first;
  }
  TimeSample& sample = found->second;
  if (sample.times().size() < TimeSample::kMaxTimes &&
      !sample.times().empty() && !Reserve(kNumberBytes)) {
    return;
  }
  sample.Add(seconds);
}

void DeviceCosts::AddRuns(const NodeRuns& runs) {
  if (runs.name.size() > kMaxName || !IsCount(runs.steps) ||
      !IsCount(runs.runs) ||
      !std::all_of(runs.output_bytes.begin(), runs.output_bytes.end(),
                   IsCount)) {
    return;
  }
  auto found = nodes_.find(runs.name);
  if (found == nodes_.end()) {
    if (nodes_.size() >= kMaxNodes ||
        !Reserve(runs.name.size() + kEntryBytes)) {
      return;
    }
    found = nodes_.try_emplace(runs.name).first;
    found->second.name = runs.name;
  }
  NodeRuns& known = found->second;
  if (known.steps >= kManySteps) {
    known.steps /= 2;
    known.runs /= 2;
  }
  known.steps = std::min(known.steps + runs.steps, kMaxCount);
  known.runs = std::min(known.runs + runs.runs, kMaxCount);
  const size_t num_outputs = std::min(runs.output_bytes.size(), kMaxOutputs);
  if (num_outputs > known.output_bytes.size()) {
    const size_t more = num_outputs - known.output_bytes.size();
    if (!Reserve(more * kNumberBytes)) return;
    known.output_bytes.resize(num_outputs);
  }
  for (size_t i = 0; i < num_outputs; ++i) {
    known.output_bytes[i] =
        std::max(known.output_bytes[i], runs.output_bytes[i]);
  }
}

void DeviceCosts::AddUnknown(const DeviceCosts& others) {
  for (const auto& [key, sample] : others.kernels_) {
    if (kernels_.contains(key)) continue;
    for (const float seconds : sample.times()) AddTime(key, seconds);
  }
  for (const auto& [name, runs] : others.nodes_) {
    if (!nodes_.contains(name)) AddRuns(runs);
  }
}

const TimeSample* DeviceCosts::FindKernel(absl::string_view key) const {
  const auto found = kernels_.find(key);
  return found == kernels_.end() ? nullptr : &found->second;
}

const NodeRuns* DeviceCosts::FindNode(absl::string_view name) const {
  const auto found = nodes_.find(name);
  return found == nodes_.end() ? nullptr : &found->second;
}

std::optional<double> CostTable::Seconds(
    absl::string_view device_kind, const NodeDef& node,
    absl::Span<const TensorSpec> inputs) const {
  const std::string key = CostKey(node, inputs);
  MutexLock lock(mutex_);
  const auto kind = kinds_.find(device_kind);
  if (kind == kinds_.end()) return std::nullopt;
  const TimeSample* const sample = kind->second.FindKernel(key);
  if (sample == nullptr) return std::nullopt;
  return sample->LowerQuartile();
}

const NodeRuns* CostTable::FindNode(absl::string_view node) const {
  for (const auto& [kind, costs] : kinds_) {
    const NodeRuns* const found = costs.FindNode(node);
    if (found != nullptr) return found;
  }
  return nullptr;
}

std::optional<double> CostTable::RunsPerStep(absl::string_view node) const {
  MutexLock lock(mutex_);
  const NodeRuns* const found = FindNode(node);
  if (found == nullptr || found->steps == 0) return std::nullopt;
  return found->runs / found->steps;
}

std::optional<std::vector<double>> CostTable::OutputBytes(
    absl::string_view node) const {
  MutexLock lock(mutex_);
  const NodeRuns* const found = FindNode(node);
  if (found == nullptr) return std::nullopt;
  return found->output_bytes;
}

void CostTable::Update(absl::string_view device_kind,
                       absl::FunctionRef<void(DeviceCosts&)> update) {
  MutexLock lock(mutex_);
  auto found = kinds_.find(device_kind);
  if (found == kinds_.end()) {
    if (kinds_.size() >= kMaxKinds) return;
    found = kinds_.try_emplace(std::string(device_kind)).first;
  }
  update(found->second);
}

std::vector<std::string> CostTable::kinds() const {
  MutexLock lock(mutex_);
  std::vector<std::string> kinds;
  for (const auto& [kind, costs] : kinds_) kinds.push_back(kind);
  return kinds;
}

DeviceCosts CostTable::Copy(absl::string_view device_kind) const {
  MutexLock lock(mutex_);
  const auto found = kinds_.find(device_kind);
  return found == kinds_.end() ? DeviceCosts() : found->second;
}

}  // namespace leat
