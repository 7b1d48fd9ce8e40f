// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests the programs as processes: their exit codes, and what they write to
// standard output and to standard error. Also tests that they end.
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/tensor.h"
#include "leat/tests/testing/processes.h"
#include "leat/tests/tools/processes/run_program.h"
#include "leat/tools/tensors/npy.h"

namespace leat::programs_test {
namespace {

using ::leat::testing::Ended;
using ::leat::testing::ExpectEnd;
using ::leat::testing::GraphDump;
using ::leat::testing::Leat;
using ::leat::testing::Path;
using ::leat::testing::Process;
using ::leat::testing::RunProgram;
using ::leat::testing::ServeAlone;
using ::leat::testing::Write;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

// The graph computes y = -x and c = 1.
constexpr char kGraph[] = R"(
  node { name: "x" op: "Placeholder"
         attr { key: "dtype" value { type: DT_FLOAT } }
         attr { key: "shape" value { shape { } } } }
  node { name: "y" op: "Neg" input: "x"
         attr { key: "T" value { type: DT_FLOAT } } }
  node { name: "c" op: "Const"
         attr { key: "dtype" value { type: DT_FLOAT } }
         attr { key: "value" value { tensor {
           dtype: DT_FLOAT tensor_shape { } float_val: 1 } } } }
)";

class ProgramsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(Path(""));
    model_ = Write("model.pbtxt", kGraph);
    feed_ = "x=@" + Path("x.npy");
    ASSERT_TRUE(WriteNpy(Tensor::Scalar<float>(3), Path("x.npy")).ok());
    fifo_ = Path("fifo");
    ASSERT_EQ(mkfifo(fifo_.c_str(), 0600), 0);
  }
  void TearDown() override { std::filesystem::remove_all(Path("")); }

  std::string Config(const std::string& content) const {
    return "--config=" + Write("config.toml", content);
  }

  std::string model_;
  std::string feed_;
  std::string fifo_;
};

