// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Makes the system calls of Leat's own code, and its attempts to start threads,
// fail in turn. In each try either one call fails, or one call and all later
// ones. The result must be right or an error, no open file and no thread may be
// left, and the next try must succeed.
#include <dirent.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "leat/checkpoint/bundle_paths.h"
#include "leat/checkpoint/bundle_reader.h"
#include "leat/checkpoint/bundle_writer.h"
#include "leat/checkpoint/merge_bundles.h"
#include "leat/core/files/output_file.h"
#include "leat/core/files/system_file.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/thread.h"
#include "leat/core/threads/work_queue.h"
#include "leat/distributed/client/remote_session.h"
#include "leat/distributed/server/server.h"
#include "leat/distributed/transport/grpc/listening_sockets.h"
#include "leat/distributed/transport/unix_socket.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/io/graph_file.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/ops.h"
#include "leat/runtime/local_session.h"
#include "leat/summary/event_reader.h"
#include "leat/summary/event_writer.h"
#include "leat/tests/system_calls/failing_calls.h"
#include "leat/tests/system_calls/recorded_calls.h"
#include "leat/tests/testing/eventually.h"
#include "leat/tests/testing/simulated_clock.h"
#include "leat/tests/testing/temporary_folder.h"
#include "leat/tools/child_process.h"
#include "leat/tools/launched_task.h"
#include "leat/tools/live_view.h"
#include "leat/tools/log.h"
#include "leat/tools/plan_dump.h"
#include "leat/tools/tensors/npy.h"
#include "leat/train/datasets/idx.h"
#include "leat/train/readiness.h"
#include "leat/train/recoverable_session.h"

namespace leat::nth_call_test {
namespace {

using std::chrono::nanoseconds;
using testing::FailingCalls;
using testing::NthFailure;

int64_t CountEntries(const std::string& folder) {
  int64_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    static_cast<void>(entry);
    ++count;
  }
  return count;
}

// Returns the number of threads of Leat. Does not count gRPC's own threads,
// because gRPC starts and ends them at any time.
int64_t CountThreads() {
  int64_t count = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator("/proc/self/task")) {
    const std::string name = ReadSystemFile(entry.path() / "comm");
    if (absl::StartsWith(name, "leat-")) ++count;
  }
  return count;
}

// Counts the open files of this process and the threads of Leat.
struct Held {
  int64_t files = CountEntries("/proc/self/fd");
  int64_t threads = CountThreads();
};

// kShort is the timeout of an action that may wait in vain because a call has
// failed. kLong is the timeout of an action whose calls all succeed.
constexpr std::chrono::milliseconds kShort(50);
constexpr std::chrono::minutes kLong(1);

using Action = absl::FunctionRef<absl::Status(nanoseconds timeout)>;

// Expects that the action succeeds, and that afterwards the process has no more
// files and threads than `before`.
void ExpectSucceeds(Action action, const Held& before) {
  const absl::Status status = action(kLong);
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_TRUE(testing::Eventually([&] {
    const Held now;
    return now.files <= before.files && now.threads <= before.threads;
  })) << Held().files
      << " files, " << Held().threads << " threads; before: " << before.files
      << ", " << before.threads;
}

// Runs `action` repeatedly, and each time makes another one of its calls fail.
// After each run, enables all calls again, and calls `check` with the status
// that `action` has returned.
void FailEachCall(
    Action action, absl::FunctionRef<void(const absl::Status&)> check =
                       [](const absl::Status&) {}) {
  // The first runs of an action may open files or start threads that stay. So
  // the action runs twice before `before` counts them.
  for (int i = 0; i < 2; ++i) {
    const absl::Status first = action(kLong);
    ASSERT_TRUE(first.ok()) << first;
  }
  const Held before;
  int64_t total = 0;
  for (const auto which : {NthFailure::kOnlyOne, NthFailure::kAllFromThere}) {
    bool is_patient = false;
    for (int64_t n = 1;;) {
      const nanoseconds timeout = is_patient ? nanoseconds(kLong) : kShort;
      FailingCalls failing(n, which);
      const absl::Status status = action(timeout);
      const int64_t num_failed = failing.Stop();
      // On a busy machine, kShort may end the action before call `n`. So call
      // `n` is tried once more, with kLong.
      is_patient = num_failed == 0 && !status.ok() && !is_patient;
      if (is_patient) continue;
      SCOPED_TRACE(absl::StrCat("call ", n, ": ", FailingCalls::FirstFailed(),
                                ", and ", num_failed - 1,
                                " later: ", status.ToString()));
      EXPECT_NE(status.code(), absl::StatusCode::kUnknown);
      EXPECT_NE(status.code(), absl::StatusCode::kInternal);
      EXPECT_EQ(status.ok(), status.message().empty());
      check(status);
      ExpectSucceeds(action, before);
      if (::testing::Test::HasFailure()) return;
      if (num_failed == 0) break;
      ++total;
      ++n;
    }
  }
  EXPECT_GT(total, 1);
  std::cout << total << " calls failed\n";
}

