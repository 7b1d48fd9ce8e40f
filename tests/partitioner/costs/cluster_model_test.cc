// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/partitioner/costs/cluster_model.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/codec/json.h"

namespace leat::cluster_model_test {
namespace {

using ::testing::HasSubstr;

constexpr char kModel[] = R"({
  "note": "for a test",
  "kinds": {
    "core": {"type": "CPU", "note": "measured",
             "rates": {"flops_per_second": {"float": 4e10, "double": 2e10},
                       "bytes_per_second": 1e10, "seconds_per_op": 1e-6}},
    "gpu": {"type": "GPU", "memory_bytes": 8e10, "streams": 2}
  },
  "hosts": [
    {"name": "ps", "cores": 4, "memory_bytes": 1e9,
     "tasks": [{"job": "ps", "devices": [{"kind": "core"}]},
               {"job": "ps", "devices": [{"kind": "core"}]}]},
    {"name": "node", "count": 2, "cores": 8, "memory_bytes": 2e9,
     "tasks": [{"job": "worker",
                "devices": [{"kind": "core"}, {"kind": "gpu", "count": 2}]}]}
  ],
  "links": [
    {"between": "hosts", "of": ["node0", "node1"], "latency_seconds": 1e-5,
     "bytes_per_second": 2e10, "sharing": "end", "seconds_per_message": 1e-6,
     "seconds_per_byte": 1e-10},
    {"between": "hosts", "latency_seconds": 1e-4, "bytes_per_second": 1e9},
    {"between": "tasks", "of": ["ps"], "latency_seconds": 5e-5,
     "bytes_per_second": 3e9, "sharing": "all"},
    {"between": "gpus", "latency_seconds": 1e-5, "bytes_per_second": 2.5e10}
  ]
})";

ClusterModel Model() {
  auto model = ClusterModel::FromJson(kModel, "m.json");
  EXPECT_TRUE(model.ok()) << model.status();
  return *std::move(model);
}

