// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines _CopyToDevice and _CopyToHost, which the planner puts between memory
// of the host and the memory of a GPU (partitioner/device_copies.h).
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"
#include "leat/graph/work_functions.h"

namespace leat::ops::device_copies {
void Register(OpRegistry& registry) {
  registry.Add({.name = "_CopyToDevice",
                .doc = "Copies a tensor from memory of the host to the memory "
                       "of the GPU that the node is on.",
                .inputs = {"input: T"},
                .outputs = {"output: T"},
                .attrs = {"T: type"},
                .shape = shapes::PassThrough,
                .work = works::Move},
               {InHostMemory(OnGpu(), {"input"})});

  registry.Add({.name = "_CopyToHost",
                .doc = "Copies a tensor from the memory of the GPU that the "
                       "node is on to memory of the host.",
                .inputs = {"input: T"},
                .outputs = {"output: T"},
                .attrs = {"T: type"},
                .shape = shapes::PassThrough,
                .work = works::Move},
               {InHostMemory(OnGpu(), {}, {"output"})});
}

}  // namespace leat::ops::device_copies
