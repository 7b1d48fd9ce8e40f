// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Kills the process, or simulates a power failure, while checkpoints are saved.
// Afterwards, each checkpoint that was saved before must still be there, and no
// checkpoint may mix old and new tensors.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <new>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "leat/checkpoint/bundle_reader.h"
#include "leat/checkpoint/bundle_writer.h"
#include "leat/checkpoint/merge_bundles.h"
#include "leat/core/status_macros.h"
#include "leat/tests/system_calls/lossy_folder.h"
#include "leat/tests/system_calls/recorded_calls.h"
#include "leat/tests/testing/temporary_folder.h"

namespace leat::checkpoint_crashes_test {
namespace {

using testing::FileCall;
using testing::LossyFolder;
using testing::RecordedCalls;

FileAccess Files() { return FileAccess::Unrestricted(); }

// Returns a tensor that depends on `step` and fills several pages of a file.
Tensor Numbers(int64_t step) {
  return Tensor::Filled<int64_t>(Shape{2000}, step);
}
Tensor Words(int64_t step) {
  return Tensor::Vector<std::string>({"step", absl::StrCat(step)});
}

absl::Status Save(const std::string& prefix, int64_t step) {
  LEAT_ASSIGN_OR_RETURN(const auto writer,
                        BundleWriter::Create(Files(), prefix));
  // This tensor is larger than the buffer of the writer. So it is written with
  // a call of its own.
  LEAT_RETURN_IF_ERROR(
      writer->Add("large", Tensor::Filled<int64_t>(Shape{40'000}, step)));
  LEAT_RETURN_IF_ERROR(writer->Add("numbers", Numbers(step)));
  LEAT_RETURN_IF_ERROR(writer->Add("words", Words(step)));
  return writer->Finish();
}

// Returns the step that the checkpoint at `prefix` was saved in, or -1 if there
// is no checkpoint. Fails the test if the checkpoint is damaged or mixes
// tensors of several steps.
int64_t StepAt(const std::string& prefix) {
  const auto reader = BundleReader::Open(Files(), prefix);
  if (absl::IsNotFound(reader.status())) return -1;
  EXPECT_TRUE(reader.ok()) << reader.status();
  if (!reader.ok()) return -2;
  for (const std::string& name : (*reader)->Names()) {
    EXPECT_EQ((*reader)->Verify(name), absl::OkStatus());
  }
  const auto large = (*reader)->Read("large", HostAllocator());
  const auto numbers = (*reader)->Read("numbers", HostAllocator());
  const auto words = (*reader)->Read("words", HostAllocator());
  if (!numbers.ok() || !words.ok()) return -2;
  const int64_t step = numbers->data<int64_t>()[0];
  EXPECT_TRUE(Identical(*numbers, Numbers(step))) << prefix;
  EXPECT_TRUE(Identical(*words, Words(step))) << prefix << " " << step;
  // Merged checkpoints do not have the tensor "large".
  EXPECT_EQ(large.ok() ? large->data<int64_t>().back() : step, step) << prefix;
  return step;
}

// Simulates a power failure after each file call of an action, and checks what
// remains on the disk.
class PowerFailure {
 public:
  // Calls `prepare` to fill a new folder, and syncs the folder. Then calls
  // `action` and records its file calls. Simulates a power failure after each
  // of these file calls, and calls `check` for each state that the folder can
  // then have. `is_done` is true after the last file call.
  void Try(absl::FunctionRef<void()> prepare, absl::FunctionRef<void()> action,
           absl::FunctionRef<void(bool is_done)> check) {
    LossyFolder model(RecordedFolder());
    {
      const RecordedCalls recorded;
      prepare();
      for (const FileCall& call : recorded.calls()) model.Apply(call);
      model.Apply({.kind = FileCall::kSync, .path = RecordedFolder()});
    }
    const RecordedCalls recorded;
    action();
    const std::vector<FileCall> calls = recorded.calls();
    ASSERT_GT(calls.size(), 8u);
    for (size_t i = 0; i < calls.size(); ++i) {
      SCOPED_TRACE(absl::StrCat("after call ", i + 1, " of ", calls.size()));
      const bool is_done = i + 1 == calls.size();
      if (is_done) model.Forget();
      model.Apply(calls[i]);
      model.ForEachState([&](const LossyFolder::Files& files) {
        if (::testing::Test::HasFailure()) return;
        Restore(files);
        check(is_done);
        ++num_states_;
      });
    }
  }

  // Saved returns the path of a file in the folder that `prepare` and `action`
  // write to. Left returns the path of that file in the copy that `check`
  // reads.
  std::string Saved(const std::string& name) const {
    return absl::StrCat(RecordedFolder(), "/", name);
  }
  std::string Left(const std::string& name) const { return left_.Path(name); }
  int num_states() const { return num_states_; }

 private:
  std::string RecordedFolder() const {
    const std::string path = recorded_.Path("");
    return path.substr(0, path.size() - 1);
  }
  void Restore(const LossyFolder::Files& files) const {
    for (const auto& old : std::filesystem::directory_iterator(Left(""))) {
      std::filesystem::remove(old.path());
    }
    for (const auto& [name, content] : files) {
      std::ofstream(Left(name), std::ios::binary) << content;
    }
  }

  const TemporaryFolder recorded_;
  const TemporaryFolder left_;
  int num_states_ = 0;
};

TEST(CheckpointCrashesTest, APowerFailureLosesNoCheckpoint) {
  PowerFailure power;
  power.Try([&] { ASSERT_TRUE(Save(power.Saved("old"), 1).ok()); },
            [&] { ASSERT_TRUE(Save(power.Saved("new"), 2).ok()); },
            [&](bool is_done) {
              EXPECT_EQ(StepAt(power.Left("old")), 1);
              const int64_t step = StepAt(power.Left("new"));
              EXPECT_TRUE(step == 2 || (step == -1 && !is_done)) << step;
            });
  EXPECT_GT(power.num_states(), 15);
}

TEST(CheckpointCrashesTest, APowerFailureKeepsAReplacedCheckpoint) {
  // The data files of consecutive checkpoints have different names. The second
  // replacement uses the names of the first checkpoint again.
  for (const int64_t num_before : {1, 2}) {
    PowerFailure power;
    power.Try(
        [&] {
          for (int64_t step = 1; step <= num_before; ++step) {
            ASSERT_TRUE(Save(power.Saved("m"), step).ok());
          }
        },
        [&] { ASSERT_TRUE(Save(power.Saved("m"), num_before + 1).ok()); },
        [&](bool is_done) {
          const int64_t step = StepAt(power.Left("m"));
          EXPECT_TRUE(step == num_before + 1 ||
                      (step == num_before && !is_done))
              << step;
        });
    EXPECT_GT(power.num_states(), 25);
  }
}

absl::Status SaveParts(const std::string& folder, int64_t step) {
  for (const bool numbers : {true, false}) {
    LEAT_ASSIGN_OR_RETURN(
        const auto writer,
        BundleWriter::Create(Files(), folder + (numbers ? "part0" : "part1")));
    LEAT_RETURN_IF_ERROR(numbers ? writer->Add("numbers", Numbers(step))
                                 : writer->Add("words", Words(step)));
    LEAT_RETURN_IF_ERROR(writer->Finish());
  }
  return absl::OkStatus();
}

absl::Status Merge(const std::string& folder) {
  const std::string parts[] = {folder + "part0", folder + "part1"};
  return MergeBundles(Files(), parts, folder + "m");
}

TEST(CheckpointCrashesTest, APowerFailureKeepsAMergedCheckpoint) {
  PowerFailure power;
  power.Try(
      [&] {
        ASSERT_TRUE(SaveParts(power.Saved(""), 1).ok());
        ASSERT_TRUE(Merge(power.Saved("")).ok());
        ASSERT_TRUE(SaveParts(power.Saved(""), 2).ok());
      },
      [&] { ASSERT_TRUE(Merge(power.Saved("")).ok()); },
      [&](bool is_done) {
        const int64_t step = StepAt(power.Left("m"));
        EXPECT_TRUE(step == 2 || (step == 1 && !is_done)) << step;
      });
  EXPECT_GT(power.num_states(), 20);
}

// Holds the number of the last step whose two checkpoints have both been saved.
// The number is in memory that several processes share.
class SharedStep {
 public:
  SharedStep()
      : page_(mmap(nullptr, sizeof(Step), PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {
    EXPECT_NE(page_, MAP_FAILED);
    step_ = new (page_) Step(0);
  }
  ~SharedStep() { munmap(page_, sizeof(Step)); }
  SharedStep(const SharedStep&) = delete;
  SharedStep& operator=(const SharedStep&) = delete;

  std::atomic<int64_t>& step() { return *step_; }

 private:
  using Step = std::atomic<int64_t>;
  void* page_;
  Step* step_ = nullptr;
};

// Runs forever. Saves each step twice: under a prefix of its own, and under the
// prefix "latest", which all steps share.
[[noreturn]] void SaveForever(const TemporaryFolder& folder,
                              std::atomic<int64_t>& done) {
  for (int64_t step = done + 1;; ++step) {
    if (!Save(folder.Path(absl::StrCat("model-", step)), step).ok() ||
        !Save(folder.Path("latest"), step).ok()) {
      _exit(1);
    }
    done = step;
  }
}

TEST(CheckpointCrashesTest, AKilledProcessLosesNoCheckpoint) {
  const TemporaryFolder folder;
  SharedStep shared;
  std::atomic<int64_t>& done = shared.step();
  std::mt19937 random(1);
  std::set<int64_t> half_done;
  for (int i = 0; i < 50; ++i) {
    // One step makes about 30 file calls.
    const int64_t calls = std::uniform_int_distribution<int64_t>(1, 70)(random);
    SCOPED_TRACE(absl::StrCat("process ", i, " ends at call ", calls));
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      testing::KillAt(calls);
      SaveForever(folder, done);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
    for (int64_t step = 1; step <= done; ++step) {
      EXPECT_EQ(StepAt(folder.Path(absl::StrCat("model-", step))), step);
    }
    const int64_t next = StepAt(folder.Path(absl::StrCat("model-", done + 1)));
    EXPECT_TRUE(next == -1 || next == done + 1) << next;
    const int64_t latest = StepAt(folder.Path("latest"));
    EXPECT_TRUE(latest == done || latest == done + 1 ||
                (done == 0 && latest == -1))
        << latest;
    EXPECT_LE(latest, std::max<int64_t>(next, done));
    if (next == done + 1) half_done.insert(done);
    ASSERT_FALSE(HasFailure());
  }
  EXPECT_GT(done, 20);
  EXPECT_GT(half_done.size(), 5u);
}

}  // namespace
}  // namespace leat::checkpoint_crashes_test
