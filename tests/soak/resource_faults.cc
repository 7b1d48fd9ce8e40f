// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These faults change the limits of a running process.
#include <sys/resource.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "leat/tests/soak/faults.h"
#include "leat/tests/soak/visitor.h"
#include "leat/tests/testing/processes.h"
#include "leat/tests/testing/raw_connection.h"

namespace leat::soak {
namespace {

using testing::RawConnection;

// Lowers a limit of a process. The destructor restores the limit.
class LoweredLimit {
 public:
  LoweredLimit(pid_t pid, __rlimit_resource resource, rlim_t limit)
      : pid_(pid), resource_(resource) {
    Change(nullptr, &before_);
    const rlimit lowered = {.rlim_cur = limit, .rlim_max = before_.rlim_max};
    Change(&lowered, nullptr);
  }
  ~LoweredLimit() { Change(&before_, nullptr); }
  LoweredLimit(const LoweredLimit&) = delete;
  LoweredLimit& operator=(const LoweredLimit&) = delete;

 private:
  void Change(const rlimit* to, rlimit* from) const {
    EXPECT_EQ(prlimit(pid_, resource_, to, from), 0) << std::strerror(errno);
  }

  const pid_t pid_;
  const __rlimit_resource resource_;
  rlimit before_ = {};
};

// Returns the lowest number that is not a file descriptor of the process.
rlim_t LowestFreeDescriptor(pid_t pid) {
  std::set<rlim_t> taken;
  std::error_code error;
  const std::string folder = absl::StrCat("/proc/", pid, "/fd");
  for (std::filesystem::directory_iterator each(folder, error), end;
       !error && each != end; each.increment(error)) {
    rlim_t number = 0;
    if (absl::SimpleAtoi(each->path().filename().string(), &number)) {
      taken.insert(number);
    }
  }
  EXPECT_FALSE(error) << folder << ": " << error.message();
  rlim_t lowest = 0;
  while (taken.contains(lowest)) ++lowest;
  return lowest;
}

// Returns whether a file in the folder of plans, or in a folder below it, shows
// the visitor's graph.
bool HasPlanOfVisitor(const Scene& scene) {
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator
           each(scene.cluster.dump_folder(), error),
       end;
       !error && each != end; each.increment(error)) {
    if (absl::StrContains(testing::ReadFile(each->path()), Visitor::kFedNode)) {
      return true;
    }
  }
  EXPECT_FALSE(error) << scene.cluster.dump_folder() << ": " << error.message();
  return false;
}

}  // namespace

// Makes sure that the task cannot open another file descriptor. A new
// descriptor gets the lowest free number, and the limit applies to this number.
// So the limit is set to the lowest free number.
void TakeDescriptors(Scene& scene) {
  const pid_t pid = scene.cluster.served().process(scene.victim).pid();
  const int64_t before = scene.cluster.NumRefused(scene.victim);
  std::vector<std::unique_ptr<RawConnection>> waiting;
  {
    const LoweredLimit none(pid, RLIMIT_NOFILE, LowestFreeDescriptor(pid));
    for (int i = 0; i < kMaxConnections / 2; ++i) {
      waiting.push_back(
          std::make_unique<RawConnection>(scene.listening_address()));
    }
    scene.cluster.ExpectRefuses(scene.victim, before);
    scene.Hold(absl::Milliseconds(300), absl::Seconds(3));
  }
  waiting.clear();
}

// The task cannot write to any file, so it can write neither its log nor its
// plans. Nevertheless a visitor's step must succeed. The task must write the
// plan of that step when it can write again.
void FillDisk(Scene& scene) {
  scene.cluster.RemovePlans();
  {
    const LoweredLimit full(scene.cluster.served().process(scene.victim).pid(),
                            RLIMIT_FSIZE, 0);
    Visitor(scene).ExpectStep();
    EXPECT_FALSE(HasPlanOfVisitor(scene)) << "the disk is not full";
    scene.Hold(absl::Milliseconds(100), absl::Seconds(2));
  }
  Visitor(scene).ExpectStep();
  EXPECT_TRUE(HasPlanOfVisitor(scene))
      << "no plan is written when the disk has room again";
}

}  // namespace leat::soak
