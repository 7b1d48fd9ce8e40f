// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the collectives: ops that run on several devices at once, the members
// of a group, and exchange tensors with each other. The ops with V2 in their
// names take the group and the key of the collective as inputs, the others as
// attrs.
#include <string>
#include <utility>
#include <vector>

#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"

namespace leat::ops::collectives {
namespace {

constexpr DTypeList<bfloat16, float, half, double, int32_t, int64_t> kReduced;
constexpr DTypeList<float, half, double, int32_t, int64_t> kGathered;
constexpr auto kBroadcast = kBoolOnly + kGathered;

absl::Status DeclaredShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(PartialShape shape,
                        context.Attr<PartialShape>("shape"));
  context.set_output(0, std::move(shape));
  return absl::OkStatus();
}

absl::Status GatherShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const PartialShape input,
                        context.WithRankAtLeast(0, 1));
  LEAT_ASSIGN_OR_RETURN(const int64_t members,
                        context.Attr<int64_t>("group_size"));
  if (!input.rank_known()) return absl::OkStatus();
  LEAT_ASSIGN_OR_RETURN(const int64_t rows,
                        MultiplyExtents(input.dim(0), members));
  LEAT_ASSIGN_OR_RETURN(PartialShape output, WithExtent(input, 0, rows));
  context.set_output(0, std::move(output));
  return absl::OkStatus();
}

// The number of members is not known before the op runs.
absl::Status GatherV2Shape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const PartialShape input,
                        context.WithRankAtLeast(0, 1));
  if (!input.rank_known()) return absl::OkStatus();
  LEAT_ASSIGN_OR_RETURN(PartialShape output,
                        WithExtent(input, 0, PartialShape::kUnknown));
  context.set_output(0, std::move(output));
  return absl::OkStatus();
}

absl::Status BcastRecvV2Shape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(PartialShape shape, context.InputAsShape(3));
  context.set_output(0, std::move(shape));
  return absl::OkStatus();
}

// Returns `attrs` with those that all collectives of the first version have.
std::vector<std::string> WithGroup(std::vector<std::string> attrs) {
  attrs.insert(attrs.end(),
               {"group_size: int", "group_key: int", "instance_key: int"});
  return attrs;
}

// Returns `attrs` with those that all collectives have.
std::vector<std::string> WithHints(std::vector<std::string> attrs) {
  attrs.insert(attrs.end(), {"communication_hint: string = 'auto'",
                             "timeout_seconds: float = 0"});
  return attrs;
}

template <class Types>
std::vector<KernelSignature> OnCpuFor(Types types) {
  return {NotFoldable(ExpensiveOnCpu({{"T", types.dtypes()}}))};
}

void AddReductions(OpRegistry& registry) {
  std::vector<std::string> attrs =
      WithGroup({"T: {bfloat16, float, half, double, int32, int64}"});
  attrs.insert(
      attrs.end(),
      {"merge_op: {'Min', 'Max', 'Mul', 'Add'}", "final_op: {'Id', 'Div'}",
       "subdiv_offsets: list(int)", "wait_for: list(int) = []"});
  registry.Add({.name = "CollectiveReduce",
                .doc = "Combines the inputs of all members of a group, element "
                       "by element.",
                .inputs = {"input: T"},
                .outputs = {"data: T"},
                .attrs = WithHints(std::move(attrs)),
                .stateful = true,
                .shape = shapes::Unchanged},
               OnCpuFor(kReduced));

  attrs = WithHints({"T: {bfloat16, float, half, double, int32, int64}",
                     "merge_op: {'Min', 'Max', 'Mul', 'Add'}",
                     "final_op: {'Id', 'Div'}"});
  attrs.insert(attrs.end(),
               {"is_stateless: bool = false", "Nordering_token: int >= 0 = 0",
                "max_subdivs_per_device: int = -1"});
  registry.Add({.name = "CollectiveReduceV2",
                .doc = "Combines the inputs of all members of the group that "
                       "group_key names, element by element.",
                .inputs = {"input: T", "group_size: int32", "group_key: int32",
                           "instance_key: int32",
                           "ordering_token: Nordering_token * resource"},
                .outputs = {"data: T"},
                .attrs = std::move(attrs),
                .stateful = true,
                .shape = shapes::Unchanged},
               OnCpuFor(kReduced));
}

