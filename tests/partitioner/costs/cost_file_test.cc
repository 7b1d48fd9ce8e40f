// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/partitioner/costs/cost_file.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/files/regular_file.h"
#include "leat/tests/testing/temporary_folder.h"

namespace leat::cost_file_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

constexpr char kKind[] = "CPU Xeon @ 2.20GHz, 2 threads";

DeviceCosts SomeCosts() {
  DeviceCosts costs;
  for (const float time : {0.25f, 1e-9f, 3e-5f}) {
    costs.AddTime("Square(float[8]){T=float}", time);
  }
  costs.AddTime(R"(Einsum(){equation="ij,\xe2->"})", 0.1f);
  costs.AddRuns(
      {.name = "a/b", .steps = 3, .runs = 1.5, .output_bytes = {8, 1e9}});
  return costs;
}

class CostFileTest : public ::testing::Test {
 protected:
  void Write(const std::string& text) const {
    std::ofstream(path_, std::ios::binary) << text;
  }
  std::string Text() const {
    return ReadRegularFile(path_, kMaxCostFile).value_or("");
  }
  void ExpectRefused(const std::string& message) const {
    CostTable table;
    const absl::Status read = ReadCosts(folder_.Path(""), table);
    EXPECT_EQ(read.code(), absl::StatusCode::kInvalidArgument) << read;
    EXPECT_THAT(read.message(), HasSubstr(message));
    EXPECT_THAT(read.message(), HasSubstr(CostFileName(kKind)));
    // Nobody overwrites what is not understood.
    const absl::Status written =
        WriteCosts(folder_.Path(""), kKind, SomeCosts());
    EXPECT_EQ(written.code(), absl::StatusCode::kInvalidArgument) << written;
    EXPECT_THAT(written.message(), HasSubstr(message));
  }

  const TemporaryFolder folder_;
  const std::string path_ = folder_.Path(CostFileName(kKind));
  const std::string good_ = CostsText(kKind, SomeCosts());
};

TEST_F(CostFileTest, TheNameIsMadeFromTheKind) {
  EXPECT_EQ(CostFileName(kKind), "CPU_Xeon___2.20GHz__2_threads.costs.pbtxt");
  EXPECT_EQ(CostFileName("../x\xff"), ".._x_.costs.pbtxt");
}

TEST_F(CostFileTest, ReadsWhatItWrites) {
  ASSERT_TRUE(WriteCosts(folder_.Path(""), kKind, SomeCosts()).ok());
  CostTable table;
  ASSERT_TRUE(ReadCosts(folder_.Path(""), table).ok());
  EXPECT_THAT(table.kinds(), ElementsAre(kKind));
  const DeviceCosts costs = table.Copy(kKind);
  ASSERT_EQ(costs.kernels().size(), 2u);
  EXPECT_THAT(costs.FindKernel("Square(float[8]){T=float}")->times(),
              UnorderedElementsAre(0.25f, 1e-9f, 3e-5f));
  const NodeRuns& node = *costs.FindNode("a/b");
  EXPECT_EQ(node.steps, 3);
  EXPECT_EQ(node.runs, 1.5);
  EXPECT_THAT(node.output_bytes, ElementsAre(8, 1e9));
  EXPECT_EQ(CostsText(kKind, costs), good_);
  EXPECT_THAT(Text(), HasSubstr("version: 1"));
}

TEST_F(CostFileTest, KeepsWhatOthersHaveWritten) {
  ASSERT_TRUE(WriteCosts(folder_.Path(""), kKind, SomeCosts()).ok());
  DeviceCosts mine;
  mine.AddTime("Neg(float[1]){T=float}", 2);
  ASSERT_TRUE(WriteCosts(folder_.Path(""), kKind, mine).ok());
  ASSERT_TRUE(WriteCosts(folder_.Path(""), "GPU", mine).ok());
  CostTable table;
  ASSERT_TRUE(ReadCosts(folder_.Path(""), table).ok());
  EXPECT_EQ(table.Copy(kKind).kernels().size(), 3u);
  EXPECT_EQ(table.Copy(kKind).nodes().size(), 1u);
  EXPECT_EQ(table.Copy("GPU").kernels().size(), 1u);
}

TEST_F(CostFileTest, LeavesNoOtherFile) {
  ASSERT_TRUE(WriteCosts(folder_.Path(""), kKind, SomeCosts()).ok());
  std::vector<std::string> names;
  for (const auto& entry :
       std::filesystem::directory_iterator(folder_.Path(""))) {
    names.push_back(entry.path().filename());
  }
  EXPECT_THAT(names, ElementsAre(CostFileName(kKind)));
}

TEST_F(CostFileTest, RefusesEveryFileThatIsCutShort) {
  const size_t end = good_.find("is_whole");
  ASSERT_LT(end, good_.size());
  for (size_t size = 0; size <= end; ++size) {
    const auto costs = ParseCosts("f", good_.substr(0, size), kKind);
    ASSERT_FALSE(costs.ok()) << size;
  }
  Write(good_.substr(0, good_.find("node {")));
  ExpectRefused("is not whole");
}