// Describes a graph that computes y = 2 x.
struct Doubling {
  Doubling() {
    x = b.Placeholder<float>("x", PartialShape(Shape{}));
    y = x * 2.0f;
    graph = b.Build().value();
  }

  absl::Status Run(Session& session, RunOptions options = {}) const {
    LEAT_ASSIGN_OR_RETURN(const auto fetched,
                          session.Run({.feeds = {{x, Tensor::Scalar(21.0f)}},
                                       .fetches = {y},
                                       .options = options}));
    EXPECT_EQ(fetched[0].scalar<float>(), 42);
    return absl::OkStatus();
  }

  GraphBuilder b;
  Output x, y;
  Graph graph{BuiltinOps()};
};

// Expects that the folder has no files except `expected`. Other files are
// allowed only if the test has made a call fail with which Leat removes files.
// Removes these other files.
void ExpectNothingElse(const TemporaryFolder& folder,
                       const std::set<std::string>& expected) {
  for (const auto& entry :
       std::filesystem::directory_iterator(folder.Path(""))) {
    if (expected.contains(entry.path())) continue;
    EXPECT_GT(
        FailingCalls::NumFailed("unlinkat") + FailingCalls::NumFailed("openat"),
        0)
        << entry.path();
    std::filesystem::remove(entry.path());
  }
}

// After an error, the file holds the old graph. After a success, it holds the
// new graph. The folder has no other files, except a file that could not be
// removed.
TEST(NthCallTest, SavingAGraphKeepsTheOldFile) {
  const TemporaryFolder folder;
  const std::string path = folder.Path("graph.pb");
  const Doubling doubling;
  const Graph empty(BuiltinOps());
  FailEachCall(
      [&](nanoseconds) -> absl::Status {
        LEAT_RETURN_IF_ERROR(SaveGraph(empty, path));
        return SaveGraph(doubling.graph, path);
      },
      [&](const absl::Status& status) {
        const auto graph = LoadGraph(path, BuiltinOps());
        ASSERT_TRUE(graph.ok()) << graph.status();
        EXPECT_TRUE(!status.ok() || graph->num_nodes() > 0);
        ExpectNothingElse(folder, {path});
      });
}

TEST(NthCallTest, LoadingAGraph) {
  const TemporaryFolder folder;
  const std::string path = folder.Path("graph.pbtxt");
  const Doubling doubling;
  ASSERT_TRUE(SaveGraph(doubling.graph, path).ok());
  FailEachCall(
      [&](nanoseconds) { return LoadGraph(path, BuiltinOps()).status(); });
}

absl::Status SaveCheckpoint(const std::string& prefix, float value) {
  LEAT_ASSIGN_OR_RETURN(
      const auto writer,
      BundleWriter::Create(FileAccess::Unrestricted(), prefix));
  LEAT_RETURN_IF_ERROR(writer->Add("w", Tensor::Scalar(value)));
  return writer->Finish();
}

absl::StatusOr<float> ReadCheckpoint(const std::string& prefix) {
  LEAT_ASSIGN_OR_RETURN(const auto reader,
                        BundleReader::Open(FileAccess::Unrestricted(), prefix));
  LEAT_ASSIGN_OR_RETURN(const Tensor w, reader->Read("w", HostAllocator()));
  return w.scalar<float>();
}

// Returns the paths of all files that a checkpoint may have. If a checkpoint is
// saved again, its data files get other names.
std::set<std::string> FilesOf(const std::string& prefix) {
  return {IndexPath(prefix), DataPath(prefix, 0, 1), DataPath(prefix, 0, 2),
          DataPath(prefix, 1, 2)};
}

