// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "absl/time/time.h"
#include "leat/tests/soak/faults.h"
#include "leat/tests/testing/tcp_proxy.h"

namespace leat::soak {
namespace {

using testing::NetworkFault;
using testing::TcpProxy;

void Disturb(Scene& scene, const NetworkFault& fault, absl::Duration least,
             absl::Duration most) {
  TcpProxy& network = scene.cluster.network(scene.victim);
  network.Set(fault);
  scene.Hold(least, most);
  network.Set({});
}

}  // namespace

void SlowNetwork(Scene& scene) {
  const absl::Duration delay =
      scene.Between(absl::Milliseconds(2), absl::Milliseconds(40));
  Disturb(scene, {.delay = delay}, absl::Seconds(1), absl::Seconds(3));
}

// Holds back the requests to the victim, the replies of the victim, or both.
void LoseNetwork(Scene& scene) {
  const auto ways = static_cast<uint32_t>(scene.random() % 3);
  Disturb(scene, {.holds_requests = ways != 1, .holds_replies = ways != 0},
          absl::Seconds(1), absl::Seconds(7));
}

void CutNetwork(Scene& scene) {
  for (int i = 0; i < 2; ++i) {
    Disturb(scene, {.is_cut = true}, absl::ZeroDuration(), absl::Seconds(1));
    scene.Hold(absl::ZeroDuration(), absl::Milliseconds(300));
  }
}

}  // namespace leat::soak