TEST_F(CostFileTest, RefusesOtherVersionsAndKinds) {
  Write(absl::StrReplaceAll(good_, {{"version: 1", "version: 2"}}));
  ExpectRefused("has version 2, and not 1");
  Write(absl::StrReplaceAll(good_, {{"Xeon", "Epyc"}}));
  ExpectRefused("another kind of device, 'CPU Epyc @ 2.20GHz, 2 threads'");
  Write(absl::StrReplaceAll(good_, {{kKind, ""}}));
  ExpectRefused("names no kind of device");
  Write(absl::StrReplaceAll(good_, {{kKind, std::string(500, 'x')}}));
  ExpectRefused("names no kind of device");
}

TEST_F(CostFileTest, RefusesNumbersThatCannotBe) {
  for (const char* number : {"nan", "-nan", "inf", "1e300", "-1", "2e6"}) {
    Write(absl::StrReplaceAll(good_, {{"0.25", number}}));
    ExpectRefused("a time is between 0 and 1e+06 s");
  }
  for (const char* number : {"nan", "inf", "1e300", "-1"}) {
    for (const char* old : {"steps: 3", "runs: 1.5", "[8, 1000000000]"}) {
      const absl::string_view field(old, std::string(old).find(' ') + 1);
      const std::string changed = old[0] == '['
                                      ? absl::StrCat("[8, ", number, "]")
                                      : absl::StrCat(field, number);
      ASSERT_THAT(good_, HasSubstr(old));
      Write(absl::StrReplaceAll(good_, {{old, changed}}));
      ExpectRefused("a number is between 0 and 1e+15");
    }
  }
  // The runs per step would be without a limit.
  Write(absl::StrReplaceAll(good_, {{"steps: 3", "steps: 1e-300"}}));
  ExpectRefused("the least number is 1");
}

TEST_F(CostFileTest, RefusesOtherTexts) {
  Write("not a message");
  ExpectRefused("does not hold costs: line 1");
  Write(std::string("\0\xff\x12", 3));
  ExpectRefused("does not hold costs");
  Write(absl::StrCat(good_, "unknown: 1"));
  ExpectRefused("unknown");
  Write(absl::StrReplaceAll(good_, {{"a/b", std::string(600, 'n')}}));
  ExpectRefused("a name of a node that is empty, too long or not printable");
  Write(absl::StrReplaceAll(good_, {{"Square", std::string(2000, 'k')}}));
  ExpectRefused("a key that is empty, too long or not printable");
  Write(absl::StrReplaceAll(good_, {{"seconds: [0.1]", "seconds: []"}}));
  ExpectRefused("has 0 times");
}

TEST_F(CostFileTest, RefusesTooManyEntries) {
  std::string many;
  for (int i = 0; i < 1'000'000; ++i) many += "kernel{}";
  Write(many);
  ExpectRefused("too many entries");
  many = absl::StrCat("version:1 device_kind:'", kKind, "' is_whole:true ");
  for (int i = 0; i < 100'001; ++i) many += "node{}";
  Write(many);
  ExpectRefused("has 100001 nodes, more than 100000");
}

TEST_F(CostFileTest, RefusesWhatIsNoRegularFile) {
  std::filesystem::create_directory(path_);
  ExpectRefused("");
  std::filesystem::remove(path_);
  const std::string target = folder_.Path("target");
  std::ofstream(target) << good_;
  std::filesystem::create_symlink(target, path_);
  ExpectRefused("is a link");
  std::filesystem::remove(path_);
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  ExpectRefused("");
}

TEST_F(CostFileTest, RefusesALargeFileWithoutReadingIt) {
  Write("");
  for (const int64_t size : {kMaxCostFile + 1, int64_t{2} << 30}) {
    std::filesystem::resize_file(path_, size);  // takes no room on the disk
    ExpectRefused("bytes, but may have at most");
  }
}

TEST_F(CostFileTest, RefusesTooManyFiles) {
  for (size_t i = 0; i <= CostTable::kMaxKinds; ++i) {
    ASSERT_TRUE(WriteCosts(folder_.Path(""), absl::StrCat(i), {}).ok());
  }
  CostTable table;
  const absl::Status read = ReadCosts(folder_.Path(""), table);
  EXPECT_THAT(read.message(), HasSubstr("has more than 64 cost files"));
}

TEST_F(CostFileTest, NeedsAFolder) {
  CostTable table;
  EXPECT_TRUE(absl::IsNotFound(ReadCosts(folder_.Path("none"), table)));
  EXPECT_FALSE(WriteCosts(folder_.Path("none"), kKind, SomeCosts()).ok());
}

}  // namespace
}  // namespace leat::cost_file_test
