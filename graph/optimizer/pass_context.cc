// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/optimizer/pass_context.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "leat/core/saturating.h"
#include "leat/core/shape.h"
#include "leat/core/status_macros.h"
#include "leat/graph/analysis/consumers.h"
#include "leat/graph/analysis/frames.h"
#include "leat/graph/analysis/infer_shapes.h"
#include "leat/graph/kernel_signature.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/optimizer/constant_evaluator.h"

namespace leat {
namespace {

// Limits the number of control edges that a node may have after a pass has
// copied control edges of other nodes to it. Without this limit, passes could
// take quadratic time.
constexpr size_t kMaxControls = 16;

// Returns true if one of the types is a reference, a resource or a variant.
bool HoldsObjects(const std::vector<DType>& types) {
  return std::any_of(types.begin(), types.end(), [](DType type) {
    return IsRef(type) || type == DType::kResource || type == DType::kVariant;
  });
}

bool IsControlFlowOp(absl::string_view op) {
  static constexpr absl::string_view kOps[] = {"Switch",
                                               "RefSwitch",
                                               "Merge",
                                               "RefMerge",
                                               "Enter",
                                               "RefEnter",
                                               "Exit",
                                               "RefExit",
                                               "LoopCond",
                                               "NextIteration",
                                               "RefNextIteration",
                                               "ControlTrigger"};
  return std::find(std::begin(kOps), std::end(kOps), op) != std::end(kOps);
}

// Is the size in bytes that WorkOf assumes for every element of a tensor.
constexpr int64_t kElementBytes = 4;

// Returns the number of bytes that a kernel reads from these inputs. If the
// number is above `limit`, the result may be any number above `limit`.
int64_t BytesRead(absl::Span<const Tensor> inputs, int64_t limit) {
  int64_t bytes = 0;
  for (const Tensor& input : inputs) {
    bytes += input.num_bytes();
    if (bytes <= limit) bytes = SaturatingAdd(bytes, input.held_bytes());
  }
  return bytes;
}

bool AreAllPlain(absl::Span<const Tensor> inputs) {
  return std::all_of(inputs.begin(), inputs.end(), [](const Tensor& input) {
    return IsPlainBytes(input.dtype());
  });
}

// Returns the work of an evaluation, in bytes. REQUIRES: for an expensive node,
// `read` and `written` are within kMaxExpensiveInput and kMaxExpensiveOutput,
// so that nothing overflows.
int64_t WorkOf(int64_t read, int64_t written, bool is_expensive) {
  if (!is_expensive) return read + written;
  return read + written + (read / kElementBytes) * (written / kElementBytes);
}

}  // namespace

PassContext::PassContext(Graph& graph, const RunPassesOptions& options)
    : graph_(&graph),
      options_(&options),
      left_bytes_(CheckedMultiply(options.optimizer.max_folded_bytes,
                                  OptimizerOptions::kMaxFoldedConstants)
                      .value_or(options.optimizer.max_folded_bytes)) {}

absl::StatusOr<PassContext> PassContext::Create(
    Graph& graph, const RunPassesOptions& options) {
  PassContext context(graph, options);
  LEAT_ASSIGN_OR_RETURN(context.order_, TopologicalOrder(graph));
  context.FindDevices();
  context.FindTraits();
  return context;
}

void PassContext::FindDevices() {
  for (const std::string& name : graph_->devices()) {
    DeviceTraits traits;
    for (const DeviceInfo& device : options_->devices) {
      if (device.name == name) traits.type = device.type;
    }
    for (const std::string& task : options_->foreign_tasks) {
      traits.is_foreign =
          traits.is_foreign || absl::StartsWith(name, task + "/");
    }
    devices_.push_back(std::move(traits));
  }
}

void PassContext::FindTraits() {
  traits_.assign(graph_->num_ids(), 0);
  for (const NodeId id : order_) traits_[id] = TraitsOf(*graph_->node(id).def);
  for (const NodeId id : options_->keep) {
    if (graph_->Contains(id)) traits_[id] |= kKept;
  }
}

uint8_t PassContext::TraitsOf(const NodeDef& def) {
  const auto [it, inserted] = traits_of_ops_.try_emplace(def.op, 0);
  if (inserted) it->second = TraitsOf(*def.op);
  uint8_t traits = it->second;
  if (HoldsObjects(def.input_types) || HoldsObjects(def.output_types)) {
    traits &= ~kPure;
  }
  return traits;
}

uint8_t PassContext::TraitsOf(const OpDef& op) const {
  uint8_t traits = 0;
  if (IsControlFlowOp(op.name)) traits |= kControlFlow;
  if (op.name == "Const") traits |= kConst;
  if (traits != kControlFlow && !op.is_stateful &&
      !absl::StartsWith(op.name, "Placeholder") && op.name != "Abort" &&
      graph_->ops().Find(op.name) == &op) {
    traits |= kPure;
  }
  return traits;
}

bool PassContext::ReadsReference(NodeId id) const {
  for (const Endpoint& input : graph_->node(id).inputs) {
    if (IsRef(graph_->node(input.node).output_type(input.index))) return true;
  }
  return false;
}

bool PassContext::IsUnconditional(NodeId id) {
  if (!has_unconditional_) {
    has_unconditional_ = true;
    for (const NodeId each : order_) {
      if (!graph_->Contains(each)) continue;
      const Node& node = graph_->node(each);
      const bool is_feed = node.op() == "_Arg";
      if ((!is_feed && !IsPure(each)) || !node.controls.empty() ||
          (!is_feed && ReadsReference(each))) {
        continue;
      }
      const bool follows = std::all_of(node.inputs.begin(), node.inputs.end(),
                                       [&](const Endpoint& input) {
                                         return Has(input.node, kUnconditional);
                                       });
      if (follows) traits_[each] |= kUnconditional;
    }
  }
  return Has(id, kUnconditional);
}

const Tensor* PassContext::Constant(NodeId id) const {
  if (!Has(id, kConst)) return nullptr;
  const Node& node = graph_->node(id);
  const AttrValue* value = node.attrs().Find("value");
  const Tensor* tensor = value ? std::get_if<Tensor>(value) : nullptr;
  // A value of another type is an error, which the kernel reports.
  const bool fits = tensor && tensor->dtype() == node.output_type(0);
  return fits ? tensor : nullptr;
}

int64_t PassContext::Room() const {
  return std::min(
      {options_->optimizer.max_folded_bytes, left_bytes_, left_work_});
}

bool PassContext::MayEvaluate(NodeId id) const {
  return options_->evaluator != nullptr && !Has(id, kEvaluated) && Room() > 0;
}

std::optional<Tensor> PassContext::Evaluate(NodeId id,
                                            absl::Span<const Tensor> inputs) {
  traits_[id] |= kEvaluated;
  const Node& node = graph_->node(id);
  const KernelSignature* signature =
      graph_->ops().FindSignature(node.op(), kCpu, node.attrs());
  if (signature == nullptr || !signature->foldable) return std::nullopt;
  const bool is_expensive = signature->cost == CostClass::kExpensive;
  int64_t limit = left_work_;
  int64_t room = Room();
  if (is_expensive || !AreAllPlain(inputs)) {
    limit = std::min(limit, OptimizerOptions::kMaxExpensiveInput);
    room = std::min(room, OptimizerOptions::kMaxExpensiveOutput);
  }
  const int64_t read = BytesRead(inputs, limit);
  room = std::min(room, left_work_ - read);
  if (read > limit || room <= 0) return std::nullopt;
  auto outputs = options_->evaluator->Evaluate(*node.def, inputs, room);
  int64_t written = room;
  if (outputs.ok() && outputs->size() == 1) {
    written = (*outputs)[0].num_bytes();
  } else if (absl::IsResourceExhausted(outputs.status())) {
    written = 0;  // it failed before it had memory to write to
  }
  left_work_ -= std::min(left_work_, WorkOf(read, written, is_expensive));
  if (!outputs.ok() || outputs->size() != 1 ||
      (*outputs)[0].dtype() != node.output_type(0)) {
    return std::nullopt;
  }
  return std::move((*outputs)[0]);
}

const InferredOutput* PassContext::Inferred(Endpoint endpoint) {
  if (!inferred_.has_value()) {
    auto inferred = InferShapes(*graph_);
    inferred_.emplace();
    // Inference fails if a node can never run. The error is not reported here:
    // the step reports it if it runs that node.
    if (inferred.ok()) inferred_ = *std::move(inferred);
  }
  const auto node = static_cast<size_t>(endpoint.node);
  if (node >= inferred_->size()) return nullptr;
  const std::vector<InferredOutput>& outputs = (*inferred_)[node];
  const auto index = static_cast<size_t>(endpoint.index);
  return index < outputs.size() ? &outputs[index] : nullptr;
}

const DeviceType& PassContext::DeviceTypeOf(NodeId id) const {
  static const DeviceType* const kNone = new DeviceType;
  const int device = graph_->node(id).device;
  return device < 0 ? *kNone : devices_[static_cast<size_t>(device)].type;
}

bool PassContext::HasKernel(NodeId id, absl::string_view op,
                            const AttrMap& attrs) const {
  const int device = graph_->node(id).device;
  if (device < 0) return false;
  if (op[0] == '_' && devices_[static_cast<size_t>(device)].is_foreign) {
    return false;
  }
  return graph_->ops().FindSignature(op, DeviceTypeOf(id), attrs) != nullptr;
}

std::optional<PassContext::Controls> PassContext::UnitedControls(
    NodeId id, absl::Span<const NodeId> others) const {
  Controls united = graph_->node(id).controls;
  for (const NodeId other : others) {
    const Controls& more = graph_->node(other).controls;
    if (more.empty()) continue;
    united.insert(united.end(), more.begin(), more.end());
    std::sort(united.begin(), united.end());
    united.erase(std::unique(united.begin(), united.end()), united.end());
    if (united.size() > kMaxControls) return std::nullopt;
  }
  return united;
}

bool PassContext::Replace(NodeId id, absl::string_view op, AttrMap attrs,
                          absl::Span<const Endpoint> inputs,
                          Controls controls) {
  const NodeDef& old = *graph_->node(id).def;
  auto def = std::make_shared<NodeDef>();
  def->op = graph_->ops().Find(op);
  if (def->op == nullptr ||
      !CheckAttrs(*def->op, attrs, /*fill_defaults=*/true).ok() ||
      !HasKernel(id, op, attrs)) {
    return false;
  }
  def->name = old.name;
  def->device = old.device;
  def->attrs = std::move(attrs);
  auto input_types = InputTypes(*def->op, def->attrs);
  auto output_types = OutputTypes(*def->op, def->attrs);
  if (!input_types.ok() || !output_types.ok() ||
      *output_types != old.output_types || input_types->size() != inputs.size())
    return false;
  def->input_types = *std::move(input_types);
  def->output_types = *std::move(output_types);
  const uint8_t kept = traits_[id] & (kKept | kUnconditional);
  traits_[id] = TraitsOf(*def) | kept;
  Node& node = graph_->mutable_node(id);
  node.inputs.assign(inputs.begin(), inputs.end());
  graph_->Replace(id, std::move(def));
  SetControls(id, std::move(controls));
  return true;
}

bool PassContext::ReplaceByConstant(NodeId id, Tensor value,
                                    Controls controls) {
  const int64_t bytes = value.num_bytes();
  if (bytes > options_->optimizer.max_folded_bytes || bytes > left_bytes_) {
    return false;
  }
  AttrMap attrs;
  attrs.Set("dtype", value.dtype());
  attrs.Set("value", std::move(value));
  if (!Replace(id, "Const", std::move(attrs), {}, std::move(controls))) {
    return false;
  }
  left_bytes_ -= bytes;
  return true;
}

void PassContext::SetControls(NodeId id, Controls controls) {
  std::sort(controls.begin(), controls.end());
  controls.erase(std::unique(controls.begin(), controls.end()), controls.end());
  graph_->mutable_node(id).controls = std::move(controls);
}

void PassContext::Remove(NodeId id) {
  graph_->Remove(id);
  traits_[id] = 0;
}

}  // namespace leat
