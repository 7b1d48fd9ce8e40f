// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Lets each system call of Leat's own code, and the start of each of its
// threads, fail in turn: only this one, or this one and all later ones. Each
// time there must be an error or the right result, no open file and no thread
// may be left, and the next try must succeed.
#include <dirent.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "leat/core/output_file.h"
#include "leat/core/status_macros.h"
#include "leat/core/system_file.h"
#include "leat/distributed/client/remote_session.h"
#include "leat/distributed/server/server.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/io/graph_file.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/ops.h"
#include "leat/runtime/local_session.h"
#include "leat/tests/system_calls/failing_calls.h"
#include "leat/tests/testing/eventually.h"
#include "leat/tests/testing/temporary_folder.h"
#include "leat/tools/child_process.h"
#include "leat/tools/npy.h"
#include "leat/train/datasets/idx.h"

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

// Returns the number of threads of Leat. gRPC starts and ends threads of its
// own as it likes.
int64_t CountThreads() {
  int64_t count = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator("/proc/self/task")) {
    const std::string name = ReadSystemFile(entry.path() / "comm");
    if (absl::StartsWith(name, "leat-")) ++count;
  }
  return count;
}

// What a process holds.
struct Held {
  int64_t files = CountEntries("/proc/self/fd");
  int64_t threads = CountThreads();
};

// How long an action may wait for something that does not come because a call
// has failed, and how long it may take if all calls succeed.
constexpr std::chrono::milliseconds kShort(50);
constexpr std::chrono::minutes kLong(1);

// Runs `action` with each of its calls failing. `check` is called after each
// try, when calls no longer fail.
void FailEachCall(
    absl::FunctionRef<absl::Status(nanoseconds timeout)> action,
    absl::FunctionRef<void()> check = [] {}) {
  // What the first runs open, such as gRPC's own threads, stays.
  for (int i = 0; i < 2; ++i) {
    const absl::Status first = action(kLong);
    ASSERT_TRUE(first.ok()) << first;
  }
  const Held before;
  int64_t total = 0;
  for (const auto which : {NthFailure::kOnlyOne, NthFailure::kAllFromThere}) {
    for (int64_t n = 1;; ++n) {
      FailingCalls failing(n, which);
      const absl::Status status = action(kShort);
      const int64_t num_failed = failing.Stop();
      SCOPED_TRACE(absl::StrCat("call ", n, ": ", FailingCalls::FirstFailed(),
                                ", and ", num_failed - 1,
                                " later: ", status.ToString()));
      EXPECT_NE(status.code(), absl::StatusCode::kUnknown);
      EXPECT_NE(status.code(), absl::StatusCode::kInternal);
      EXPECT_NE(status.ok(), !status.message().empty());
      check();
      const absl::Status next = action(kLong);
      EXPECT_TRUE(next.ok()) << next;
      EXPECT_TRUE(testing::Eventually([&] {
        const Held now;
        return now.files <= before.files && now.threads <= before.threads;
      })) << Held().files
          << " files, " << Held().threads
          << " threads; before: " << before.files << ", " << before.threads;
      if (::testing::Test::HasFailure()) return;
      if (num_failed == 0) break;
      ++total;
    }
  }
  EXPECT_GT(total, 1);
  std::cout << total << " calls failed\n";
}

// A graph that computes y = 2 x.
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

TEST(NthCallTest, SavingAGraphKeepsTheOldFile) {
  const TemporaryFolder folder;
  const std::string path = folder.Path("graph.pb");
  const Doubling doubling;
  FailEachCall([&](nanoseconds) { return SaveGraph(doubling.graph, path); },
               [&] {
                 const auto graph = LoadGraph(path, BuiltinOps());
                 EXPECT_TRUE(graph.ok()) << graph.status();
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
  FailEachCall([&](nanoseconds) {
    return WriteNpy(Tensor::Vector<float>({1}), "/dev/null");
  });
}

TEST(NthCallTest, ReadingADataset) {
  const TemporaryFolder folder;
  const std::string path = folder.Path("labels");
  // Three labels: a type, the number of dimensions, an extent, the values.
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

TEST(NthCallTest, ALocalSession) {
  const Doubling doubling;
  FailEachCall([&](nanoseconds) -> absl::Status {
    LEAT_ASSIGN_OR_RETURN(
        const auto session,
        NewLocalSession(doubling.graph, {.devices = {.num_threads = 3}}));
    return doubling.Run(*session);
  });
}

// Starts a server that listens at `bind`, and runs a step on it.
absl::Status Serve(const Doubling& doubling, const std::string& bind,
                   nanoseconds timeout) {
  LEAT_ASSIGN_OR_RETURN(ClusterSpec cluster,
                        ClusterSpec::Create({{"ps", {{0, "127.0.0.1:1"}}}}));
  LEAT_ASSIGN_OR_RETURN(
      const std::unique_ptr<Server> server,
      Server::Start({.config = {.cluster = std::move(cluster),
                                .task = {.job = "ps", .index = 0}},
                     .bind = bind,
                     .devices = {.num_threads = 2}}));
  LEAT_ASSIGN_OR_RETURN(
      const auto session,
      NewRemoteSession(doubling.graph, server->target(),
                       {.connect_timeout = timeout, .close_timeout = timeout}));
  return doubling.Run(*session, {.timeout = timeout});
}

TEST(NthCallTest, ServingAtAPort) {
  const Doubling doubling;
  FailEachCall([&](nanoseconds timeout) {
    return Serve(doubling, "127.0.0.1:0", timeout);
  });
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