TEST_F(ProgramsTest, RunAndShowGraphs) {
  const Ended run =
      Leat({"run", model_, "--feed", feed_, "--fetch", "y", "--fetch", "c"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.err, IsEmpty());
  EXPECT_EQ(run.out, "y float[] -3\nc float[] 1\n");
  const Ended dump = GraphDump({model_});
  EXPECT_EQ(dump.code, 0) << dump.err;
  EXPECT_THAT(dump.err, IsEmpty());
  EXPECT_THAT(dump.out, HasSubstr("Neg"));
  EXPECT_EQ(Leat({"ops", "Neg"}).code, 0);
  const Ended devices = Leat({"devices"});
  EXPECT_THAT(devices.err, IsEmpty());
  EXPECT_THAT(devices.out, HasSubstr("/device:CPU:0"));
  EXPECT_THAT(devices.out, HasSubstr("GPU"));
  EXPECT_EQ(Leat({"devices", "--json"}).code, 0);
}

// The libraries of CUDA are opened only when a GPU needs them.
TEST_F(ProgramsTest, AreNotLinkedWithCuda) {
  const Ended ldd = RunProgram("/usr/bin/ldd", {LEAT_PROGRAM_LEAT});
  EXPECT_EQ(ldd.code, 0) << ldd.err;
  EXPECT_THAT(ldd.out, HasSubstr("libc.so"));
  for (const char* library : {"libcuda", "libcublas", "libcudnn", "libnccl"}) {
    EXPECT_THAT(ldd.out, Not(HasSubstr(library)));
  }
}

TEST_F(ProgramsTest, RunAndShowSavedModels) {
  const std::string model =
      LEAT_TESTS_DIR "/train/saved_model/tensorflow/half_plus_two";
  ASSERT_TRUE(WriteNpy(Tensor::Vector<float>({10}), Path("x.npy")).ok());
  const Ended run = Leat({"run", model, "--feed", feed_, "--steps", "2"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out, StartsWith("y float[1] 7\n"));
  EXPECT_EQ(Leat({"run", model, "--feed", feed_, "--tag", "serve",
                  "--signature", "serving_default", "--fetch", "y"})
                .out,
            "y float[1] 7\n");
  ExpectEnd(Leat({"run", model, "--feed", feed_, "--keep-devices"}), 1,
            "--keep-devices");
  const Ended show = Leat({"show", model});
  EXPECT_EQ(show.code, 0) << show.err;
  EXPECT_THAT(show.out, HasSubstr("serving_default"));
  ExpectEnd(Leat({"show", Path("nothing")}), 1, "SavedModel file does not");
  const Ended dump = GraphDump({model});
  EXPECT_EQ(dump.code, 0) << dump.err;
  EXPECT_THAT(dump.out,
              AllOf(HasSubstr("VarHandleOp"), Not(HasSubstr("SaveV2"))));
  ExpectEnd(GraphDump({model, "--keep-devices"}), 1, "--keep-devices");
  EXPECT_EQ(Leat({"ops", "--missing-from", model}).code, 0);
}

TEST_F(ProgramsTest, ShowTheGraphsOfAClusterNobodyHas) {
  const std::string model = Write("cluster.pbtxt", R"(
    node { name: "v" op: "VarHandleOp" device: "/job:ps/task:1"
           attr { key: "dtype" value { type: DT_FLOAT } }
           attr { key: "shape" value { shape { dim { size: 4 } } } } }
    node { name: "r" op: "ReadVariableOp" input: "v"
           attr { key: "dtype" value { type: DT_FLOAT } } }
    node { name: "loss" op: "Neg" input: "r" device: "/job:worker/cpu:1"
           attr { key: "T" value { type: DT_FLOAT } } })");
  const std::string json = R"({"ps": ["p:1", "p:2"], "worker": {"2": "w:1"}})";
  const std::string file = Write("cluster.json", json);
  const std::string ps = "/job:ps/replica:0/task:1/device:CPU:0";
  const std::string worker = "/job:worker/replica:0/task:2/device:CPU:1";
  // graph-dump is not a task of a cluster and does not look for its task in
  // TF_CONFIG, so a malformed value is not an error.
  const std::vector<std::string> variables = {"TF_CONFIG={"};
  for (const std::string& cluster : {json, file}) {
    const Ended dump = GraphDump(
        {model, "--cluster", cluster, "--devices", "cpu:2", "--fetch", "loss"},
        variables);
    EXPECT_EQ(dump.code, 0) << dump.err;
    EXPECT_THAT(dump.err, IsEmpty());
    EXPECT_THAT(dump.out, AllOf(HasSubstr("partition " + ps),
                                HasSubstr("partition " + worker),
                                HasSubstr("transfers: 1")));
  }
  const Ended placed = GraphDump(
      {model, "--ps_hosts=p:1,p:2", "--worker_hosts=w:1", "--devices=cpu:2",
       "--job_name=ps", "--task_index=0", "--stage=placed", "--format=json"});
  EXPECT_EQ(placed.code, 0) << placed.err;
  EXPECT_THAT(placed.out, HasSubstr(ps));
  const Ended named = GraphDump({model, "--devices=cpu:2", "--fetch=loss"},
                                {"LEAT_CLUSTER=" + file});
  EXPECT_EQ(named.code, 0) << named.err;
  EXPECT_THAT(named.out, HasSubstr(worker));
}

TEST_F(ProgramsTest, FailWith3ForWrongClusters) {
  ExpectEnd(GraphDump({model_, "--cluster", R"({"ps" ["a:1"]})"}), 3,
            "--cluster: the JSON text is wrong at byte 7, line 1: unexpected "
            "'['; expected ':'");
  ExpectEnd(GraphDump({model_, "--cluster", R"({"ps": ["a:1", "a:1"]})"}), 3,
            "'a:1' is given to /job:ps/task:0 and to /job:ps/task:1");
  ExpectEnd(GraphDump({model_, "--cluster", Path("nosuch.json")}), 3,
            "nosuch.json");
  ExpectEnd(GraphDump({model_, "--cluster", fifo_}), 3,
            "is not a regular file but");
  ExpectEnd(
      GraphDump({model_, "--ps_hosts", "a:1", "--job", "ps", "--task", "1"}), 3,
      "task 1 is not in job 'ps', which has the task 0");
  ExpectEnd(GraphDump({model_, "--job", "ps", "--task", "0"}), 3, "--cluster");
  ExpectEnd(GraphDump({model_, "--task", "-1"}), 2, "'-1' is no integer");
}

TEST_F(ProgramsTest, TellVersionAndHelpOnStandardOutput) {
  for (const char* program : {LEAT_PROGRAM_LEAT, LEAT_PROGRAM_GRAPH_DUMP}) {
    const Ended version = RunProgram(program, {"--version"});
    EXPECT_EQ(version.code, 0);
    EXPECT_THAT(version.out,
                AllOf(HasSubstr("revision"), HasSubstr("protobuf")));
    EXPECT_THAT(version.err, IsEmpty());
    const Ended help = RunProgram(program, {"--help"});
    EXPECT_EQ(help.code, 0);
    EXPECT_THAT(help.out,
                AllOf(HasSubstr("Exit codes:"), HasSubstr("LEAT_LOG_LEVEL"),
                      HasSubstr("LEAT_CONFIG")));
    EXPECT_THAT(help.err, IsEmpty());
  }
  EXPECT_THAT(Leat({"run", "--help"}).out,
              AllOf(HasSubstr("LEAT_STEPS"), HasSubstr("LEAT_NO_PASSES")));
  EXPECT_EQ(Leat({"run", "--version"}).code, 0);
}

TEST_F(ProgramsTest, FailWith1ForWrongData) {
  ExpectEnd(Leat({"run", Path("nosuch.pb")}), 1, "nosuch.pb");
  ExpectEnd(GraphDump({Path("nosuch.pb")}), 1, "nosuch.pb");
  ExpectEnd(Leat({"run", model_, "--fetch", "nosuch", "--feed", feed_}), 1,
            "nosuch");
  ExpectEnd(Leat({"ops", "NoSuch"}), 1, "NoSuch");
  ExpectEnd(Leat({"run", model_, "--feed", "x=@" + Path("nosuch.npy")}), 1,
            "nosuch.npy");
}

TEST_F(ProgramsTest, SayWhetherCheckpointsAreWholeAndEqual) {
  const std::string folder = LEAT_TESTS_DIR "/checkpoint/tensorflow/";
  const std::string types = folder + "types";
  const std::string slices = folder + "slices";
  const Ended list = Leat({"checkpoint", "ls", folder});
  EXPECT_EQ(list.code, 0) << list.err;
  EXPECT_THAT(list.out, HasSubstr("26 tensors"));
  const Ended value = Leat({"checkpoint", "show", types, "scalar"});
  EXPECT_EQ(value.code, 0) << value.err;
  EXPECT_THAT(value.out, HasSubstr("2.5"));
  EXPECT_EQ(Leat({"checkpoint", "verify", types, slices}).code, 0);
  EXPECT_EQ(Leat({"checkpoint", "diff", types, types}).code, 0);
  EXPECT_EQ(Leat({"checkpoint", "diff", types, slices}).code, 1);
  EXPECT_EQ(Leat({"checkpoint", "verify", types, Path("nosuch")}).code, 1);
  ExpectEnd(Leat({"checkpoint", "ls", Path("nosuch")}), 1, "nosuch.index");
  ExpectEnd(Leat({"checkpoint", "diff", types}), 2, "PREFIX");
  ExpectEnd(Leat({"checkpoint", "diff", types, Path("nosuch")}), 2,
            "nosuch.index");
}

TEST_F(ProgramsTest, RefuseFileRootsThatAreNoFolders) {
  for (const std::string& root :
       {Path("nosuch"), Write("no_folder", "text"), Path("") + ":rx"}) {
    std::vector<std::string> args = ServeAlone();
    args.insert(args.end(), {"--file-root", root});
    ExpectEnd(Leat(args), 3,
              absl::StrCat("--file-root: file '", root, "': cannot open"));
  }
}

TEST_F(ProgramsTest, SayForWhichTargetTheyWaitAndWhyItIsLost) {
  // Nothing listens at port 1, because only the superuser can listen there.
  const Ended ended = Leat({"run", model_, "--fetch", "c", "--connect-timeout",
                            "2", "--target", "grpc://127.0.0.1:1"});
  ExpectEnd(ended, 138,
            "gave up after 2s: 127.0.0.1:1 cannot be reached: "
            "connection refused");
  EXPECT_THAT(ended.err,
              HasSubstr("warning: the client is waiting for an answer: "
                        "127.0.0.1:1 cannot be reached: connection refused"));
  const Ended quiet =
      Leat({"run", model_, "--fetch", "c", "--connect-timeout", "2",
            "--log-level", "error", "--target", "grpc://127.0.0.1:1"});
  EXPECT_THAT(quiet.err, Not(HasSubstr("waiting")));
}

TEST_F(ProgramsTest, SayForWhichStepTheyWait) {
  Process server(LEAT_PROGRAM_LEAT, ServeAlone());
  const std::string ready = server.FirstLine();
  const std::string target = "grpc://" + ready.substr(ready.rfind(' ') + 1);
  // No step puts an element into the queue.
  const std::string model = Write("stuck.pbtxt", R"(
    node { name: "q" op: "FIFOQueueV2"
           attr { key: "component_types" value { list { type: DT_FLOAT } } } }
    node { name: "taken" op: "QueueDequeueV2" input: "q"
           attr { key: "component_types" value { list { type: DT_FLOAT } } } })");
  Process client(LEAT_PROGRAM_LEAT,
                 {"run", model, "--target", target, "--fetch", "taken"});
  ASSERT_TRUE(client.AwaitError(
      absl::StrCat("leat: warning: this command is waiting for step 1 "
                   "of 1 on ",
                   target,
                   ", which ends after the --max-step-time of leat "
                   "serve (--timeout sets a shorter limit); "
                   "leat status ",
                   target, " shows what the cluster is doing\n")));
  server.Signal(SIGTERM);
  ASSERT_TRUE(server.AwaitError(
      "leat: warning: /job:ps/replica:0/task:0 is waiting for the steps "
      "that run and cancels them in "));
  EXPECT_THAT(server.Err(),
              HasSubstr("(--grace); a second signal ends it at once\n"));
  server.Signal(SIGINT);
  EXPECT_EQ(server.Wait(), 128 + SIGINT);
  EXPECT_EQ(client.Wait(), 138);
  EXPECT_EQ(client.Out(), "");
}

TEST_F(ProgramsTest, PrintWhereTheGraphSays) {
  const auto print = [](const std::string& stream) {
    const std::string model =
        Write("print.pbtxt", absl::StrCat(R"(
      node { name: "text" op: "Const"
             attr { key: "dtype" value { type: DT_STRING } }
             attr { key: "value" value { tensor {
               dtype: DT_STRING tensor_shape {} string_val: "hello" } } } }
      node { name: "print" op: "PrintV2" input: "text"
             attr { key: "output_stream" value { s: ")",
                                          stream, R"(" } } })"));
    return Leat({"run", model, "--fetch", "print"});
  };
  const Ended out = print("stdout");
  EXPECT_EQ(out.code, 0) << out.err;
  EXPECT_THAT(out.out, HasSubstr("hello\n"));
  EXPECT_THAT(out.err, IsEmpty());
  const Ended err = print("stderr");
  EXPECT_EQ(err.code, 0) << err.err;
  EXPECT_THAT(err.out, Not(HasSubstr("hello")));
  EXPECT_EQ(err.err, "hello\n");
  ExpectEnd(print("nosuch"), 1, "valid streams are stdout, stderr");
}

TEST_F(ProgramsTest, FailWith2ForWrongFlags) {
  ExpectEnd(Leat({}), 2, "subcommand is required");
  ExpectEnd(Leat({"bogus"}), 2, "no command 'bogus'; there are run");
  ExpectEnd(Leat({"--bogus"}), 2, "no flag '--bogus'");
  ExpectEnd(Leat({"run"}), 2, "MODEL is required");
  ExpectEnd(Leat({"run", model_, "more"}), 2, "more");
  ExpectEnd(Leat({"run", model_, "--bogus"}), 2, "--bogus");
  ExpectEnd(GraphDump({model_, "--stage", "nosuch"}), 2, "--stage");
  ExpectEnd(GraphDump({model_, "--log-level", "nosuch"}), 2, "--log-level");
}

TEST_F(ProgramsTest, FailWith3ForWrongDevicesAndPolicies) {
  ExpectEnd(Leat({"run", model_, "--devices", "tpu"}), 3, "'tpu'");
  ExpectEnd(Leat({"devices", "--devices", "cpu:0"}), 3, "0");
  ExpectEnd(GraphDump({model_, "--policy", "nosuch"}), 3, "nosuch");
}

TEST_F(ProgramsTest, RefuseNumbersThatAreNoneOrOutOfRange) {
  for (const char* value : {"nan", "-nan", "inf", "-1", "0", "1e30", "abc"}) {
    const Ended ended = Leat({"run", model_, "--timeout", value});
    ExpectEnd(ended, 2, "--timeout");
    EXPECT_THAT(ended.err, HasSubstr(absl::StrCat("'", value, "'")));
  }
  for (const char* value : {"99999999999999999999", "0", "1.5", "", "0x10"}) {
    const Ended ended = Leat({"run", model_, "--steps", value});
    ExpectEnd(ended, 2, "--steps");
    EXPECT_THAT(ended.err, HasSubstr(absl::StrCat("'", value, "'")));
  }
}

TEST_F(ProgramsTest, TakeOneValueForEachFlagAndTheModelBehindIt) {
  const Ended run =
      Leat({"run", "--feed", feed_, "--fetch", "y", "--fetch", "c", model_});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.out, "y float[] -3\nc float[] 1\n");
  // These commands have flags before and after the model. CLI11 must not take
  // the model for a second value of the flag before it.
  for (const char* flag : {"--fetch", "--init"}) {
    const Ended more = Leat(
        {"run", "--feed", feed_, flag, "c", model_, "--steps", "2", "--json"});
    EXPECT_EQ(more.code, 0) << flag << more.err;
    EXPECT_THAT(more.out, HasSubstr("\"steps\": 2"));
  }
  EXPECT_EQ(Leat({"run", "--feed", feed_, model_, "--steps", "2"}).code, 0);
  for (const char* flag : {"--feed", "--fetch", "--expand"}) {
    const Ended more = GraphDump({flag, "x", model_, "--stage", "imported"});
    EXPECT_EQ(more.code, 0) << flag << more.err;
  }
  EXPECT_EQ(Leat({"run", "--feed", feed_, model_}).code, 0);
  EXPECT_EQ(Leat({"run", "--init", "c", "--feed", feed_, model_}).code, 0);
  EXPECT_EQ(GraphDump({"--expand", "/", model_}).code, 0);
  EXPECT_EQ(GraphDump({"--feed", "x", model_}).code, 0);
  EXPECT_EQ(GraphDump({"--fetch", "y", model_}).code, 0);
}

TEST_F(ProgramsTest, FailWhenTheResultCannotBeWritten) {
  const std::vector<std::vector<std::string>> commands = {
      {"ops"},
      {"ops", "--json"},
      {"devices", "--json"},
      {"--help"},
      {"--version"},
      {"run", model_, "--feed", feed_, "--fetch", "y"}};
  for (const std::vector<std::string>& args : commands) {
    const Ended ended = RunProgram(LEAT_PROGRAM_LEAT, args, {}, "/dev/full");
    EXPECT_EQ(ended.code, 1) << args[0];
    EXPECT_THAT(ended.err, HasSubstr("No space left on device"));
  }
  for (const char* format : {"text", "dot", "json"}) {
    const Ended ended = RunProgram(
        LEAT_PROGRAM_GRAPH_DUMP, {model_, "--format", format}, {}, "/dev/full");
    EXPECT_EQ(ended.code, 1) << format;
    EXPECT_THAT(ended.err, HasSubstr("No space left on device"));
  }
  for (const char* flag : {"--trace", "--metadata"}) {
    ExpectEnd(Leat({"run", model_, "--feed", feed_, "--fetch", "y", flag,
                    "/dev/full"}),
              1, "/dev/full");
  }
  ExpectEnd(Leat({"run", model_, "--feed", feed_, "--fetch", "y=@/dev/full"}),
            1, "/dev/full");
}

TEST_F(ProgramsTest, NeitherWaitForPipesNorReadDevices) {
  for (const std::string& path : {fifo_, std::string("/dev/zero")}) {
    const char* refused = "is not a regular file but";
    ExpectEnd(Leat({"run", path}), 1, refused);
    ExpectEnd(GraphDump({path}), 1, refused);
    ExpectEnd(Leat({"run", model_, "--feed", "x=@" + path}), 1, refused);
    ExpectEnd(Leat({"ops", "--config", path}), 3, refused);
    ExpectEnd(GraphDump({model_, "--config", path}), 3, refused);
  }
  rusage usage = {};
  getrusage(RUSAGE_CHILDREN, &usage);
  EXPECT_LT(usage.ru_maxrss, 2 << 20);  // KiB
}

TEST_F(ProgramsTest, ReadAModelFromStandardInputThatIsAFile) {
  const Ended ended = RunProgram("/bin/sh", {"-c", R"("$0" /dev/stdin < "$1")",
                                             LEAT_PROGRAM_GRAPH_DUMP, model_});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("Neg"));
}

TEST_F(ProgramsTest, TakeFlagsFromAFileForOneCommandOrForAll) {
  const std::vector<std::string> command = {"run", model_, "--feed", feed_,
                                            "--json"};
  const auto with = [&](const std::string& config,
                        const std::vector<std::string>& more = {},
                        const std::vector<std::string>& variables = {}) {
    std::vector<std::string> args = command;
    args.push_back(Config(config));
    args.insert(args.end(), more.begin(), more.end());
    return Leat(args, variables);
  };
  for (const char* config :
       {"steps=3", "run.steps=3", "[run]\nsteps=3", "# x\nsteps = 3 # y\n",
        "[run]\nsteps=3\n[devices]\ndevices=\"cpu:2\"\n",
        "steps=4\nrun.steps=3"}) {
    const Ended ended = with(config);
    EXPECT_EQ(ended.code, 0) << config << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("\"steps\": 3")) << config;
  }
  EXPECT_THAT(with("fetch=[\"c\", \"y\"]").out,
              AllOf(HasSubstr("\"name\": \"c\""), HasSubstr("\"y\"")));
  // The command line takes precedence over the file, and the file over the
  // environment.
  EXPECT_THAT(with("steps=3", {"--steps", "2"}).out, HasSubstr("\"steps\": 2"));
  EXPECT_THAT(with("steps=3", {}, {"LEAT_STEPS=5"}).out,
              HasSubstr("\"steps\": 3"));
  EXPECT_THAT(with("", {}, {"LEAT_STEPS=5"}).out, HasSubstr("\"steps\": 5"));
  EXPECT_THAT(GraphDump({model_, Config("stage=\"imported\"")}).out,
              HasSubstr("imported graph"));
}

