// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the ops on the bits of integers.
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "leat/core/dtype_list.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"

namespace leat::ops::bitwise {
namespace {

constexpr char kTypes[] =
    "T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64}";

OpSpec Binary(absl::string_view name, absl::string_view doc, bool commutative) {
  return {.name = std::string(name),
          .doc = doc,
          .inputs = {"x: T", "y: T"},
          .outputs = {"z: T"},
          .attrs = {kTypes},
          .commutative = commutative,
          .shape = shapes::BroadcastBinary};
}

OpSpec Unary(absl::string_view name, absl::string_view doc,
             absl::string_view output) {
  return {.name = std::string(name),
          .doc = doc,
          .inputs = {"x: T"},
          .outputs = {std::string(output)},
          .attrs = {kTypes},
          .shape = shapes::Unchanged};
}

}  // namespace

void Register(OpRegistry& registry) {
  const auto add = [&](OpSpec spec) {
    registry.Add(std::move(spec), {OnCpu({{"T", kInts.dtypes()}})});
  };
  add(Binary("BitwiseAnd", "Sets the bits that are set in both x and y.",
             /*commutative=*/true));
  add(Binary("BitwiseOr", "Sets the bits that are set in x, in y or in both.",
             /*commutative=*/true));
  add(Binary("BitwiseXor", "Sets the bits that differ between x and y.",
             /*commutative=*/true));
  add(Binary("LeftShift", "Shifts the bits of x to the left, by y places.",
             /*commutative=*/false));
  add(Binary("RightShift",
             "Shifts the bits of x to the right, by y places, and keeps the "
             "sign.",
             /*commutative=*/false));
  add(Unary("Invert", "Flips each bit of x.", "y: T"));
  add(Unary("PopulationCount", "Counts the bits that are set in each element.",
            "y: uint8"));
}

}  // namespace leat::ops::bitwise
