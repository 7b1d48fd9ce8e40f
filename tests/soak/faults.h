// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Faults are what the soak does to a cluster that trains.
#ifndef LEAT_TESTS_SOAK_FAULTS_H_
#define LEAT_TESTS_SOAK_FAULTS_H_

#include <random>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "leat/distributed/cluster/cluster.h"
#include "leat/tests/soak/cluster.h"

namespace leat::soak {

// Where a fault happens. Used by one thread.
struct Scene {
  SoakCluster& cluster;
  std::mt19937& random;
  TaskId victim;

  // Returns a random time.
  absl::Duration Between(absl::Duration least, absl::Duration most);
  // Lets a random time pass, and measures the tasks meanwhile.
  void Hold(absl::Duration least, absl::Duration most);

  std::string listening_address() const {
    return cluster.served().ListeningAddress(victim);
  }
};

struct Fault {
  const char* name = "";
  // The job of the victim. Empty if any task can be the victim.
  const char* job = "";
  // Disturbs the victim and returns when the disturbance is over. Fails the
  // test if the victim does not do what it must.
  void (*happen)(Scene& scene) = nullptr;
  // Whether a worker must get an error.
  bool is_noticed = false;
  // Whether one of the errors must name the victim, if there are errors.
  bool is_named = true;
};

// Processes that die or get no processor.
void KillVictim(Scene& scene);
void StallVictim(Scene& scene);
void StopVictim(Scene& scene);

// Networks to the victim that are slow, lose what is sent, or break.
void SlowNetwork(Scene& scene);
void LoseNetwork(Scene& scene);
void CutNetwork(Scene& scene);

// Connections that are too many, end early, or carry only parts of requests.
void StormConnections(Scene& scene);
void EndConnections(Scene& scene);
void SendPartialRequests(Scene& scene);

// Calls that exceed limits or are wrong.
void FeedTooMuch(Scene& scene);
void CallWrongly(Scene& scene);

// Descriptors and disks that are used up.
void TakeDescriptors(Scene& scene);
void FillDisk(Scene& scene);

// Returns a fault that does nothing.
const Fault& NoFault();
// Returns all faults that do something.
const std::vector<Fault>& AllFaults();

}  // namespace leat::soak

#endif  // LEAT_TESTS_SOAK_FAULTS_H_
