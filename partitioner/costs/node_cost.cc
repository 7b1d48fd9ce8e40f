// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/partitioner/costs/node_cost.h"

namespace leat {

absl::string_view Name(CostOrigin origin) {
  switch (origin) {
    case CostOrigin::kMeasured:
      return "measured";
    case CostOrigin::kCalibrated:
      return "calibrated";
    case CostOrigin::kGuessed:
      return "guessed";
  }
  return "";
}

}  // namespace leat
