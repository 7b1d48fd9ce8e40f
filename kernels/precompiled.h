// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// This file includes the headers that most kernel files need. CMake compiles
// them once for the whole library, which saves time in each file. As with
// graph/precompiled.h, no file may rely on this header: each file includes what
// it uses.
#ifndef LEAT_KERNELS_PRECOMPILED_H_
#define LEAT_KERNELS_PRECOMPILED_H_

#include "leat/core/threads/parallel_for.h"
#include "leat/graph/precompiled.h"
#include "leat/kernels/elementwise.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

#endif  // LEAT_KERNELS_PRECOMPILED_H_
