// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// NewIdentityWork makes the work unit of IdentityReader, whose only record is
// the string itself.
#ifndef LEAT_KERNELS_READERS_IDENTITY_WORK_H_
#define LEAT_KERNELS_READERS_IDENTITY_WORK_H_

#include <memory>

#include "leat/kernels/readers/work_unit.h"

namespace leat::kernels {

std::unique_ptr<WorkUnit> NewIdentityWork(const Tensor& name,
                                          const StageContext& context);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_READERS_IDENTITY_WORK_H_
