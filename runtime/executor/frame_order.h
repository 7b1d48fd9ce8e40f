// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Finds the order in which one thread runs the instructions of each iteration
// (Program::FrameLayout::order).
#ifndef LEAT_RUNTIME_EXECUTOR_FRAME_ORDER_H_
#define LEAT_RUNTIME_EXECUTOR_FRAME_ORDER_H_

#include <cstdint>
#include <vector>

#include "leat/runtime/executor/program.h"

namespace leat {

// Returns the order of each frame. A loop follows all of its Enters, and what
// reads its Exits follows the loop. Returns an empty vector if there is no such
// order, for example if an Enter waits for an Exit of the same loop, or if a
// node that is no Merge reads a value that only the first iteration gets.
std::vector<std::vector<int32_t>> FindFrameOrder(const Program& program);

}  // namespace leat

#endif  // LEAT_RUNTIME_EXECUTOR_FRAME_ORDER_H_
