// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// What most examples include, compiled once. A file includes what it uses all
// the same.
#ifndef LEAT_EXAMPLES_SHARED_PRECOMPILED_H_
#define LEAT_EXAMPLES_SHARED_PRECOMPILED_H_

#include "CLI/CLI.hpp"
#include "leat/graph/ops.h"
#include "leat/graph/precompiled.h"

#endif  // LEAT_EXAMPLES_SHARED_PRECOMPILED_H_
