// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests the SummaryWriter of C++ programs. tests/summary tests the format of
// the files. tests/interop/summaries.py reads such files with TensorFlow.
#include "leat/train/summary_writer.h"

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"
#include "leat/protos/config.pb.h"
#include "leat/protos/event.pb.h"
#include "leat/protos/graph.pb.h"
#include "leat/runtime/session.h"
#include "leat/summary/event_reader.h"
#include "leat/tests/testing/session_under_test.h"
#include "leat/tests/testing/temporary_folder.h"

namespace leat::summary_writer_test {
namespace {

class SummaryWriterTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto writer = SummaryWriter::Create(folder_.Path("logs"));
    ASSERT_TRUE(writer.ok()) << writer.status();
    writer_ = *std::move(writer);
  }

  // Closes the file and returns its events, except the first one.
  std::vector<pb::Event> Events() {
    EXPECT_TRUE(writer_->Close().ok());
    std::vector<pb::Event> events;
    auto reader = EventReader::Open(writer_->path());
    EXPECT_TRUE(reader.ok()) << reader.status();
    while (reader->has_next()) {
      const absl::Status status = reader->Read(events.emplace_back());
      EXPECT_TRUE(status.ok()) << status;
      if (!status.ok()) break;
    }
    if (!events.empty()) events.erase(events.begin());
    return events;
  }

  TemporaryFolder folder_;
  std::unique_ptr<SummaryWriter> writer_;
};

TEST_F(SummaryWriterTest, WritesValuesOfAllKinds) {
  ASSERT_TRUE(writer_->AddScalar("loss", 0.5, 3).ok());
  ASSERT_TRUE(
      writer_->AddHistogram("w", Tensor::Vector<float>({1, 2}), 4).ok());
  ASSERT_TRUE(
      writer_->AddImages("i", Tensor::Filled<float>(Shape{2, 1, 1, 3}, 1), 5)
          .ok());
  ASSERT_TRUE(
      writer_->AddAudio("a", Tensor::Filled<float>(Shape{1, 9}, 0), 8000, 6)
          .ok());
  ASSERT_TRUE(writer_->AddText("note", "# hello", 7).ok());
  ASSERT_TRUE(writer_->AddTensor("t", Tensor::Vector<int32_t>({1}), 8).ok());
  const std::vector<pb::Event> events = Events();
  ASSERT_EQ(events.size(), 6u);
  int64_t step = 3;
  for (const pb::Event& event : events) EXPECT_EQ(event.step(), step++);
  EXPECT_EQ(events[0].summary().value(0).simple_value(), 0.5);
  EXPECT_EQ(events[1].summary().value(0).histo().num(), 2);
  EXPECT_EQ(events[2].summary().value(1).tag(), "i/image/1");
  EXPECT_EQ(events[3].summary().value(0).audio().sample_rate(), 8000);
  const pb::Summary::Value& text = events[4].summary().value(0);
  EXPECT_EQ(text.metadata().plugin_data().plugin_name(), "text");
  EXPECT_EQ(text.tensor().string_val(0), "# hello");
  EXPECT_EQ(events[5].summary().value(0).tag(), "t");
}

TEST_F(SummaryWriterTest, WritesTheGraphAndWhatAStepRecorded) {
  GraphBuilder b;
  const Output y = op::Square(b.Const(3.0f));
  const Graph graph = b.Build().value();
  const auto session = NewTestSession(graph);
  ASSERT_TRUE(session.ok()) << session.status();
  pb::RunMetadata metadata;
  ASSERT_TRUE(
      (*session)
          ->Run({.fetches = {y}, .options = {.trace_level = TraceLevel::kFull}},
                &metadata)
          .ok());
  ASSERT_TRUE(writer_->AddGraph(graph).ok());
  const auto fetched =
      writer_->AddTracedStep("step 8", {.fetches = {y}}, 8, **session);
  ASSERT_TRUE(fetched.ok()) << fetched.status();
  EXPECT_EQ((*fetched)[0].scalar<float>(), 9);
  ASSERT_TRUE(writer_->AddRunMetadata("step 9", metadata, 9).ok());
  const std::vector<pb::Event> events = Events();
  ASSERT_EQ(events.size(), 3u);
  pb::GraphDef graph_def;
  ASSERT_TRUE(graph_def.ParseFromString(events[0].graph_def()));
  EXPECT_EQ(graph_def.node_size(), graph.num_nodes());
  pb::RunMetadata traced;
  ASSERT_TRUE(
      traced.ParseFromString(events[1].tagged_run_metadata().run_metadata()));
  EXPECT_GT(traced.step_stats().dev_stats_size(), 0);
  EXPECT_EQ(events[2].tagged_run_metadata().tag(), "step 9");
  EXPECT_EQ(events[2].tagged_run_metadata().run_metadata(),
            metadata.SerializeAsString());
}

TEST_F(SummaryWriterTest, WritesWhatSummaryOpsReturn) {
  GraphBuilder b;
  const Output loss = op::ScalarSummary("loss", b.Const(2.0f));
  const Output weights = op::HistogramSummary("w", b.Const(1.0f));
  const Output merged = op::MergeSummary({loss, weights});
  const auto session = NewTestSession(b.Build().value());
  ASSERT_TRUE(session.ok()) << session.status();
  const auto fetched = (*session)->Run({.fetches = {merged}});
  ASSERT_TRUE(fetched.ok()) << fetched.status();
  ASSERT_TRUE(writer_->AddSummary((*fetched)[0], 5).ok());
  EXPECT_FALSE(
      writer_->AddSummary(Tensor::Scalar<std::string>("\xff"), 5).ok());
  EXPECT_FALSE(writer_->AddSummary(Tensor::Scalar<float>(1), 5).ok());
  const std::vector<pb::Event> events = Events();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].step(), 5);
  EXPECT_EQ(events[0].summary().value(0).simple_value(), 2);
  EXPECT_EQ(events[0].summary().value(1).tag(), "w");
}

TEST_F(SummaryWriterTest, RefusesWhatTensorBoardCannotShow) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(writer_->AddHistogram("w", Tensor::Scalar(nan), 0).ok());
  EXPECT_FALSE(
      writer_->AddHistogram("w", Tensor::Scalar<std::string>("x"), 0).ok());
  EXPECT_FALSE(
      writer_->AddImages("i", Tensor::Filled<float>(Shape{2, 2}, 0), 0).ok());
  EXPECT_FALSE(
      writer_->AddImages("i", Tensor::Filled<int32_t>(Shape{1, 1, 1, 1}, 0), 0)
          .ok());
  EXPECT_FALSE(
      writer_->AddAudio("a", Tensor::Filled<double>(Shape{1, 1}, 0), 1, 0)
          .ok());
  EXPECT_TRUE(Events().empty());
  EXPECT_EQ(writer_->AddScalar("loss", 1, 0).code(),
            absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace leat::summary_writer_test
