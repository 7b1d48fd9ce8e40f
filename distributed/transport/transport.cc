// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/transport/transport.h"

#include <chrono>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "leat/core/check.h"
#include "leat/core/quoted_text.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/handover.h"
#include "leat/core/threads/thread.h"

namespace leat {

absl::StatusOr<Payload> Transport::CallAndWait(absl::string_view address,
                                               const Method& method,
                                               Payload request,
                                               CallOptions options) {
  const auto answer = std::make_shared<Handover<absl::StatusOr<Payload>>>();
  Call(address, method, std::move(request), std::move(options),
       [answer](absl::StatusOr<Payload> payload) {
         answer->Set(std::move(payload));
       });
  return answer->Wait();
}

void TransportRegistry::Add(absl::string_view name, TransportFactory factory) {
  LEAT_CHECK(factory != nullptr);
  LEAT_CHECK(factories_.emplace(std::string(name), std::move(factory)).second);
}

absl::StatusOr<std::unique_ptr<Transport>> TransportRegistry::Create(
    absl::string_view name, const TransportOptions& options) const {
  const auto found = factories_.find(std::string(name));
  if (found == factories_.end()) {
    std::vector<std::string> names;
    for (const auto& [each, factory] : factories_) names.push_back(each);
    return absl::NotFoundError(
        absl::StrCat("there is no transport ", QuotedText(name),
                     "; there are: ", absl::StrJoin(names, ", ")));
  }
  if (options.max_message_bytes <= 0 || options.max_transport_bytes <= 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("a transport needs limits of at least 1 byte, but "
                     "max_message_bytes is ",
                     options.max_message_bytes, " and max_transport_bytes is ",
                     options.max_transport_bytes));
  }
  const ConnectionTimes& times = options.times;
  for (const std::chrono::milliseconds time :
       {times.ping_interval, times.ping_timeout, times.first_retry,
        times.longest_retry, times.connect_timeout, times.idle}) {
    if (time < std::chrono::milliseconds(1)) {
      return absl::InvalidArgumentError(
          absl::StrCat("a transport needs times of at least 1 ms, but one of "
                       "its ConnectionTimes is ",
                       time.count(), " ms"));
    }
  }
  absl::StatusOr<std::unique_ptr<Transport>> transport = nullptr;
  LEAT_RETURN_IF_ERROR(StartThreads([&] {
    transport = found->second(options);
    return transport.status();
  }));
  return transport;
}

const TransportRegistry& BuiltinTransports() {
  static const TransportRegistry& registry = *[] {
    auto* made = new TransportRegistry;  // NOLINT: as long as the process
    transports::RegisterAll(*made);
    return made;
  }();
  return registry;
}

}  // namespace leat
