// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include <csignal>

#include "absl/time/time.h"
#include "leat/tests/soak/faults.h"

namespace leat::soak {
namespace {

void Stop(Scene& scene, absl::Duration least, absl::Duration most) {
  testing::Process& process = scene.cluster.served().process(scene.victim);
  process.Stop();
  scene.Hold(least, most);
  process.Signal(SIGCONT);
}

}  // namespace

void KillVictim(Scene& scene) {
  scene.cluster.Kill(scene.victim);
  scene.Hold(absl::ZeroDuration(), absl::Seconds(2));
  scene.cluster.Restart(scene.victim);
}

// The pauses are so short that the other tasks need not notice them.
void StallVictim(Scene& scene) {
  for (int i = 0; i < 3; ++i) {
    Stop(scene, absl::Milliseconds(50), absl::Seconds(1));
    scene.Hold(absl::ZeroDuration(), absl::Milliseconds(100));
  }
}

// The other tasks notice a pause of more than 3.5 seconds.
void StopVictim(Scene& scene) {
  Stop(scene, absl::Seconds(3), absl::Seconds(7));
}

}  // namespace leat::soak
