// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/devices/rendezvous.h"

#include <memory>
#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace leat::rendezvous_test {
namespace {

// TensorFlow's Rendezvous::CreateKey writes this text for the key that the
// first test builds.
const char kKey[] =
    "/job:worker/replica:0/task:1/device:CPU:0;0000000000abcdef;"
    "/job:ps/replica:0/task:0/device:CPU:0;edge_7_weights/read;0:0";

TEST(RendezvousKeyTest, PrintsTensorFlowsText) {
  RendezvousKey key;
  key.send_device = "/job:worker/replica:0/task:1/device:CPU:0";
  key.send_incarnation = 0xabcdef;
  key.recv_device = "/job:ps/replica:0/task:0/device:CPU:0";
  key.tensor_name = "edge_7_weights/read";
  EXPECT_EQ(key.ToString(), kKey);
}

TEST(RendezvousKeyTest, ParsesWhatItPrints) {
  RendezvousKey key = *RendezvousKey::Parse(kKey);
  EXPECT_EQ(key.send_device, "/job:worker/replica:0/task:1/device:CPU:0");
  EXPECT_EQ(key.send_incarnation, 0xabcdefu);
  EXPECT_EQ(key.tensor_name, "edge_7_weights/read");
  EXPECT_EQ(key.ToString(), kKey);
  key.send_incarnation = UINT64_MAX;
  key.frame = UINT64_MAX;
  key.iteration = INT64_MAX;
  const RendezvousKey again = *RendezvousKey::Parse(key.ToString());
  EXPECT_EQ(again.send_incarnation, UINT64_MAX);
  EXPECT_EQ(again.frame, UINT64_MAX);
  EXPECT_EQ(again.iteration, INT64_MAX);
}

TEST(ParsedKeyTest, HasThePartsOfItsText) {
  const ParsedKey key{kKey};
  EXPECT_TRUE(key.is_well_formed());
  EXPECT_EQ(key.text(), kKey);
  EXPECT_EQ(key.send_device(), "/job:worker/replica:0/task:1/device:CPU:0");
  EXPECT_EQ(key.send_incarnation(), 0xabcdefu);
  EXPECT_EQ(key.recv_device(), "/job:ps/replica:0/task:0/device:CPU:0");
  EXPECT_EQ(key.tensor_name(), "edge_7_weights/read");
  EXPECT_FALSE(key.is_in_loop());
  EXPECT_EQ(key.Parts().ToString(), kKey);
  // The parts of a copy are views of the copy's text, so they stay valid when
  // the original is destroyed.
  auto first = std::make_unique<ParsedKey>(kKey);
  const ParsedKey copy = *first;
  const ParsedKey moved = std::move(*first);
  first.reset();
  EXPECT_EQ(copy.tensor_name(), "edge_7_weights/read");
  EXPECT_EQ(moved.tensor_name(), "edge_7_weights/read");
}

TEST(ParsedKeyTest, IsAnotherOneInEachIteration) {
  const ParsedKey looped = ParsedKey{kKey}.InLoop(UINT64_MAX, 3);
  const ParsedKey parsed{looped.text()};
  for (const ParsedKey& key : {looped, parsed}) {
    EXPECT_TRUE(key.is_well_formed());
    EXPECT_TRUE(key.is_in_loop());
    EXPECT_EQ(key.tensor_name(), "edge_7_weights/read");
    EXPECT_EQ(key.Parts().frame, UINT64_MAX);
    EXPECT_EQ(key.Parts().iteration, 3);
  }
  EXPECT_TRUE(ParsedKey("a;1;b;t;0:1").is_in_loop());
  EXPECT_EQ(looped.InLoop(0, 0).text(), kKey);
  EXPECT_FALSE(looped.InLoop(0, 0).is_in_loop());
}

TEST(ParsedKeyTest, HasWhatThereIsOfAMalformedText) {
  const ParsedKey three{"a;b;c"};
  EXPECT_FALSE(three.is_well_formed());
  EXPECT_EQ(three.send_device(), "a");
  EXPECT_EQ(three.recv_device(), "c");
  EXPECT_EQ(three.tensor_name(), "");
  const ParsedKey six{"a;1;c;d;0:0;f"};
  EXPECT_FALSE(six.is_well_formed());
  EXPECT_EQ(six.tensor_name(), "d");
  for (const ParsedKey& none : {ParsedKey(), ParsedKey("")}) {
    EXPECT_FALSE(none.is_well_formed());
    EXPECT_EQ(none.send_device(), "");
    EXPECT_EQ(none.tensor_name(), "");
  }
}

TEST(RendezvousKeyTest, RefusesMalformedKeysQuotingThem) {
  for (const char* text : {
           "",
           "a;b;c",
           ";;;;",
           "/cpu:0;1;/cpu:0;name",                   // four parts
           "/cpu:0;1;/cpu:0;name;0:0;x",             // six parts
           "cpu;1;/cpu:0;name;0:0",                  // no source device
           "/cpu:0;1;cpu;name;0:0",                  // no destination device
           "/cpu:0;;/cpu:0;name;0:0",                // no incarnation
           "/cpu:0;xyz;/cpu:0;name;0:0",             //
           "/cpu:0;-1;/cpu:0;name;0:0",              //
           "/cpu:0;0x1;/cpu:0;name;0:0",             //
           "/cpu:0;11112222333344445;/cpu:0;n;0:0",  // 17 digits
           "/cpu:0;1;/cpu:0;;0:0",                   // no name
           "/cpu:0;1;/cpu:0;name;0",                 // no iteration
           "/cpu:0;1;/cpu:0;name;0:",                //
           "/cpu:0;1;/cpu:0;name;:0",                //
           "/cpu:0;1;/cpu:0;name;0:0:0",             //
           "/cpu:0;1;/cpu:0;name;0:-1",              //
           "/cpu:0;1;/cpu:0;name;0: 1",              //
           "/cpu:0;1;/cpu:0;name;0:1 ",              //
           "/cpu:0;1;/cpu:0;name;0:9223372036854775808",
           "/cpu:0;1;/cpu:0;name;18446744073709551616:0",
       }) {
    const auto key = RendezvousKey::Parse(text);
    EXPECT_EQ(key.status().code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(std::string(key.status().message()),
                ::testing::HasSubstr(text));
  }
}

}  // namespace
}  // namespace leat::rendezvous_test
