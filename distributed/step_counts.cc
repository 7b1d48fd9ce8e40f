// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/step_counts.h"

#include "leat/protos/status.pb.h"

namespace leat {

void ExportSteps(const StepCounts::Totals& totals, pb::StepTotals& exported) {
  exported.set_running(totals.running);
  exported.set_succeeded(totals.succeeded);
  exported.set_failed(totals.failed);
}

}  // namespace leat
