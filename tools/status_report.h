// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// StatusReportText and StatusReportJson write what `leat status` prints. The
// functions are stateless and thread-safe.
#ifndef LEAT_TOOLS_STATUS_REPORT_H_
#define LEAT_TOOLS_STATUS_REPORT_H_

#include <chrono>
#include <string>

#include "leat/tools/cluster_status.h"

namespace leat {

// Says how the text looks.
struct StatusReportOptions {
  bool color = false;
  int width = 0;  // lines are cut at this width; 0 stands for no limit
  // The reading has only running steps and waiting Recvs that are at least this
  // old. The titles of the tables show this age.
  std::chrono::nanoseconds min_age = {};
};

// Returns tables of the tasks, the sessions, the traffic, the steps and Recvs
// that take long, and the devices. `before` is an earlier reading of the same
// cluster, or null. The rates per second are computed from both readings.
std::string StatusReportText(const ClusterReading& reading,
                             const ClusterReading* before,
                             const StatusReportOptions& options);

// Returns the same report as one JSON object, in one line.
std::string StatusReportJson(const ClusterReading& reading,
                             const ClusterReading* before);

// Returns a duration with the precision that people need: "1.5s", "2m3s".
std::string AgeText(std::chrono::nanoseconds age);

}  // namespace leat

#endif  // LEAT_TOOLS_STATUS_REPORT_H_
