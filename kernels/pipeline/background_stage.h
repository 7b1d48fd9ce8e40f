// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// BackgroundStage lets another stage work ahead, on other threads: it keeps a
// bounded buffer full, while its own caller does something else.
#ifndef LEAT_KERNELS_PIPELINE_BACKGROUND_STAGE_H_
#define LEAT_KERNELS_PIPELINE_BACKGROUND_STAGE_H_

#include <cstdint>
#include <memory>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "leat/kernels/pipeline/dataset.h"

namespace leat::kernels {

// Makes the stage that works ahead. `context` is its context.
using NewStageFunction =
    absl::AnyInvocable<absl::StatusOr<std::unique_ptr<Stage>>(
                           const StageContext& context) &&>;

// Says when a stage begins to work ahead.
enum class Begins { kAtOnce, kAtFirstCall };

// Returns a stage that gives out the elements of the stage that `make` makes,
// in order, and holds at most `capacity` elements and errors. Returns the
// errors of `make`. REQUIRES: capacity > 0.
absl::StatusOr<std::unique_ptr<Stage>> NewBackgroundStage(
    const StageContext& context, int64_t capacity, Begins begins,
    NewStageFunction make);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_PIPELINE_BACKGROUND_STAGE_H_
