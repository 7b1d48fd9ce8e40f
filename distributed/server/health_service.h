// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// HealthService answers gRPC's health check (protos/health.proto,
// methods::kHealthCheck) for the task as a whole.
#ifndef LEAT_DISTRIBUTED_SERVER_HEALTH_SERVICE_H_
#define LEAT_DISTRIBUTED_SERVER_HEALTH_SERVICE_H_

#include <atomic>
#include <functional>

#include "absl/status/statusor.h"
#include "leat/distributed/transport/transport.h"
#include "leat/distributed/wire/methods.h"
#include "leat/distributed/wire/payload.h"

namespace leat {

// Is thread-safe. Must outlive the methods that AddMethods adds. Answers
// SERVING at first.
class HealthService {
 public:
  HealthService() = default;
  HealthService(const HealthService&) = delete;
  HealthService& operator=(const HealthService&) = delete;

  // Adds the method of the health check. The method borrows this. It answers
  // NOT_SERVING while `connections` reports a problem, that is, while the task
  // cannot accept connections.
  void AddMethods(MethodTable& methods,
                  std::function<ConnectionCounts()> connections);

  // Answers NOT_SERVING from now on.
  void SetNotServing() { is_serving_.store(false, std::memory_order_relaxed); }

 private:
  // Returns the response to a request. Fails with INVALID_ARGUMENT if the
  // payload is not a HealthCheckRequest, and with NOT_FOUND if the request
  // names a service, because no service has a health of its own.
  absl::StatusOr<Payload> Check(const Payload& request) const;

  std::function<ConnectionCounts()> connections_;
  std::atomic<bool> is_serving_{true};
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_SERVER_HEALTH_SERVICE_H_
