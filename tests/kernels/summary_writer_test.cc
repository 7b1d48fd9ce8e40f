// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests the ops that write event files. If TensorFlow reports an error for an
// input, the error text must be the same. For many wrong shapes, TensorFlow
// reports no error but ends its process.
#include <filesystem>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/files/file_service.h"
#include "leat/protos/event.pb.h"
#include "leat/protos/graph.pb.h"
#include "leat/summary/event_reader.h"
#include "leat/tests/testing/event.h"
#include "leat/tests/testing/eventually.h"
#include "leat/tests/testing/kernel_test_harness.h"
#include "leat/tests/testing/simulated_clock.h"
#include "leat/tests/testing/temporary_folder.h"

namespace leat::summary_writer_test {
namespace {

using ::testing::HasSubstr;

Tensor Text(const std::string& text) { return Tensor::Scalar(text); }
Tensor Step(int64_t step) { return Tensor::Scalar(step); }

class SummaryWriterTest : public ::testing::Test {
 protected:
  SummaryWriterTest()
      : handle_(harness_.RunOne("SummaryWriter", {}, {}).value()) {}

  std::string Run(const std::string& op, std::vector<Tensor> inputs,
                  AttrMap attrs = {}) {
    inputs.insert(inputs.begin(), handle_);
    return harness_.Run(op, std::move(attrs), std::move(inputs))
        .status()
        .ToString();
  }
  std::string Create(Tensor folder, int max_queue = 10) {
    return Run("CreateSummaryFileWriter",
               {std::move(folder), Tensor::Scalar<int32_t>(max_queue),
                Tensor::Scalar<int32_t>(120'000), Text(".v2")});
  }
  Tensor Folder() const { return Text(folder_.Path("logs")); }

  // Returns the events in the only file. Leaves out the first event, which
  // holds the version.
  std::vector<pb::Event> Events() const {
    std::vector<pb::Event> events;
    int num_files = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(folder_.Path("logs"))) {
      ++num_files;
      auto reader = EventReader::Open(entry.path());
      EXPECT_TRUE(reader.ok()) << reader.status();
      while (reader->has_next()) {
        const absl::Status status = reader->Read(events.emplace_back());
        EXPECT_TRUE(status.ok()) << status;
        if (!status.ok()) break;
      }
    }
    EXPECT_EQ(num_files, 1);
    if (!events.empty()) events.erase(events.begin());
    return events;
  }
  // Expects exactly one event, which belongs to step 7 and has one value.
  // Returns the value.
  pb::Summary::Value OnlyValue() const {
    const std::vector<pb::Event> events = Events();
    if (events.size() != 1 || events[0].summary().value_size() != 1) {
      ADD_FAILURE() << events.size() << " events";
      return {};
    }
    EXPECT_EQ(events[0].step(), 7);
    EXPECT_GT(events[0].wall_time(), 1e9);
    return events[0].summary().value(0);
  }

  const testing::SimulatedClock clock_;
  TemporaryFolder folder_;
  testing::KernelTestHarness harness_;
  const Tensor handle_;
};

TEST_F(SummaryWriterTest, AWriterIsCreatedOnce) {
  ASSERT_EQ(Create(Folder()), "OK");
  ASSERT_EQ(Create(Folder()), "OK");
  ASSERT_EQ(Create(Text(folder_.Path("other"))), "OK");
  EXPECT_FALSE(std::filesystem::exists(folder_.Path("other")));
  EXPECT_TRUE(Events().empty());
}

TEST_F(SummaryWriterTest, EventsAreInTheFileAfterAFlush) {
  ASSERT_EQ(Create(Folder()), "OK");
  ASSERT_EQ(Run("WriteScalarSummary",
                {Step(7), Text("loss"), Tensor::Scalar<double>(0.5)}),
            "OK");
  EXPECT_TRUE(Events().empty());
  ASSERT_EQ(Run("FlushSummaryWriter", {}), "OK");
  EXPECT_EQ(OnlyValue().tag(), "loss");
  EXPECT_EQ(OnlyValue().simple_value(), 0.5);
}

TEST_F(SummaryWriterTest, CloseFlushesAndDeletesTheWriter) {
  ASSERT_EQ(Create(Folder()), "OK");
  ASSERT_EQ(Run("WriteScalarSummary",
                {Step(7), Text("loss"), Tensor::Scalar<float>(1)}),
            "OK");
  ASSERT_EQ(Run("CloseSummaryWriter", {}), "OK");
  EXPECT_EQ(OnlyValue().simple_value(), 1);
  EXPECT_THAT(Run("FlushSummaryWriter", {}), HasSubstr("NOT_FOUND"));
  EXPECT_THAT(Run("CloseSummaryWriter", {}), HasSubstr("NOT_FOUND"));
  EXPECT_THAT(Run("WriteScalarSummary",
                  {Step(7), Text("loss"), Tensor::Scalar<float>(1)}),
              HasSubstr("NOT_FOUND"));
}

TEST_F(SummaryWriterTest, WritesADistribution) {
  ASSERT_EQ(Create(Folder(), 0), "OK");
  ASSERT_EQ(Run("WriteHistogramSummary",
                {Step(7), Text("h"), Tensor::Vector<bool>({true, false})}),
            "OK");
  EXPECT_EQ(OnlyValue().histo().num(), 2);
  EXPECT_EQ(OnlyValue().histo().sum(), 1);
  EXPECT_EQ(
      Run("WriteHistogramSummary",
          {Step(7), Text("h"),
           Tensor::Scalar<float>(std::numeric_limits<float>::quiet_NaN())}),
      "INVALID_ARGUMENT: Nan in summary histogram for: h");
}

TEST_F(SummaryWriterTest, WritesImagesAndSounds) {
  const Tensor images = Tensor::Filled<uint8_t>(Shape{4, 1, 2, 1}, 9);
  const Tensor color = Tensor::Vector<uint8_t>({255});
  const Tensor sounds = Tensor::Filled<float>(Shape{3, 5}, 0);
  ASSERT_EQ(Create(Folder(), 0), "OK");
  ASSERT_EQ(Run("WriteImageSummary", {Step(7), Text("i"), images, color},
                {{"max_images", int64_t{2}}}),
            "OK");
  ASSERT_EQ(Run("WriteAudioSummary",
                {Step(7), Text("a"), sounds, Tensor::Scalar<float>(8000)},
                {{"max_outputs", int64_t{1}}}),
            "OK");
  const std::vector<pb::Event> events = Events();
  ASSERT_EQ(events.size(), 2u);
  ASSERT_EQ(events[0].summary().value_size(), 2);
  EXPECT_EQ(events[0].summary().value(1).tag(), "i/image/1");
  EXPECT_EQ(events[0].summary().value(1).image().width(), 2);
  ASSERT_EQ(events[1].summary().value_size(), 1);
  EXPECT_EQ(events[1].summary().value(0).tag(), "a/audio");
  EXPECT_EQ(events[1].summary().value(0).audio().length_frames(), 5);
  EXPECT_EQ(Run("WriteImageSummary",
                {Step(7), Text("i"), images, Tensor::Scalar<uint8_t>(1)}),
            "INVALID_ARGUMENT: bad_color must be a vector, got shape []");
  EXPECT_EQ(Run("WriteAudioSummary",
                {Step(7), Text("a"), sounds, Tensor::Scalar<float>(0)}),
            "INVALID_ARGUMENT: sample_rate must be > 0");
}

TEST_F(SummaryWriterTest, WritesTensors) {
  pb::SummaryMetadata metadata;
  metadata.mutable_plugin_data()->set_plugin_name("text");
  ASSERT_EQ(Create(Folder(), 0), "OK");
  ASSERT_EQ(Run("WriteSummary", {Step(7), Text("hello"), Text("t"),
                                 Text(metadata.SerializeAsString())}),
            "OK");
  EXPECT_EQ(OnlyValue().tag(), "t");
  EXPECT_EQ(OnlyValue().tensor().string_val(0), "hello");
  EXPECT_EQ(OnlyValue().metadata().plugin_data().plugin_name(), "text");
  ASSERT_EQ(Run("WriteSummary", {Step(8), Text("hello"), Text("t"), Text("")}),
            "OK");
  EXPECT_FALSE(Events()[1].summary().value(0).has_metadata());
}

TEST_F(SummaryWriterTest, WritesWhatIsSerializedAlready) {
  pb::Summary summary;
  summary.add_value()->set_tag("a");
  const std::string bytes = summary.SerializeAsString();
  ASSERT_EQ(Create(Folder(), 0), "OK");
  ASSERT_EQ(
      Run("WriteRawProtoSummary",
          {Step(7), Tensor::FromSpan<std::string>(Shape{2}, {bytes, bytes})}),
      "OK");
  pb::GraphDef graph;
  graph.add_node()->set_name("n");
  ASSERT_EQ(
      Run("WriteGraphSummary", {Step(7), Text(graph.SerializeAsString())}),
      "OK");
  pb::Event imported;
  imported.set_wall_time(12.5);
  imported.set_step(3);
  ASSERT_EQ(Run("ImportEvent", {Text(imported.SerializeAsString())}), "OK");
  const std::vector<pb::Event> events = Events();
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0].summary().value_size(), 2);
  EXPECT_EQ(events[1].graph_def(), graph.SerializeAsString());
  EXPECT_EQ(events[2].SerializeAsString(), imported.SerializeAsString());
}

TEST_F(SummaryWriterTest, RefusesWhatIsNoMessage) {
  const Tensor bad = Text("\xff");
  ASSERT_EQ(Create(Folder(), 0), "OK");
  EXPECT_EQ(Run("WriteRawProtoSummary", {Step(7), bad}),
            "DATA_LOSS: Bad tf.compat.v1.Summary binary proto tensor string at "
            "index 0");
  EXPECT_EQ(Run("WriteGraphSummary", {Step(7), bad}),
            "DATA_LOSS: Bad tf.GraphDef binary proto tensor string");
  EXPECT_EQ(Run("ImportEvent", {bad}),
            "DATA_LOSS: Bad tf.Event binary proto tensor string");
  EXPECT_TRUE(Events().empty());
}

TEST_F(SummaryWriterTest, RefusesWrongShapes) {
  const Tensor one = Tensor::Scalar<float>(1);
  const Tensor texts = Tensor::FromSpan<std::string>(Shape{1}, {"a"});
  const Tensor steps = Tensor::Vector<int64_t>({1});
  const Tensor none = Tensor::FromSpan<std::string>(Shape{0}, {});
  EXPECT_EQ(Create(texts), "INVALID_ARGUMENT: logdir must be a scalar");
  ASSERT_EQ(Create(Folder(), 0), "OK");
  EXPECT_EQ(Run("WriteRawProtoSummary", {steps, Text("")}),
            "INVALID_ARGUMENT: step must be scalar, got shape [1]");
  EXPECT_EQ(Run("WriteScalarSummary", {Step(1), none, one}),
            "INVALID_ARGUMENT: tag must be scalar, got shape [0]");
  EXPECT_EQ(Run("WriteScalarSummary",
                {Step(1), Text("a"), Tensor::Filled<float>(Shape{0}, 0)}),
            "INVALID_ARGUMENT: value must have one element, got shape [0]");
  EXPECT_EQ(Run("WriteHistogramSummary", {Step(1), texts, one}),
            "INVALID_ARGUMENT: tag must be scalar, got shape [1]");
  EXPECT_EQ(Run("WriteAudioSummary",
                {Step(1), Text("a"), Tensor::Filled<float>(Shape{1, 1}, 0),
                 Tensor::Filled<float>(Shape{0}, 0)}),
            "INVALID_ARGUMENT: sample_rate must be scalar, got shape [0]");
  EXPECT_EQ(Run("WriteSummary", {Step(1), one, Text("a"), none}),
            "INVALID_ARGUMENT: summary_metadata must be scalar, got shape [0]");
  EXPECT_EQ(Run("WriteGraphSummary", {Step(1), none}),
            "INVALID_ARGUMENT: tensor must be scalar, got shape [0]");
  EXPECT_EQ(Run("ImportEvent", {none}),
            "INVALID_ARGUMENT: event must be scalar, got shape [0]");
  EXPECT_TRUE(Events().empty());
}

// The tensor is a batch of 3,000,000 sounds without elements. Each sound would
// become one value of the summary.
TEST_F(SummaryWriterTest, RefusesToMakeTooManyValues) {
  constexpr int64_t kMany = 3'000'000;
  const Tensor silence = Tensor::Filled<float>(Shape{kMany, 0, 1}, 0);
  const absl::Status status =
      harness_
          .Run("AudioSummaryV2", {{"max_outputs", kMany}},
               {Text("a"), silence, Tensor::Scalar<float>(1)})
          .status();
  EXPECT_EQ(status.ToString(),
            "INVALID_ARGUMENT: 3000000 values are too many for a summary");
}

TEST_F(SummaryWriterTest, TheHandleOfNoWriterIsAnError) {
  EXPECT_THAT(Run("FlushSummaryWriter", {}), HasSubstr("NOT_FOUND"));
  EXPECT_THAT(Run("WriteGraphSummary", {Step(1), Text("")}),
              HasSubstr("NOT_FOUND"));
}

TEST_F(SummaryWriterTest, AFolderThatCannotBeMadeIsAnError) {
  EXPECT_THAT(Create(Text("/proc/leat/logs")), HasSubstr("'/proc/leat"));
  EXPECT_EQ(Create(Text("")),
            "INVALID_ARGUMENT: the folder of event files has no name");
}

// Deleting a writer does not wait for the disk.
TEST_F(SummaryWriterTest, AThreadForFilesFlushesADeletedWriter) {
  ASSERT_EQ(Create(Folder()), "OK");
  ASSERT_EQ(Run("WriteScalarSummary",
                {Step(7), Text("loss"), Tensor::Scalar<float>(1)}),
            "OK");
  testing::Event go_on;
  // There are fewer than 16 threads for files, so this makes all of them busy.
  for (int i = 0; i < 16; ++i) {
    ASSERT_TRUE(harness_.device()
                    .files()
                    ->Run([&] { EXPECT_TRUE(go_on.Wait()); })
                    .ok());
  }
  ASSERT_EQ(Run("DestroyResourceOp", {}), "OK");
  EXPECT_TRUE(Events().empty());
  go_on.Set();
  EXPECT_TRUE(testing::Eventually([&] { return !Events().empty(); }));
  EXPECT_EQ(OnlyValue().tag(), "loss");
}

TEST_F(SummaryWriterTest, ADeviceKeepsAFewFilesOpen) {
  const auto handle = [&](int i) {
    AttrMap attrs = {{"shared_name", absl::StrCat("writer", i)}};
    return harness_.RunOne("SummaryWriter", std::move(attrs), {}).value();
  };
  const auto create = [&](int i) {
    return harness_
        .Run("CreateSummaryFileWriter", {},
             {handle(i), Folder(), Tensor::Scalar<int32_t>(10),
              Tensor::Scalar<int32_t>(1000), Text("")})
        .status();
  };
  for (int i = 0; i < 256; ++i) ASSERT_EQ(create(i), absl::OkStatus());
  const absl::Status refused = create(1000);
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(refused.message()),
              HasSubstr("256 event files open"));
  EXPECT_EQ(create(3), absl::OkStatus());  // this file is already open
  ASSERT_TRUE(harness_.Run("CloseSummaryWriter", {}, {handle(3)}).ok());
  EXPECT_TRUE(testing::Eventually([&] { return create(1000).ok(); }));
}

}  // namespace
}  // namespace leat::summary_writer_test
