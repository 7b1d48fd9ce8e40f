// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests that graph-dump plans for GPUs that this machine need not have.
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/tests/tools/processes/run_program.h"
#include "nlohmann/json.hpp"

namespace leat::gpu_plans_test {
namespace {

using ::leat::testing::Ended;
using ::leat::testing::GraphDump;
using ::leat::testing::Path;
using ::testing::ElementsAre;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kCpu0[] = "/job:localhost/replica:0/task:0/device:CPU:0";
constexpr char kGpu0[] = "/job:localhost/replica:0/task:0/device:GPU:0";
constexpr char kGpu1[] = "/job:localhost/replica:0/task:0/device:GPU:1";

class GpuPlansTest : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(Path("")); }
  void TearDown() override { std::filesystem::remove_all(Path("")); }

  // Plans the training of a small network for a CPU and two GPUs. Returns what
  // graph-dump prints.
  std::string Plan(std::vector<std::string> flags) {
    flags.insert(flags.begin(), {LEAT_TESTS_DIR "/graphs/mlp_resource.pbtxt",
                                 "--devices", "gpu:2"});
    const Ended dump = GraphDump(flags);
    EXPECT_EQ(dump.code, 0) << dump.err;
    EXPECT_THAT(dump.err, IsEmpty());
    return dump.out;
  }
};

TEST_F(GpuPlansTest, EachNodeIsOnTheGpuThatThePolicyChoseForIt) {
  const auto json = nlohmann::json::parse(
      Plan({"--policy", "round_robin", "--format", "json"}));
  std::vector<std::string> parts;
  for (const auto& part : json["partitions"]) {
    parts.push_back(part["name"]);
    EXPECT_THAT(part["num_nodes"].get<int>(), Gt(10)) << part["name"];
  }
  EXPECT_THAT(parts, ElementsAre(kCpu0, kGpu0, kGpu1));
  std::map<std::string, int> bytes;  // that are copied, by GPU
  for (const auto& copy : json["copies"]) {
    const bool is_to_host = copy["to"] == "host";
    if (copy["bytes"].is_null()) continue;
    bytes[copy[is_to_host ? "from" : "to"]] += copy["bytes"].get<int>();
  }
  EXPECT_THAT(bytes[kGpu0], Gt(0));
  EXPECT_THAT(bytes[kGpu1], Gt(0));
}

TEST_F(GpuPlansTest, ByDefaultTheNetworkIsOnOneGpu) {
  const std::string text = Plan({});
  EXPECT_THAT(text, HasSubstr("nodes in 1 partition\n"));
  EXPECT_THAT(text, HasSubstr(kGpu0));
  EXPECT_THAT(text, HasSubstr("copies to and from GPUs: 2, 4 B and 1 of "
                              "unknown size\n"));
}

}  // namespace
}  // namespace leat::gpu_plans_test