TEST_F(ProgramsTest, RefuseFilesOfFlagsThatHaveOthers) {
  const auto refused = [&](const std::string& config, const char* message) {
    const std::string flag = Config(config);
    for (const Ended& ended : {Leat({"run", model_, "--feed", feed_, flag}),
                               Leat({"--config", Path("config.toml"), "run",
                                     model_, "--feed", feed_})}) {
      ExpectEnd(ended, 3, Path("config.toml"));
      EXPECT_THAT(ended.err, HasSubstr(message)) << config;
    }
  };
  refused("nosuch=1", "'nosuch'");
  refused("run.nosuch=1", "'run.nosuch'");
  refused("nosuch.steps=1", "no command 'nosuch'");
  refused("[nosuch]\nsteps=1", "no command 'nosuch'");
  refused("[ops]\nsteps=1", "'ops.steps'");
  refused("steps=abc", "--steps: 'abc'");
  refused("run.steps=0", "--steps: '0'");
  refused("steps=1\nsteps=2", "steps");
  refused("version=true", "'version'");
  refused("config=\"x\"", "'config'");
  refused("help=true", "'help'");
  refused("json=maybe", "json");
  refused(std::string("a=\0b", 4), "line 1 has a control character");
  std::string random;
  uint32_t state = 1;
  for (int i = 0; i < 100; ++i) {
    state = state * 1664525 + 1013904223;
    random += static_cast<char>(state >> 24);
  }
  refused(random, "file '");
  ExpectEnd(Leat({"ops", "--config", Path("nosuch.toml")}), 3, "nosuch.toml");
  ExpectEnd(Leat({"ops", "--config", ::testing::TempDir()}), 3, "a folder");
  EXPECT_EQ(Leat({"--config", Path("nosuch.toml"), "--help"}).code, 3);
}