TEST(NthCallTest, SavingACheckpointKeepsOlderOnes) {
  testing::SkipSyncs();
  const TemporaryFolder folder;
  const std::string before = folder.Path("before");
  const std::string now = folder.Path("now");
  ASSERT_TRUE(SaveCheckpoint(before, 1).ok());
  FailEachCall([&](nanoseconds) { return SaveCheckpoint(now, 2); },
               [&](const absl::Status&) {
                 EXPECT_EQ(ReadCheckpoint(before).value(), 1);
                 EXPECT_EQ(ReadCheckpoint(now).value(), 2);
                 std::set<std::string> expected = FilesOf(before);
                 expected.merge(FilesOf(now));
                 ExpectNothingElse(folder, expected);
               });
  FailEachCall([&](nanoseconds) { return ReadCheckpoint(now).status(); });
}

TEST(NthCallTest, MergingCheckpointsKeepsOlderOnes) {
  testing::SkipSyncs();
  const TemporaryFolder folder;
  const std::string now = folder.Path("now");
  const std::string parts[] = {folder.Path("part")};
  ASSERT_TRUE(SaveCheckpoint(now, 1).ok());
  FailEachCall(
      [&](nanoseconds) -> absl::Status {
        LEAT_RETURN_IF_ERROR(SaveCheckpoint(parts[0], 2));
        return MergeBundles(FileAccess::Unrestricted(), parts, now);
      },
      [&](const absl::Status&) {
        EXPECT_EQ(ReadCheckpoint(now).value(), 2);
        std::set<std::string> expected = FilesOf(parts[0]);
        expected.merge(FilesOf(now));
        // If the part and `now` have two data files each, the merged checkpoint
        // has three data files with these names.
        expected.insert(DataPath(now, 2, 3));
        for (const int i : {0, 1}) expected.insert(DataPath(now, i, 3));
        ExpectNothingElse(folder, expected);
      });
}

// After an error, the file holds all events that were flushed before the error,
// and no incomplete record.
TEST(NthCallTest, WritingEvents) {
  const TemporaryFolder folder;
  FailEachCall(
      [&](nanoseconds) -> absl::Status {
        LEAT_ASSIGN_OR_RETURN(const auto writer,
                              EventWriter::Create(FileAccess::Unrestricted(),
                                                  folder.Path("logs")));
        LEAT_RETURN_IF_ERROR(writer->Write(NewEvent(1)));
        LEAT_RETURN_IF_ERROR(writer->Flush());
        LEAT_RETURN_IF_ERROR(writer->Write(NewEvent(2)));
        return writer->Close();
      },
      [&](const absl::Status&) {
        for (const auto& entry :
             std::filesystem::directory_iterator(folder.Path("logs"))) {
          auto reader = EventReader::Open(entry.path());
          ASSERT_TRUE(reader.ok()) << reader.status();
          pb::Event event;
          while (reader->has_next()) ASSERT_TRUE(reader->Read(event).ok());
          std::filesystem::remove(entry.path());
        }
      });
}

TEST(NthCallTest, FilesOfTensors) {
  const TemporaryFolder folder;
  const std::string path = folder.Path("tensor.npy");
  const Tensor tensor = Tensor::Vector<float>({1, 2, 3});
  FailEachCall([&](nanoseconds) {
    LEAT_RETURN_IF_ERROR(WriteNpy(tensor, path));
    LEAT_ASSIGN_OR_RETURN(const Tensor read, ReadNpy(path));
    EXPECT_TRUE(Identical(read, tensor));
    return absl::OkStatus();
  });
}

TEST(NthCallTest, WritingToADevice) {
  const TemporaryFolder folder;
  const std::string link = folder.Path("link");
  std::filesystem::create_symlink("/dev/null", link);
  FailEachCall(
      [&](nanoseconds) { return WriteNpy(Tensor::Vector<float>({1}), link); },
      [&](const absl::Status&) {
        EXPECT_TRUE(std::filesystem::is_symlink(link));
        EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
      });
}

TEST(NthCallTest, ReadingADataset) {
  const TemporaryFolder folder;
  const std::string path = folder.Path("labels");
  // This is an IDX file of three labels. It consists of the type, the number of
  // dimensions, the extent of the dimension, and the values.
  const std::string bytes("\0\0\x08\x01\0\0\0\x03\1\2\3", 11);
  ASSERT_TRUE(WriteFile(path, bytes).ok());
  FailEachCall([&](nanoseconds) { return ReadIdx(path).status(); });
}

TEST(NthCallTest, StartingAProgram) {
  FailEachCall([&](nanoseconds) -> absl::Status {
    LEAT_ASSIGN_OR_RETURN(const ChildProcess child,
                          StartChild({"/bin/true"}, {}));
    Forget({.pid = child.pid});
    return absl::OkStatus();
  });
}

