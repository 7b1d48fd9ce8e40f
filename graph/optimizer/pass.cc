// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/optimizer/pass.h"

#include <utility>

#include "leat/core/check.h"

namespace leat {

void PassRegistry::Add(Pass pass) {
  LEAT_CHECK(pass.run != nullptr);
  for (const Pass& other : passes_) LEAT_CHECK(other.name != pass.name);
  passes_.push_back(std::move(pass));
}

const PassRegistry& BuiltinPasses() {
  static const PassRegistry& registry = *[] {
    auto* made = new PassRegistry;  // NOLINT: lives as long as the process
    passes::RegisterAll(*made);
    return made;
  }();
  return registry;
}

}  // namespace leat
