// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// StatusRates: what tasks do in a second, by two readings of a cluster, each by
// the clock of its task.
#ifndef LEAT_TOOLS_STATUS_RATES_H_
#define LEAT_TOOLS_STATUS_RATES_H_

#include <cstdint>
#include <optional>

#include "leat/tools/cluster_status.h"

namespace leat {

int64_t StepsDone(const pb::StepTotals& steps);

// Of one task.
class StatusRates {
 public:
  // `before` may be null. Both are borrowed.
  StatusRates(const TaskReading& now, const ClusterReading* before);

  // Nothing for what was not there before, or is of another process.
  std::optional<double> Steps() const;
  std::optional<double> StepsOf(const pb::ClientSessionStatus& session) const;
  std::optional<double> StepsOf(const pb::WorkerSessionStatus& session) const;
  struct Bytes {
    double sent = 0;
    double received = 0;
  };
  std::optional<Bytes> BytesOf(const pb::PeerTrafficStatus& peer) const;

 private:
  std::optional<double> Rate(int64_t now, int64_t before) const;

  const pb::TaskStatusResponse& now_;
  const pb::TaskStatusResponse* before_ = nullptr;
  double seconds_ = 0;
};

}  // namespace leat

#endif  // LEAT_TOOLS_STATUS_RATES_H_
