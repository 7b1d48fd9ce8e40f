// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "leat/distributed/wire/methods.h"
#include "leat/tests/soak/faults.h"
#include "leat/tests/testing/hostile_connections.h"
#include "leat/tests/testing/raw_connection.h"
#include "leat/tests/testing/task_sessions.h"

namespace leat::soak {
namespace {

using testing::BytesOfCall;
using testing::RawConnection;

using Connections = std::vector<std::unique_ptr<RawConnection>>;

constexpr int kStorm = 2 * kMaxConnections;
constexpr int kEarly = kMaxConnections / 2;
constexpr int kSlow = 20;

Connections Connect(const Scene& scene, int count) {
  Connections made;
  for (int i = 0; i < count; ++i) {
    made.push_back(std::make_unique<RawConnection>(scene.listening_address()));
  }
  return made;
}

}  // namespace

// Opens more connections than the task accepts, and sends nothing on them.
void StormConnections(Scene& scene) {
  const int64_t before = scene.cluster.NumRefused(scene.victim);
  const Connections idle = Connect(scene, kStorm);
  scene.cluster.ExpectRefuses(scene.victim, before);
  scene.Hold(absl::Milliseconds(500), absl::Seconds(4));
}

void EndConnections(Scene& scene) {
  for (int i = 0; i < 4; ++i) {
    testing::EndConnectionsEarly(scene.listening_address(), kEarly);
    scene.Hold(absl::Milliseconds(20), absl::Milliseconds(500));
  }
}

// Sends requests a few bytes at a time, so that no request is ever complete.
void SendPartialRequests(Scene& scene) {
  const std::string call = BytesOfCall(
      methods::kCreateSession,
      testing::CreateSessionRequestOf("node { name: 'n' op: 'NoOp' }")
          .SerializeAsString());
  const Connections slow = Connect(scene, kSlow);
  std::vector<size_t> sent(slow.size());
  // Half of the connections stay silent after their first bytes.
  for (int piece = 0; piece < 10; ++piece) {
    for (size_t i = 0; i < slow.size(); ++i) {
      if (piece > 0 && i % 2 == 0) continue;
      const size_t size = 1 + scene.random() % (call.size() / 10 - 1);
      // The task may have closed the connection, because it received too few
      // bytes.
      slow[i]->TrySend(absl::string_view(call).substr(sent[i], size));
      sent[i] += size;
    }
    scene.Hold(absl::Milliseconds(10), absl::Milliseconds(400));
  }
}

}  // namespace leat::soak