TEST_F(ProgramsTest, TakeEveryFlagFromTheEnvironment) {
  const std::string steps =
      Leat({"run", model_, "--feed", feed_}, {"LEAT_STEPS=2", "LEAT_JSON=1"})
          .out;
  EXPECT_THAT(steps, HasSubstr("\"steps\": 2"));
  EXPECT_THAT(Leat({"run", model_}, {"LEAT_FEED=" + feed_, "LEAT_FETCH=y"}).out,
              HasSubstr("-3"));
  EXPECT_THAT(GraphDump({model_}, {"LEAT_STAGE=imported"}).out,
              HasSubstr("imported graph"));
  ExpectEnd(Leat({"run", model_}, {"LEAT_STEPS=abc"}), 2, "LEAT_STEPS=abc");
  // A variable for a flag that this command does not have is ignored.
  EXPECT_EQ(Leat({"ops"}, {"LEAT_STEPS=abc"}).code, 0);
  const std::string config = Write("variable.toml", "stage=\"placed\"");
  EXPECT_THAT(GraphDump({model_}, {"LEAT_CONFIG=" + config}).out,
              HasSubstr("placed graph"));
  EXPECT_THAT(GraphDump({model_, Config("stage=\"imported\"")},
                        {"LEAT_CONFIG=" + config})
                  .out,
              HasSubstr("imported graph"));
  ExpectEnd(GraphDump({model_}, {"LEAT_CONFIG=/nonexistent/x"}), 3,
            "/nonexistent/x");
}

