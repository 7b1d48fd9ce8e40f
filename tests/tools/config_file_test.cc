// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/config_file.h"

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/tests/testing/temporary_folder.h"

namespace leat::config_file_test {
namespace {

using ::testing::ElementsAre;
using ::testing::StartsWith;

// This fixture is a program with flags and a subcommand. The subcommand has its
// own flag and is not used.
class ConfigFileTest : public ::testing::Test {
 protected:
  ConfigFileTest() {
    app_.add_option("--fetch", fetches_);
    app_.add_flag("--json", json_);
    app_.add_subcommand("run")->add_option("--steps", steps_);
  }

  // Reads a file with this content. Returns the text of the error, or "" if
  // there is none.
  std::string Read(const std::string& content) {
    const TemporaryFolder folder;
    const std::string path = folder.Path("x.toml");
    std::ofstream(path, std::ios::binary) << content;
    ConfigFile file(app_);
    try {
      file.Read(path);
      std::istringstream ignored;
      file.from_config(ignored);
    } catch (const CLI::FileError& error) {
      absl::string_view problem = error.what();
      EXPECT_TRUE(
          absl::ConsumePrefix(&problem, absl::StrCat("file '", path, "': ")))
          << problem;
      return std::string(problem);
    }
    return "";
  }

  CLI::App app_;
  std::vector<std::string> fetches_;
  bool json_ = false;
  int steps_ = 0;
};

TEST_F(ConfigFileTest, ReadsKeysSectionsAndComments) {
  EXPECT_EQ(Read("# x\n; y\n\n \t\r\nfetch = [\"a.b.c\", \"c=d\"] # z\n"
                 "json = true\r\n[run]\nsteps = 3\n[default]\nrun.steps=4"),
            "");
  EXPECT_THAT(fetches_, ElementsAre("a.b.c", "c=d"));
  EXPECT_TRUE(json_);
}

TEST_F(ConfigFileTest, NamesALineThatSetsNothing) {
  for (const char* line :
       {"a", "=", "=1", "[]", "json", "[run", "[run] # x", "\"c\","}) {
    EXPECT_EQ(Read(absl::StrCat("# x\n\n", line, "\njson=1")),
              "line 3 is neither '[section]' nor 'key = value'")
        << line;
  }
  for (const char* line : {"a=", "a= ", "json=", "json= # x", "fetch=[]",
                           "fetch=[ ]", "fetch=[]#x"}) {
    EXPECT_EQ(Read(absl::StrCat("fetch=c\n", line)), "line 2 has no value")
        << line;
  }
}

TEST_F(ConfigFileTest, NamesALineWithAControlCharacter) {
  EXPECT_EQ(Read(std::string("json = true\nfetch = a\0b\n", 24)),
            "line 2 has a control character");
  EXPECT_EQ(Read("fetch = \x1b[31m"), "line 1 has a control character");
}

// If an array has no ']' in its line, CLI11 would take the rest of the array
// from the following lines.
TEST_F(ConfigFileTest, RefusesArraysThatDoNotEndInTheirLine) {
  for (const char* line : {"fetch=[", "fetch=[\"c\"", "fetch=[\"c\"] x"}) {
    EXPECT_EQ(Read(absl::StrCat(line, "\nnosuch=1]")),
              "line 1 has no ']' at its end")
        << line;
  }
}

TEST_F(ConfigFileTest, RefusesKeysThatLookLikeMarksOfSections) {
  EXPECT_EQ(Read("++=1"), "there is no flag '++'");
  EXPECT_EQ(Read("--=1"), "there is no flag '--'");
  EXPECT_EQ(Read("[run]\n++=1"), "there is no flag 'run.++'");
  EXPECT_EQ(Read("[run]\n--=1"), "there is no flag 'run.--'");
}

TEST_F(ConfigFileTest, RefusesEmptyValuesOfFlagsWithoutOne) {
  for (const char* value : {"{}", "\"{}\"", "\"\"", "[\"\"]"}) {
    EXPECT_EQ(Read(absl::StrCat("json=", value)), "'json' has no value");
  }
  EXPECT_FALSE(json_);
}

// CLI11 would need 2 GB of memory for the longest of these keys.
TEST_F(ConfigFileTest, RefusesKeysOfManyParts) {
  std::string many = "a";
  while (many.size() < (16 << 10)) many += ".a";
  for (const std::string& line :
       {std::string("a.b.c=1"), std::string("\"a.b.c\"=1"),
        std::string("steps.=1"), std::string("[a.b.c]"), std::string("[run.]"),
        std::string("[[a.b.c]]"), many + "=1", "[" + many + "]",
        "[\"" + many + "\"]"}) {
    EXPECT_THAT(Read(line), StartsWith("line 1 has a key that is neither"))
        << line.substr(0, 20);
  }
}

}  // namespace
}  // namespace leat::config_file_test
