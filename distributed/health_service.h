// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// HealthService: gRPC's health check (protos/health.proto,
// methods::kHealthCheck), of the task as a whole. Thread-safe.
#ifndef LEAT_DISTRIBUTED_HEALTH_SERVICE_H_
#define LEAT_DISTRIBUTED_HEALTH_SERVICE_H_

#include <atomic>

#include "absl/status/statusor.h"
#include "leat/distributed/methods.h"
#include "leat/distributed/payload.h"

namespace leat {

class HealthService {
 public:
  HealthService() = default;
  HealthService(const HealthService&) = delete;
  HealthService& operator=(const HealthService&) = delete;

  // They borrow this.
  void AddMethods(MethodTable& methods);

  // From now on the task does not serve.
  void SetNotServing() { is_serving_.store(false, std::memory_order_relaxed); }

 private:
  // INVALID_ARGUMENT for what is no HealthCheckRequest, NOT_FOUND for one that
  // names a service: none has a health of its own.
  absl::StatusOr<Payload> Check(const Payload& request) const;

  std::atomic<bool> is_serving_{true};
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_HEALTH_SERVICE_H_