TEST(NthCallTest, OpeningTheLogOfATask) {
  const TemporaryFolder folder;
  LiveView view({"worker-0"}, {});
  FailEachCall([&](nanoseconds) {
    LaunchedTask task({.name = "worker-0", .log = folder.Path("log")}, view);
    return task.OpenLog();
  });
}

// One thread of the pool cannot be started. The simulated clock must not count
// this thread, because the clock would wait for the thread forever.
TEST(NthCallTest, APoolInSimulatedTime) {
  testing::SimulatedClock clock;
  FailingCalls failing(2, NthFailure::kOnlyOne);
  const absl::Status status = StartThreads([] {
    NewThreadPool("pool", 3);
    return absl::OkStatus();
  });
  EXPECT_EQ(failing.Stop(), 1);
  EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
  const Thread sleeps("sleeps", [&] { clock.Sleep(std::chrono::hours(1)); });
  clock.Advance(std::chrono::hours(2));
}

TEST(NthCallTest, ALocalSession) {
  const Doubling doubling;
  FailEachCall([&](nanoseconds) -> absl::Status {
    LEAT_ASSIGN_OR_RETURN(
        const auto session,
        NewLocalSession(doubling.graph, {.devices = {.num_threads = 3}}));
    return doubling.Run(*session);
  });
}

TEST(NthCallTest, ARecoverableSession) {
  GraphBuilder b;
  const Variable v = b.Variable("v", 1.0f);
  const Output y = v.value() + 1.0f;
  const Output missing = UninitializedVariables(b);
  const Graph graph = b.Build().value();
  FailEachCall([&](nanoseconds) -> absl::Status {
    LEAT_ASSIGN_OR_RETURN(const auto session,
                          RecoverableSession::Create(
                              graph, {.session = {.num_threads = 2},
                                      .init = graph.init_op(),
                                      .uninitialized = TensorName(missing).text,
                                      .loop = y.operation().name(),
                                      .is_chief = true}));
    return session->Close();
  });
}

// A server listens at the socket, so the file of the socket must not be
// removed.
TEST(NthCallTest, TheSocketFileOfAnotherServer) {
  const TemporaryFolder folder;
  const std::string address = absl::StrCat("unix:", folder.Path("s"));
  const auto listening = ListenAt(address, std::chrono::seconds(1));
  ASSERT_TRUE(listening.ok()) << listening.status();
  FailEachCall([&](nanoseconds) -> absl::Status {
    const absl::Status status = ClearSocketPath(folder.Path("s"));
    EXPECT_FALSE(status.ok());
    const bool is_right = absl::StrContains(status.message(), "another server");
    return is_right ? absl::OkStatus() : status;
  });
}

// Starts a server that listens at `bind`, and runs a step on it.
absl::Status Serve(const Doubling& doubling, const std::string& bind,
                   nanoseconds timeout, PlanObserver* observer = nullptr) {
  LEAT_ASSIGN_OR_RETURN(ClusterSpec cluster,
                        ClusterSpec::Create({{"ps", {{0, "127.0.0.1:1"}}}}));
  LEAT_ASSIGN_OR_RETURN(
      const std::unique_ptr<Server> server,
      Server::Start({.config = {.cluster = std::move(cluster),
                                .task = {.job = "ps", .index = 0}},
                     .bind = bind,
                     .devices = {.num_threads = 2},
                     .plan_observer = observer}));
  LEAT_ASSIGN_OR_RETURN(
      const auto session,
      NewRemoteSession(doubling.graph, server->target(),
                       {.connect_timeout = timeout, .close_timeout = timeout}));
  return doubling.Run(*session, {.timeout = timeout});
}

// The server also writes its plans to files. It goes on serving if a file
// cannot be written.
TEST(NthCallTest, ServingAtAPort) {
  const TemporaryFolder folder;
  const Log log("system_calls_test");
  const Doubling doubling;
  FailEachCall([&](nanoseconds timeout) {
    PlanDump plans(folder.Path(""), log);
    return Serve(doubling, "127.0.0.1:0", timeout, &plans);
  });
  EXPECT_GT(FailingCalls::NumFailed("accept4"), 0);
  EXPECT_GT(FailingCalls::NumFailed("mkdir"), 0);
}

TEST(NthCallTest, ServingAtASocketFile) {
  const TemporaryFolder folder;
  const Doubling doubling;
  FailEachCall([&](nanoseconds timeout) {
    return Serve(doubling, absl::StrCat("unix:", folder.Path("s")), timeout);
  });
}

}  // namespace
}  // namespace leat::nth_call_test
