// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/cuda/device/form.h"

#include "leat/kernels/cuda/device/launch.h"

namespace leat::cuda {

bool KernelsRunOnHost() { return kIsForHost; }

}  // namespace leat::cuda
