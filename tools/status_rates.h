// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// StatusRates computes what a task does per second, from two readings of a
// cluster. Times are measured by the clock of the task.
#ifndef LEAT_TOOLS_STATUS_RATES_H_
#define LEAT_TOOLS_STATUS_RATES_H_

#include <cstdint>
#include <optional>

#include "leat/tools/cluster_status.h"

namespace leat {

// Returns the number of steps that have ended, successfully or not.
int64_t StepsDone(const pb::StepTotals& steps);

// Compares two readings of one task. Is thread-compatible.
class StatusRates {
 public:
  // `before` is an earlier reading, or null if there is none. Both arguments
  // are borrowed and must outlive this.
  StatusRates(const TaskReading& now, const ClusterReading* before);

  // Steps returns the steps per second of the task. StepsOf returns the steps
  // per second of a session. BytesOf returns the bytes per second that the task
  // exchanges with a peer. All return nothing if the task was restarted between
  // the two readings, or if the earlier reading does not have the task, the
  // session or the peer.
  std::optional<double> Steps() const;
  std::optional<double> StepsOf(const pb::ClientSessionStatus& session) const;
  std::optional<double> StepsOf(const pb::WorkerSessionStatus& session) const;
  // Holds the bytes per second, in both directions.
  struct Bytes {
    double sent = 0;
    double received = 0;
  };
  std::optional<Bytes> BytesOf(const pb::PeerTrafficStatus& peer) const;

 private:
  // Returns the increase per second, or nothing if the count has fallen.
  std::optional<double> Rate(int64_t now, int64_t before) const;

  // `now_` is the later report of the task. `before_` is the earlier report, or
  // null if there is no earlier report to compare with.
  const pb::TaskStatusResponse& now_;
  const pb::TaskStatusResponse* before_ = nullptr;
  // Is the time between the two reports.
  double seconds_ = 0;
};

}  // namespace leat

#endif  // LEAT_TOOLS_STATUS_RATES_H_
