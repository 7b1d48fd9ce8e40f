// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// RunReportText and RunReportJson write the output of `leat run`. It has the
// fetched values and, if requested, the time that each op took. The functions
// are stateless.
#ifndef LEAT_TOOLS_RUN_REPORT_H_
#define LEAT_TOOLS_RUN_REPORT_H_

#include <string>
#include <vector>

#include "leat/tools/run_model.h"
#include "leat/tools/trace.h"

namespace leat {

// Returns a line such as "y float[2] 1 2" for each fetch, with at most 1,000
// values. If `trace` is not null, a table of the time per op follows.
std::string RunReportText(const RunModelResult& result, const Trace* trace,
                          bool color);

// Returns the same report as a JSON object:
//
//   {"fetches": [{"name", "dtype", "shape", "values"}], "steps", "step_us",
//    "ops": [{"op", "count", "total_us"}]}
//
// The values are in one flat list, in row-major order. NaN and infinities are
// strings, complex numbers are pairs, and resources are null.
std::string RunReportJson(const RunModelResult& result, const Trace* trace);

}  // namespace leat

#endif  // LEAT_TOOLS_RUN_REPORT_H_
