// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These faults change the limits of a process that runs.
#include <sys/resource.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <vector>

#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "leat/tests/soak/faults.h"
#include "leat/tests/soak/visitor.h"
#include "leat/tests/testing/raw_connection.h"

namespace leat::soak {
namespace {

using testing::RawConnection;

// Lowers a limit of a process. The destructor sets it back.
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

}  // namespace

// The task can open no more descriptors than it has.
void TakeDescriptors(Scene& scene) {
  const testing::Process& process =
      scene.cluster.served().process(scene.victim);
  std::vector<std::unique_ptr<RawConnection>> waiting;
  {
    const LoweredLimit none(process.pid(), RLIMIT_NOFILE,
                            static_cast<rlim_t>(process.NumOpenFiles()));
    for (int i = 0; i < kMaxConnections / 2; ++i) {
      waiting.push_back(
          std::make_unique<RawConnection>(scene.listening_address()));
    }
    scene.Hold(absl::Milliseconds(300), absl::Seconds(3));
  }
  waiting.clear();
}

// Nothing can be written, neither to the log nor to the folder of plans. No
// step may fail because of that, and plans are written when there is room
// again.
void FillDisk(Scene& scene) {
  {
    const LoweredLimit full(scene.cluster.served().process(scene.victim).pid(),
                            RLIMIT_FSIZE, 0);
    Visitor(scene).ExpectStep();
    scene.Hold(absl::Milliseconds(100), absl::Seconds(2));
  }
  scene.cluster.RemovePlans();
  Visitor(scene).ExpectStep();
  EXPECT_FALSE(std::filesystem::is_empty(scene.cluster.dump_folder()))
      << "no plan is written when the disk has room again";
}

}  // namespace leat::soak
