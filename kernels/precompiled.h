// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// What most kernels include, compiled once; see graph/precompiled.h.
#ifndef LEAT_KERNELS_PRECOMPILED_H_
#define LEAT_KERNELS_PRECOMPILED_H_

#include "leat/core/parallel_for.h"
#include "leat/graph/precompiled.h"
#include "leat/kernels/elementwise.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

#endif  // LEAT_KERNELS_PRECOMPILED_H_
