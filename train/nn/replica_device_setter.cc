// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/train/nn/replica_device_setter.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/devices/device_name.h"
#include "leat/core/status_macros.h"
#include "leat/graph/variable_ops.h"

namespace leat::nn {
namespace {

// Returns the number of bytes that GreedyByBytes counts for a node. The result
// is a double, as in TensorFlow, so that sums cannot overflow.
absl::StatusOr<double> Bytes(const NodeDef& node) {
  if (!IsVariableOp(node.op->name)) return 1.0;
  LEAT_ASSIGN_OR_RETURN(const DType dtype, node.attrs.Get<DType>("dtype"));
  LEAT_ASSIGN_OR_RETURN(const PartialShape shape,
                        node.attrs.Get<PartialShape>("shape"));
  if (!shape.IsFullyKnown()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the bytes of a variable of shape ", shape.DebugString(),
                     " are not known"));
  }
  LEAT_ASSIGN_OR_RETURN(const Shape known, shape.ToShape());
  constexpr size_t kObject = 8;  // per string, in TensorFlow
  const size_t size = SizeOf(dtype) == 0 ? kObject : SizeOf(dtype);
  return static_cast<double>(known.num_elements()) * static_cast<double>(size);
}

// Returns the device of a node.
absl::StatusOr<std::string> Choose(const ReplicaDeviceSetterOptions& options,
                                   const NodeDef& node) {
  if (options.ps_tasks == 0) return std::string();
  LEAT_ASSIGN_OR_RETURN(const DeviceName inner, DeviceName::Parse(node.device));
  const bool on_ps = !options.ps_device.empty() &&
                     std::find(options.ps_ops.begin(), options.ps_ops.end(),
                               node.op->name) != options.ps_ops.end();
  if (!on_ps) {
    LEAT_ASSIGN_OR_RETURN(const DeviceName worker,
                          DeviceName::Parse(options.worker_device));
    return OverrideDeviceName(worker, inner).ToString();
  }
  LEAT_ASSIGN_OR_RETURN(DeviceName ps, DeviceName::Parse(options.ps_device));
  if (ps.job && (!inner.job || inner.job == ps.job)) {
    LEAT_ASSIGN_OR_RETURN(const int task, options.strategy(node));
    if (task < 0 || task >= options.ps_tasks) {
      return absl::InvalidArgumentError(
          absl::StrCat("the strategy chose task ", task, " of ",
                       options.ps_tasks, " parameter servers"));
    }
    ps.task = task;
  }
  return OverrideDeviceName(ps, inner).ToString();
}

}  // namespace

PsStrategy RoundRobin(int ps_tasks) {
  return [ps_tasks, next = std::make_shared<int>(0)](
             const NodeDef&) -> absl::StatusOr<int> {
    const int task = *next;
    *next = task + 1 < ps_tasks ? task + 1 : 0;
    return task;
  };
}

PsStrategy GreedyByBytes(int ps_tasks) {
  auto loads = std::make_shared<std::vector<double>>(std::max(ps_tasks, 1));
  return [loads](const NodeDef& node) -> absl::StatusOr<int> {
    LEAT_ASSIGN_OR_RETURN(const double bytes, Bytes(node));
    const auto least = std::min_element(loads->begin(), loads->end());
    *least += bytes;
    return static_cast<int>(least - loads->begin());
  };
}

const std::vector<std::string>& StandardPsOps() {
  static const auto& ops = *new std::vector<std::string>{
      "Variable",
      "VariableV2",
      "AutoReloadVariable",
      "MutableHashTable",
      "MutableHashTableV2",
      "MutableHashTableOfTensors",
      "MutableHashTableOfTensorsV2",
      "MutableDenseHashTable",
      "MutableDenseHashTableV2",
      "VarHandleOp",
      "BoostedTreesEnsembleResourceHandleOp",
      "BoostedTreesQuantileStreamResourceHandleOp",
      "ResourceConditionalAccumulator",
      "DecisionTreeResource"};
  return ops;
}

DeviceFunction ReplicaDeviceSetter(ReplicaDeviceSetterOptions options) {
  if (options.strategy == nullptr) {
    options.strategy = RoundRobin(options.ps_tasks);
  }
  return [options = std::move(options)](const NodeDef& node) {
    return Choose(options, node);
  };
}

}  // namespace leat::nn
