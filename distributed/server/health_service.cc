// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/server/health_service.h"

#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "leat/core/quoted_text.h"
#include "leat/core/status_macros.h"
#include "leat/distributed/wire/messages.h"
#include "leat/protos/health.pb.h"

namespace leat {

void HealthService::AddMethods(MethodTable& methods,
                               std::function<ConnectionCounts()> connections) {
  connections_ = std::move(connections);
  methods.Add(methods::kHealthCheck,
              [this](std::shared_ptr<CallContext>, Payload request,
                     Reply reply) { std::move(reply)(Check(request)); });
}

absl::StatusOr<Payload> HealthService::Check(const Payload& payload) const {
  pb::HealthCheckRequest request;
  LEAT_RETURN_IF_ERROR(ParseSmall(payload.header, request));
  if (!request.service().empty()) {
    return absl::NotFoundError(absl::StrCat("service ",
                                            QuotedText(request.service()),
                                            " has no health of its own"));
  }
  pb::HealthCheckResponse response;
  const bool is_serving = is_serving_.load(std::memory_order_relaxed) &&
                          connections_().problem.empty();
  response.set_status(is_serving ? pb::HealthCheckResponse::SERVING
                                 : pb::HealthCheckResponse::NOT_SERVING);
  return ToPayload(response);
}

}  // namespace leat