TEST_F(ProgramsTest, NameTheFileOfAGraphWithoutNodes) {
  const std::string empty = Write("newline.pbtxt", "\n");
  ExpectEnd(Leat({"run", empty}), 1, empty);
  ExpectEnd(GraphDump({empty}), 1, empty);
  EXPECT_EQ(GraphDump({empty, "--stage", "imported"}).code, 0);
}

TEST_F(ProgramsTest, WarnOfScopesThatThereAreNot) {
  const Ended ended = GraphDump({model_, "--expand", "nosuch"});
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.out, HasSubstr("Neg"));
  EXPECT_THAT(ended.err, AllOf(HasSubstr("warning"), HasSubstr("'nosuch'")));
  EXPECT_THAT(GraphDump({model_, "--expand", "/"}).err, IsEmpty());
}

TEST_F(ProgramsTest, LogAsMuchAsIsWantedAndInTheFormatThatIsWanted) {
  const std::vector<std::string> run = {"run", model_, "--feed", feed_};
  const auto with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> args = run;
    args.insert(args.end(), more.begin(), more.end());
    return Leat(args);
  };
  EXPECT_THAT(with({}).err, IsEmpty());
  for (const std::vector<std::string>& flags :
       {std::vector<std::string>{"-v"}, {"--verbose"}, {"--log-level=info"}}) {
    EXPECT_THAT(with(flags).err, AllOf(StartsWith("leat: the graph of "),
                                       HasSubstr("is loaded and has 3 nodes")));
  }
  EXPECT_THAT(with({"-v", "--log-format=json"}).err,
              AllOf(StartsWith("{\"time\":\"2"),
                    HasSubstr("\"level\":\"info\",\"program\":\"leat\"")));
  EXPECT_THAT(GraphDump({model_, "--expand=nosuch", "--log-level=error"}).err,
              IsEmpty());
  EXPECT_THAT(GraphDump({model_ + "x", "--log-format=json"}).err,
              HasSubstr("\"code\":\"NOT_FOUND\""));
  EXPECT_THAT(GraphDump({model_, "-v"}).err, HasSubstr("loaded"));
}

}  // namespace
}  // namespace leat::programs_test