TEST(ClusterModelTest, HasTheDevicesOfAllTasks) {
  const ClusterModel model = Model();
  ASSERT_EQ(model.hosts().size(), 3u);
  EXPECT_EQ(model.hosts()[0].name, "ps");
  EXPECT_EQ(model.hosts()[2].name, "node1");
  EXPECT_EQ(model.hosts()[2].cores, 8);
  ASSERT_EQ(model.tasks().size(), 4u);
  EXPECT_EQ(model.tasks()[1].name, "/job:ps/replica:0/task:1");
  EXPECT_EQ(model.tasks()[3].name, "/job:worker/replica:0/task:1");
  EXPECT_EQ(model.tasks()[3].host, 2);
  ASSERT_EQ(model.devices().size(), 8u);
  const int index =
      model.FindDevice("/job:worker/replica:0/task:1/device:GPU:1");
  ASSERT_EQ(index, 7);
  const DeviceModel& gpu = model.devices()[index];
  EXPECT_EQ(gpu.type, kGpu);
  EXPECT_EQ(gpu.kind, "gpu");
  EXPECT_EQ(gpu.host, 2);
  EXPECT_EQ(gpu.task, 3);
  EXPECT_EQ(gpu.memory_bytes, 80'000'000'000);
  EXPECT_EQ(gpu.streams, 2);
  EXPECT_FALSE(gpu.rates.has_value());
  EXPECT_EQ(model.FindDevice("/job:worker/replica:0/task:2/device:GPU:0"), -1);
  EXPECT_EQ(model.NumProcessors(), 4 + 8 + 8 + 4 * 2);
}

TEST(ClusterModelTest, ACpuHasTheMemoryOfItsHostAndTheRatesOfItsKind) {
  const ClusterModel model = Model();
  const DeviceModel& cpu = model.devices()[0];
  EXPECT_EQ(cpu.name, "/job:ps/replica:0/task:0/device:CPU:0");
  EXPECT_EQ(cpu.memory_bytes, 1'000'000'000);
  ASSERT_TRUE(cpu.rates.has_value());
  EXPECT_EQ(cpu.rates->FlopsPerSecond(NumberClass::kDouble), 2e10);
  EXPECT_EQ(cpu.rates->FlopsPerSecond(NumberClass::kHalf), 4e10)
      << "the rate of floats stands for rates that are missing";
  EXPECT_EQ(cpu.rates->bytes_per_second, 1e10);
  EXPECT_EQ(cpu.rates->seconds_per_op, 1e-6);
}

TEST(ClusterModelTest, GivesPlanningItsDevices) {
  const std::vector<DeviceInfo> infos = Model().DeviceInfos();
  ASSERT_EQ(infos.size(), 8u);
  EXPECT_EQ(infos[0].name, "/job:ps/replica:0/task:0/device:CPU:0");
  EXPECT_EQ(infos[0].type, "CPU");
  EXPECT_EQ(infos[7].type, "GPU");
  EXPECT_EQ(infos[7].memory_bytes, 80'000'000'000);
  EXPECT_NE(infos[7].incarnation, 0u);
}

TEST(ClusterModelTest, TheFirstLinkThatFitsServesTwoTasks) {
  const ClusterModel model = Model();
  EXPECT_EQ(model.LinkBetween(2, 3), 0);
  EXPECT_EQ(model.LinkBetween(3, 2), 0);
  EXPECT_EQ(model.LinkBetween(0, 3), 1);
  EXPECT_EQ(model.LinkBetween(0, 1), 2);
  EXPECT_EQ(model.LinkBetween(1, 1), ClusterModel::kNoLink);
  EXPECT_EQ(model.GpuLink(1), 3);
  const LinkModel& link = model.links()[0];
  EXPECT_EQ(link.latency_seconds, 1e-5);
  EXPECT_EQ(link.bytes_per_second, 2e10);
  EXPECT_EQ(link.sharing, LinkSharing::kEnd);
  EXPECT_EQ(link.seconds_per_message, 1e-6);
  EXPECT_EQ(link.seconds_per_byte, 1e-10);
  EXPECT_EQ(model.links()[1].sharing, LinkSharing::kPair);
}

// Replaces a text of kModel and expects an error with all of `messages`.
struct BadModel {
  std::string text;
  std::string replacement;
  std::string message;
};

TEST(ClusterModelTest, NamesTheFieldAndTheValueOfEachMistake) {
  const std::vector<BadModel> cases = {
      {R"("cores": 4)", R"("cores": 0)",
       "hosts[0].cores is 0, but must be an integer from 1 to 65536"},
      {R"("cores": 4)", R"("cores": 2.5)", "hosts[0].cores is 2.5"},
      {R"("cores": 4)", R"("cores": "4")", "hosts[0].cores is '4'"},
      {R"("cores": 4)", R"("cpus": 4)",
       "hosts[0] has the field 'cpus', which is unknown; known are name"},
      {R"("memory_bytes": 1e9)", R"("memory_bytes": 1e300)",
       "hosts[0].memory_bytes is 1e+300"},
      {R"("memory_bytes": 1e9,)", "", "hosts[0].memory_bytes is missing"},
      {R"("float": 4e10)", R"("float": 0)",
       "kinds['core'].rates.flops_per_second.float is 0"},
      {R"("float": 4e10)", R"("float": -1e9)", "float is -1e+09"},
      {R"("float": 4e10, )", "", "flops_per_second.float is missing"},
      {R"("float": 4e10)", R"("float": 1e999)", "a number is too large"},
      {R"("float": 4e10)", R"("float": NaN)", "the JSON text is wrong"},
      {R"("float": 4e10)", R"("float": null)", "float is null"},
      {R"("double": 2e10)", R"("double": 1e-30)", "double is 1e-30"},
      {R"("type": "CPU")", R"("type": "TPU")",
       R"(kinds['core'].type is 'TPU', but must be "CPU" or "GPU")"},
      {R"("memory_bytes": 8e10, )", "", "kinds['gpu'].memory_bytes is missing"},
      {R"("type": "CPU",)", R"("type": "CPU", "streams": 2,)",
       "kinds['core'].streams is 2, but only a GPU has streams"},
      {R"("count": 2}]}]})", R"("count": 1000000000}]}]})",
       "hosts[1].tasks[0].devices[1].count is 1000000000, but must be an "
       "integer from 1 to 100000"},
      {R"("count": 2}]}]})", R"("count": 60000}]}]})",
       "hosts[1].tasks[0].devices[1] makes more than 100000 devices"},
      {R"("count": 2, "cores")", R"("count": 1024, "cores")",
       "hosts[1] is one host too many: there may be 1024"},
      {R"("count": 2, "cores")", R"("count": -1, "cores")",
       "hosts[1].count is -1"},
      {R"("name": "node", "count": 2,)", R"("name": "ps",)",
       "hosts[1].name gives a second host the name 'ps'"},
      {R"([{"kind": "core"}, {"kind": "gpu", "count": 2}])",
       R"([{"kind": "gpu"}])", "hosts[1].tasks[0].devices has no CPU"},
      {R"([{"kind": "core"}, {"kind": "gpu", "count": 2}])",
       R"([{"kind": "tpu"}])",
       R"(hosts[1].tasks[0].devices[0].kind is 'tpu', but "kinds" has no)"},
      {R"("job": "worker")", R"("job": "a/b")",
       "hosts[1].tasks[0].job is 'a/b'"},
      {R"("of": ["node0", "node1"])", R"("of": ["node0", "node7"])",
       "links[0].of[1] is 'node7', which is no host"},
      {R"("of": ["node0", "node1"])", R"("of": ["node0", "node0"])",
       "links[0].of[1] is 'node0', which stands there twice"},
      {R"("of": ["node0", "node1"], )", "",
       "links[1] connects nothing that the links before it do not connect"},
      {R"({"between": "hosts", "latency_seconds": 1e-4, "bytes_per_second": 1e9},)",
       "", R"(links has none between the "hosts" 'ps' and 'node0')"},
      {R"({"between": "tasks", "of": ["ps"])",
       R"({"between": "tasks", "of": ["node0"])",
       R"(links has none between "tasks" of host 'ps', which has 2 tasks)"},
      {R"({"between": "gpus", )", R"({"between": "gpus", "of": ["node1"], )",
       R"(links has none between "gpus" of host 'node0')"},
      {R"("between": "gpus")", R"("between": "racks")",
       "links[3].between is 'racks'"},
      {R"("bytes_per_second": 2e10)", R"("bytes_per_second": 0)",
       "links[0].bytes_per_second is 0"},
      {R"("latency_seconds": 1e-4)", R"("latency_seconds": -1)",
       "links[1].latency_seconds is -1"},
      {R"("sharing": "all")", R"("sharing": "some")",
       "links[2].sharing is 'some'"},
      {R"("hosts": [)", R"("hosts": 1, "hosts_": [)", "unknown"},
      {R"("note": "for a test",)", R"("kinds": {},)", "is twice"},
  };
  for (const BadModel& bad : cases) {
    const std::string text =
        absl::StrReplaceAll(kModel, {{bad.text, bad.replacement}});
    ASSERT_NE(text, kModel) << bad.text;
    const auto model = ClusterModel::FromJson(text, "m.json");
    ASSERT_FALSE(model.ok()) << bad.replacement;
    EXPECT_EQ(model.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(model.status().message(), HasSubstr(bad.message));
    EXPECT_THAT(model.status().message(),
                HasSubstr("cluster model 'm.json': "));
  }
}

TEST(ClusterModelTest, RefusesWhatIsNoModel) {
  for (const auto& [text, message] :
       std::vector<std::pair<std::string, std::string>>{
           {"", "the JSON text is wrong"},
           {"[]", "the text is an array, but must be an object"},
           {"{}", "kinds is missing"},
           {R"({"kinds": {}})", "hosts is missing"},
           {R"({"kinds": {}, "hosts": []})", "hosts has no host with a device"},
           {R"({"kinds": {"a": 1}, "hosts": []})",
            "kinds['a'] is 1, but must be an object"},
           {R"({"kinds": [], "hosts": []})",
            "kinds is an array, but must be an object"},
           {std::string(kMaxJsonBytes + 1, ' '), "at most"}}) {
    const auto model = ClusterModel::FromJson(text, "m.json");
    ASSERT_FALSE(model.ok());
    EXPECT_THAT(model.status().message(), HasSubstr(message));
  }
}

TEST(ClusterModelTest, NamesAFileThatIsNotThere) {
  const auto model = ClusterModel::Load("/nonexistent/m.json");
  EXPECT_EQ(model.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(model.status().message(), HasSubstr("/nonexistent/m.json"));
}

TEST(ClusterModelTest, ReadsTheExamples) {
  for (const auto& [name, devices] :
       std::vector<std::pair<std::string, size_t>>{
           {"one_machine", 1},
           {"eight_gpus", 9},
           {"sixteen_gpu_hosts", 16 * 9}}) {
    const auto model = ClusterModel::Load(
        absl::StrCat(LEAT_TESTS_DIR, "/../examples/clusters/", name, ".json"));
    ASSERT_TRUE(model.ok()) << model.status();
    EXPECT_EQ(model->devices().size(), devices) << name;
  }
}

}  // namespace
}  // namespace leat::cluster_model_test
