// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tests/testing/hostile_connections.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "leat/distributed/wire/methods.h"
#include "leat/tests/testing/endless_calls.h"
#include "leat/tests/testing/eventually.h"
#include "leat/tests/testing/raw_connection.h"
#include "leat/tests/testing/task_sessions.h"
#include "leat/tests/testing/test_service.h"

namespace leat::testing {
namespace {

constexpr size_t kConnectionsAtATime = 32;

constexpr char kGraph[] = "node { name: 'n' op: 'NoOp' }";

}  // namespace

void LoseConnections(Transport& transport, const std::string& address,
                     const std::string& task, int count) {
  EndlessCalls calls(transport, address, task);
  for (int i = 0; i < count && !::testing::Test::HasFailure();) {
    std::vector<std::unique_ptr<RawConnection>> connections;
    for (; i < count && connections.size() < kConnectionsAtATime; ++i) {
      const MethodCall call = calls.Make(i);
      connections.push_back(std::make_unique<RawConnection>(address));
      connections.back()->Send(BytesOfCall(call.method, call.request.header));
    }
    const auto all = static_cast<int64_t>(connections.size());
    EXPECT_TRUE(Eventually([&] { return calls.NumWaiting() >= all; }));
    connections.clear();
    // Calls of other clients count too, but they wait only for a moment.
    EXPECT_TRUE(Eventually([&] { return calls.NumWaiting() == 0; }));
  }
}

void EndConnectionsEarly(const std::string& address, int count) {
  const std::string call =
      BytesOfCall(methods::kCreateSession,
                  CreateSessionRequestOf(kGraph).SerializeAsString());
  const std::string noise(500, 'x');
  for (int i = 0; i < count; ++i) {
    const absl::string_view bytes = i % 2 == 0 ? call : noise;
    RawConnection(address).Send(
        bytes.substr(0, static_cast<size_t>(i) % bytes.size()));
  }
}

}  // namespace leat::testing