void AddGathers(OpRegistry& registry) {
  std::vector<std::string> attrs =
      WithGroup({"T: {float, half, double, int32, int64}"});
  attrs.push_back("shape: shape");
  registry.Add({.name = "CollectiveGather",
                .doc = "Concatenates the inputs of all members of a group "
                       "along their first dimension.",
                .inputs = {"input: T"},
                .outputs = {"data: T"},
                .attrs = WithHints(std::move(attrs)),
                .stateful = true,
                .shape = GatherShape},
               OnCpuFor(kGathered));

  attrs = WithHints({"T: {float, half, double, int32, int64}"});
  attrs.insert(attrs.end(),
               {"is_stateless: bool = false", "Nordering_token: int >= 0 = 0"});
  registry.Add({.name = "CollectiveGatherV2",
                .doc = "Concatenates the inputs of the group that group_key "
                       "names along their first dimension.",
                .inputs = {"input: T", "group_size: int32", "group_key: int32",
                           "instance_key: int32",
                           "ordering_token: Nordering_token * resource"},
                .outputs = {"data: T"},
                .attrs = std::move(attrs),
                .stateful = true,
                .shape = GatherV2Shape},
               OnCpuFor(kGathered));
}

void AddBroadcasts(OpRegistry& registry) {
  std::vector<std::string> attrs =
      WithGroup({"T: {bool, float, half, double, int32, int64}"});
  attrs.push_back("shape: shape");
  attrs = WithHints(std::move(attrs));
  registry.Add({.name = "CollectiveBcastSend",
                .doc = "Sends a tensor to all other members of a group, and "
                       "returns it.",
                .inputs = {"input: T"},
                .outputs = {"data: T"},
                .attrs = attrs,
                .stateful = true,
                .shape = DeclaredShape},
               OnCpuFor(kBroadcast));
  registry.Add({.name = "CollectiveBcastRecv",
                .doc = "Returns the tensor that one member of a group sends to "
                       "the others.",
                .outputs = {"data: T"},
                .attrs = std::move(attrs),
                .stateful = true,
                .shape = DeclaredShape},
               OnCpuFor(kBroadcast));
}

void AddBroadcastsV2(OpRegistry& registry) {
  registry.Add(
      {.name = "CollectiveBcastSendV2",
       .doc = "Sends a tensor to the other members of the group that "
              "group_key names, and returns it.",
       .inputs = {"input: T", "group_size: int32", "group_key: int32",
                  "instance_key: int32"},
       .outputs = {"data: T"},
       .attrs = WithHints({"T: {bool, float, half, double, int32, int64}"}),
       .stateful = true,
       .shape = shapes::Unchanged},
      OnCpuFor(kBroadcast));
  registry.Add(
      {.name = "CollectiveBcastRecvV2",
       .doc = "Returns the tensor that one member of the group that "
              "group_key names sends.",
       .inputs = {"group_size: int32", "group_key: int32",
                  "instance_key: int32", "shape: Tshape"},
       .outputs = {"data: T"},
       .attrs = WithHints({"T: {bool, float, half, double, int32, int64}",
                           "Tshape: {int32, int64} = int32"}),
       .stateful = true,
       .shape = BcastRecvV2Shape},
      OnCpuFor(kBroadcast));
}

}  // namespace

void Register(OpRegistry& registry) {
  AddReductions(registry);
  AddGathers(registry);
  AddBroadcasts(registry);
  AddBroadcastsV2(registry);
  registry.Add({.name = "CollectiveAssignGroupV2",
                .doc = "Returns the size and the key of the group to which a "
                       "device belongs.",
                .inputs = {"group_assignment: int32", "device_index: int32",
                           "base_key: int32"},
                .outputs = {"group_size: int32", "group_key: int32"},
                .stateful = true,
                .shape = shapes::Scalar},
               {NotFoldable(OnCpu())});
}

}  // namespace leat::ops::collectives
