// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the faults with which the soak disturbs a cluster that trains.
#ifndef LEAT_TESTS_SOAK_FAULTS_H_
#define LEAT_TESTS_SOAK_FAULTS_H_

#include <random>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "leat/distributed/cluster/cluster.h"
#include "leat/tests/soak/cluster.h"

namespace leat::soak {

// Describes the place of a fault: the cluster and the victim. Is not
// thread-safe.
struct Scene {
  SoakCluster& cluster;
  std::mt19937& random;
  TaskId victim;

  // Returns a random duration between `least` and `most`.
  absl::Duration Between(absl::Duration least, absl::Duration most);
  // Waits for a random time, and measures the tasks meanwhile.
  void Hold(absl::Duration least, absl::Duration most);

  std::string listening_address() const {
    return cluster.served().ListeningAddress(victim);
  }
};

struct Fault {
  const char* name = "";
  // Is the job of the victim. Is empty if any task can be the victim.
  const char* job = "";
  // Disturbs the victim and returns when the disturbance is over. Makes the
  // test fail if the victim behaves wrongly.
  void (*happen)(Scene& scene) = nullptr;
  // Is true if a worker must get an error.
  bool is_noticed = false;
  // Is true if at least one of the errors must name the victim. If there are no
  // errors, this has no effect.
  bool is_named = true;
};

// KillVictim kills and restarts the victim. StallVictim suspends it a few times
// for a short time. StopVictim suspends it for several seconds.
void KillVictim(Scene& scene);
void StallVictim(Scene& scene);
void StopVictim(Scene& scene);

// SlowNetwork delays all messages to and from the victim. LoseNetwork holds
// requests or replies back. CutNetwork breaks the connections.
void SlowNetwork(Scene& scene);
void LoseNetwork(Scene& scene);
void CutNetwork(Scene& scene);

// StormConnections opens too many connections. EndConnections ends connections
// early. SendPartialRequests sends only parts of requests.
void StormConnections(Scene& scene);
void EndConnections(Scene& scene);
void SendPartialRequests(Scene& scene);

// FeedTooMuch sends feeds that exceed the limits on message bytes. CallWrongly
// makes calls that no correct client or peer makes, for example with garbage or
// with unknown handles.
void FeedTooMuch(Scene& scene);
void CallWrongly(Scene& scene);

// TakeDescriptors uses up the file descriptors of the victim. FillDisk keeps
// the victim from writing to files.
void TakeDescriptors(Scene& scene);
void FillDisk(Scene& scene);

// Returns a fault that does nothing.
const Fault& NoFault();
// Returns all faults that do something.
const std::vector<Fault>& AllFaults();

}  // namespace leat::soak

#endif  // LEAT_TESTS_SOAK_FAULTS_H_
