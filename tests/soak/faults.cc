// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tests/soak/faults.h"

#include "absl/time/clock.h"

namespace leat::soak {
namespace {

constexpr absl::Duration kPoll = absl::Milliseconds(20);

}  // namespace

absl::Duration Scene::Between(absl::Duration least, absl::Duration most) {
  const auto range =
      static_cast<uint32_t>(absl::ToInt64Milliseconds(most - least));
  return least + absl::Milliseconds(random() % (range + 1));
}

void Scene::Hold(absl::Duration least, absl::Duration most) {
  const absl::Time end = absl::Now() + Between(least, most);
  do {
    cluster.Measure();
    absl::SleepFor(kPoll);
  } while (absl::Now() < end);
}

const Fault& NoFault() {
  static constexpr Fault none = {
      .name = "(none)", .happen = [](Scene&) {}, .is_named = false};
  return none;
}

const std::vector<Fault>& AllFaults() {
  static const std::vector<Fault> faults = {
      {.name = "worker killed",
       .job = "worker",
       .happen = KillVictim,
       .is_noticed = true},
      {.name = "parameter server killed",
       .job = "ps",
       .happen = KillVictim,
       .is_noticed = true},
      // The other tasks close their connections to a silent victim. When the
      // victim continues, its errors may say that the other tasks cannot be
      // reached. So the errors need not name the victim.
      {.name = "task stalled", .happen = StallVictim, .is_named = false},
      {.name = "task stopped", .happen = StopVictim, .is_named = false},
      {.name = "network slow", .happen = SlowNetwork},
      {.name = "network lost", .happen = LoseNetwork},
      {.name = "network cut", .happen = CutNetwork},
      {.name = "connection storm", .happen = StormConnections},
      {.name = "connections that end early", .happen = EndConnections},
      {.name = "slow partial requests", .happen = SendPartialRequests},
      // If a victim has no room for the response of another task, the victim's
      // error names the other task, and calls the victim "this process".
      {.name = "feeds above limits", .happen = FeedTooMuch, .is_named = false},
      {.name = "wrong calls", .happen = CallWrongly},
      {.name = "descriptors exhausted", .happen = TakeDescriptors},
      {.name = "disk full", .happen = FillDisk},
  };
  return faults;
}

}  // namespace leat::soak
