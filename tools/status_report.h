// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// What `leat status` prints. Stateless.
#ifndef LEAT_TOOLS_STATUS_REPORT_H_
#define LEAT_TOOLS_STATUS_REPORT_H_

#include <chrono>
#include <string>

#include "leat/tools/cluster_status.h"

namespace leat {

struct StatusReportOptions {
  bool color = false;
  int width = 0;  // lines are cut there; 0: nowhere
  // That the steps and Recvs have which were asked for.
  std::chrono::nanoseconds min_age = {};
};

// Tables: tasks, devices, sessions, traffic, steps and Recvs that take long.
// What happens per second is known with a reading before; it may be null.
std::string StatusReportText(const ClusterReading& reading,
                             const ClusterReading* before,
                             const StatusReportOptions& options);

// The same as one JSON object, of one line.
std::string StatusReportJson(const ClusterReading& reading,
                             const ClusterReading* before);

// "1.5s", "2m3s": as precise as people want it.
std::string AgeText(std::chrono::nanoseconds age);

}  // namespace leat

#endif  // LEAT_TOOLS_STATUS_REPORT_H_
