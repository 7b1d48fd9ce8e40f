// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/devices/device_name.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace leat::device_name_test {
namespace {

using ::testing::HasSubstr;

DeviceName Parsed(absl::string_view text) {
  const auto name = DeviceName::Parse(text);
  EXPECT_TRUE(name.ok()) << name.status();
  return name.value_or(DeviceName());
}

TEST(DeviceNameTest, ParsesFullNames) {
  const DeviceName name = Parsed("/job:foo_bar/replica:1/task:2/device:GPU:3");
  EXPECT_EQ(name.job, "foo_bar");
  EXPECT_EQ(name.replica, 1);
  EXPECT_EQ(name.task, 2);
  EXPECT_EQ(name.type, "GPU");
  EXPECT_EQ(name.id, 3);
  EXPECT_TRUE(name.IsFull());
}

// Each case is a text and its canonical text. The canonical texts are those of
// TensorFlow's DeviceNameUtils, except that CPU and GPU are in capitals, as
// Python's DeviceSpec (2.15.1) writes them.
TEST(DeviceNameTest, PrintsCanonicalText) {
  const std::pair<const char*, const char*> cases[] = {
      {"", ""},
      {"/", ""},
      {"/cpu:0", "/device:CPU:0"},
      {"/CPU:0", "/device:CPU:0"},
      {"/gpu:*", "/device:GPU:*"},
      {"/device:GPU:*", "/device:GPU:*"},
      {"/device:cpu:3", "/device:CPU:3"},
      {"/device:GPU", "/device:GPU:*"},
      {"/device:abc:7", "/device:abc:7"},
      {"/device:*:7", "/device:*:7"},
      {"/device:*", ""},
      {"/job:ps/task:1", "/job:ps/task:1"},
      {"/job:*/replica:0/device:GPU:1", "/replica:0/device:GPU:1"},
      {"/job:a/job:b", "/job:b"},
      {"/job:a/job:*", ""},
      {"/gpu:*/job:foo/replica:4", "/job:foo/replica:4/device:GPU:*"},
      {"/task:2147483647", "/task:2147483647"},
      {"/task:007", "/task:7"},
  };
  for (const auto& [text, canonical] : cases) {
    EXPECT_EQ(Parsed(text).ToString(), canonical) << text;
    EXPECT_EQ(Parsed(canonical), Parsed(text)) << text;
  }
}

TEST(DeviceNameTest, RefusesEverythingElseQuotingIt) {
  for (const char* text : {"foobar",
                           "cpu:0",
                           "/cpu",
                           "/cpu:",
                           "/cpu:x",
                           "/device:",
                           "//cpu:0",
                           "/job:",
                           "/job:123/replica:1",
                           "/job:a-b",
                           "/job:a b",
                           "/job:_a",
                           "/task:-1",
                           "/task:+1",
                           "/task: 1",
                           "/task:1 ",
                           "/task:",
                           "/task:2147483648",
                           "/task:99999999999999999999",
                           "/task:0x1",
                           "/replica:1.5",
                           "/job:a/",
                           "/job:a//task:1",
                           "/job:foo/bar:3",
                           "/gpu:3/extra",
                           "/Cpu:0",
                           "/device:GPU:1:2",
                           "/device:GPU:-1",
                           "/device:1:1",
                           "/job:**",
                           "/task:*1"}) {
    const auto name = DeviceName::Parse(text);
    EXPECT_EQ(name.status().code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(std::string(name.status().message()),
                HasSubstr("'" + std::string(text) + "'"));
  }
  EXPECT_FALSE(DeviceName::Parse(absl::string_view("/job:a\0b", 8)).ok());
  EXPECT_FALSE(DeviceName::Parse("/job:\xc3\xa4").ok());
}

// These are the cases of IsSpecification in TensorFlow's
// device_name_utils_test.cc.
TEST(DeviceNameTest, MatchesWhatIsMoreSpecific) {
  const std::pair<const char*, const char*> matching[] = {
      {"/job:*", "/replica:1"},
      {"/job:work/replica:1/gpu:*", "/job:work/replica:1/task:2/gpu:3"},
      {"/job:work/replica:*/task:2", "/job:work/replica:1/task:2/gpu:3"},
      {"/task:2", "/job:*/replica:1/task:2/gpu:3"},
      {"/cpu:*", "/job:*/replica:1/task:2/cpu:1"},
      {"/cpu:0", "/cpu:0"},
      {"", ""},
  };
  for (const auto& [wanted, actual] : matching) {
    EXPECT_TRUE(Parsed(wanted).Matches(Parsed(actual))) << wanted;
  }
  const std::pair<const char*, const char*> others[] = {
      {"/job:worker/replica:1/task:2/gpu:3", "/gpu:*"},
      {"/cpu:*", "/job:*/replica:1/task:2"},
      {"/cpu:*", "/job:*/replica:1/task:2/gpu:1"},
      {"/gpu:2", "/job:worker/replica:1/task:2/gpu:1"},
      {"/job:work/replica:*/task:0", "/job:work/replica:1/task:2/gpu:3"},
      {"/job:work/replica:0/task:2", "/job:work/replica:*/task:2/gpu:3"},
  };
  for (const auto& [wanted, actual] : others) {
    EXPECT_FALSE(Parsed(wanted).Matches(Parsed(actual))) << wanted;
  }
}

void ExpectMerged(absl::string_view a, absl::string_view b,
                  absl::string_view expected, bool allow_soft = false) {
  for (const auto& [x, y] : {std::pair(a, b), std::pair(b, a)}) {
    const auto merged = MergeDeviceNames(Parsed(x), Parsed(y), allow_soft);
    ASSERT_TRUE(merged.ok()) << merged.status();
    EXPECT_EQ(*merged, Parsed(expected)) << merged->ToString();
  }
}

// These are the cases of MergeDevNames in TensorFlow's
// device_name_utils_test.cc.
TEST(MergeDeviceNamesTest, CombinesFields) {
  ExpectMerged("", "", "");
  ExpectMerged("/job:foo/replica:1/task:2/cpu:1",
               "/job:foo/replica:1/task:2/cpu:1",
               "/job:foo/replica:1/task:2/cpu:1");
  ExpectMerged("", "/job:foo", "/job:foo");
  ExpectMerged("", "/replica:2", "/replica:2");
  ExpectMerged("", "/gpu:1", "/gpu:1");
  ExpectMerged("/job:foo", "/task:7", "/job:foo/task:7");
  ExpectMerged("/job:foo", "/gpu:1", "/job:foo/gpu:1");
  ExpectMerged("/job:foo/replica:0", "/replica:0/task:1",
               "/job:foo/replica:0/task:1");
  ExpectMerged("/gpu:1", "/gpu:*", "/gpu:1");
}

TEST(MergeDeviceNamesTest, ClashesNameTheFieldAndBothValues) {
  const auto error = [](absl::string_view a, absl::string_view b,
                        bool allow_soft = false) {
    const auto merged = MergeDeviceNames(Parsed(a), Parsed(b), allow_soft);
    EXPECT_EQ(merged.status().code(), absl::StatusCode::kInvalidArgument);
    return std::string(merged.status().message());
  };
  EXPECT_THAT(error("/job:foo", "/job:bar"),
              HasSubstr("incompatible jobs foo and bar"));
  EXPECT_THAT(error("/replica:0", "/replica:1"),
              HasSubstr("incompatible replicas 0 and 1"));
  EXPECT_THAT(error("/task:0", "/task:1"), HasSubstr("incompatible tasks"));
  EXPECT_THAT(error("/gpu:*", "/cpu:*"), HasSubstr("incompatible types"));
  EXPECT_THAT(error("/gpu:0", "/gpu:1"), HasSubstr("incompatible ids 0 and 1"));
  EXPECT_THAT(error("/task:0", "/task:1", /*allow_soft=*/true),
              HasSubstr("incompatible tasks"));
}

TEST(MergeDeviceNamesTest, SoftMergeDropsClashingTypeOrId) {
  ExpectMerged("/gpu:*", "/cpu:1", "", true);
  ExpectMerged("/gpu:1", "/cpu:1", "", true);
  ExpectMerged("/gpu:1", "/gpu:2", "/gpu:*", true);
  ExpectMerged("/job:a/gpu:1", "/job:a/cpu:1", "/job:a", true);
}

// The expected names are those of DeviceSpecV2.make_merged_spec of TensorFlow
// 2.15.1.
TEST(OverrideDeviceNameTest, InnerFieldsWin) {
  const char* const cases[][3] = {
      {"/job:ps/device:GPU:1", "/cpu:0", "/job:ps/device:CPU:0"},
      {"/job:ps/device:GPU:1", "/device:CPU:*", "/job:ps/device:CPU:1"},
      {"/job:ps/task:1", "/task:2", "/job:ps/task:2"},
      {"/job:ps/replica:1/task:1/gpu:2", "/job:w",
       "/job:w/replica:1/task:1/device:GPU:2"},
      {"", "/gpu:0", "/device:GPU:0"},
      {"/gpu:0", "", "/device:GPU:0"},
  };
  for (const auto& [outer, inner, expected] : cases) {
    EXPECT_EQ(OverrideDeviceName(Parsed(outer), Parsed(inner)).ToString(),
              expected);
  }
}

TEST(TaskOfTest, DropsTheDevice) {
  EXPECT_EQ(TaskOf(Parsed("/job:worker/replica:0/task:1/gpu:2")).ToString(),
            "/job:worker/replica:0/task:1");
}

}  // namespace
}  // namespace leat::device_name_test
