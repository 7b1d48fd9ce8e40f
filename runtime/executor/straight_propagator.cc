// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/executor/propagator.h"

namespace leat {

void StraightPropagator::Propagate(const Ready& done, ReadyList& ready) const {
  Activation& activation = *done.activation;
  const Program::Instruction& instruction =
      program_.instruction(done.instruction);
  for (const Program::Successor& edge : program_.Successors(instruction)) {
    // There is one frame, so the local index is the number of the instruction.
    if (TakeLast<true>(activation.pending(edge.instruction))) {
      ready.push_back(
          {.instruction = edge.instruction, .activation = &activation});
    }
  }
}

}  // namespace leat
