// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests that the graphs of a server's clients use no files unless the server
// allows it.
#include <memory>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"
#include "leat/runtime/local_session.h"
#include "leat/tests/testing/in_process_cluster.h"
#include "leat/tests/testing/temporary_folder.h"

namespace leat::files_test {
namespace {

using ::leat::testing::InProcessCluster;
using ::testing::HasSubstr;

TEST(ServerFilesTest, GraphsOfClientsUseNoFiles) {
  const TemporaryFolder folder;
  GraphBuilder b;
  const Output prefix = b.Const(folder.Path("model"));
  const Output names = b.Const<std::string>({"w"});
  const Output whole = b.Const<std::string>({""});
  const Operation save = op::SaveV2(prefix, names, whole, {b.Const(1.0f)});
  const Output restored =
      op::RestoreV2(prefix, names, whole, {DType::kFloat})[0];
  const absl::StatusOr<Graph> graph = b.Build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  const TaskId worker = {"worker", 0};
  InProcessCluster cluster({{"worker", 1}});
  const auto session = cluster.NewSession(*graph, worker);
  ASSERT_TRUE(session.ok()) << session.status();
  // A program that runs its own graph may use files.
  const auto local = NewLocalSession(*graph, {});
  ASSERT_TRUE(local.ok()) << local.status();
  const auto saved = (*local)->Run({.targets = {save.name()}});
  ASSERT_TRUE(saved.ok()) << saved.status();
  EXPECT_EQ((*local)->Run({.fetches = {restored}})->at(0).scalar<float>(), 1);
  for (const RunArgs& run :
       {RunArgs{.targets = {save.name()}}, RunArgs{.fetches = {restored}}}) {
    const absl::Status status = (*session)->Run(run).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kPermissionDenied) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("--file-root"));
  }
}

}  // namespace
}  // namespace leat::files_test
