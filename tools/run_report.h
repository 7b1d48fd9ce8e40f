// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// What `leat run` prints: fetched values and, if wanted, where the time went.
#ifndef LEAT_TOOLS_RUN_REPORT_H_
#define LEAT_TOOLS_RUN_REPORT_H_

#include <string>
#include <vector>

#include "leat/tools/run_model.h"
#include "leat/tools/trace.h"

namespace leat {

// "y float[2] 1 2" per fetch, at most 1,000 values each; then, unless
// `trace` is null, a table of the time per op.
std::string RunReportText(const RunModelResult& result, const Trace* trace,
                          bool color);

// {"fetches": [{"name", "dtype", "shape", "values"}], "steps", "step_us",
//  "ops": [{"op", "count", "total_us"}]}. Values are flat, row-major; NaN and
// infinities are strings, complex numbers pairs; null for resources.
std::string RunReportJson(const RunModelResult& result, const Trace* trace);

}  // namespace leat

#endif  // LEAT_TOOLS_RUN_REPORT_H_
