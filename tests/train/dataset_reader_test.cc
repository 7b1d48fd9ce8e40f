// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests what DatasetReaders do: how they end, what they share and limit, which
// errors they return, and the sessions that they feed.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/threads/thread.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"
#include "leat/summary/records.h"
#include "leat/tests/kernels/pipeline/named_pipe.h"
#include "leat/tests/testing/in_process_cluster.h"
#include "leat/tests/testing/temporary_folder.h"
#include "leat/tests/train/dataset_testing.h"
#include "leat/train/dataset.h"
#include "leat/train/session.h"

namespace leat::dataset_reader_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using testing::InProcessCluster;

TEST(DatasetReaderTest, StaysAtTheEndAndMayBeOpenedAgain) {
  const Dataset data = Dataset::Range(0, 2);
  const auto reader = Opened(data);
  const std::vector<Tensor> numbers = ReadAll(*reader);
  EXPECT_EQ(numbers.size(), 2u);
  EXPECT_FALSE(reader->Next()->has_value());
  EXPECT_FALSE(reader->NextFeeds({"x"})->has_value());
  EXPECT_THAT(ReadAll(data), ElementsAreArray(numbers));
}

TEST(DatasetReaderTest, ElementsOutliveIt) {
  std::vector<Tensor> batches;
  {
    const auto reader = Opened(Dataset::Range(0, 1000).Batch(500).Prefetch(1));
    batches = ReadAll(*reader);
  }
  ASSERT_EQ(batches.size(), 2u);
  EXPECT_EQ(batches[1].data<int64_t>()[499], 999);
}

TEST(DatasetReaderTest, LimitsItsMemory) {
  const auto reader =
      Dataset::Tensors({Tensor::Filled<float>(Shape{1024}, 1)})
          .Repeat()
          .Map([](GraphBuilder&, Outputs x) { return Outputs{x[0] + 1}; })
          .Shuffle(100'000)
          .Open({.num_threads = 1, .memory_bytes = 1 << 20});
  ASSERT_TRUE(reader.ok()) << reader.status();
  EXPECT_TRUE(absl::IsResourceExhausted((*reader)->Next().status()));
}

TEST(DatasetReaderTest, SharesElementsAmongThreads) {
  const auto reader = Opened(Dataset::Range(0, 200).Prefetch(4));
  std::vector<std::vector<Tensor>> read(3);
  {
    std::vector<Thread> threads;
    for (auto& tensors : read) {
      threads.emplace_back("reads", [&] { tensors = ReadAll(*reader); });
    }
  }
  std::vector<bool> seen(200);
  for (const auto& tensors : read) {
    for (const Tensor& tensor : tensors) seen[tensor.scalar<int64_t>()] = true;
  }
  EXPECT_EQ(read[0].size() + read[1].size() + read[2].size(), 200u);
  EXPECT_EQ(std::count(seen.begin(), seen.end(), true), 200);
}

TEST(DatasetReaderTest, EndsWhileAPipeIsSilent) {
  const TemporaryFolder folder;
  const Strings paths = {folder.Path("text"), folder.Path("pipe")};
  Write(paths[0], "a\n");
  testing::NamedPipe pipe(paths[1]);  // to which nobody writes
  pipe.Open();
  const Dataset data = Dataset::TextLines(paths);
  for (const Dataset& read : {data, data.Prefetch(2)}) {
    const auto reader = Opened(read);
    EXPECT_EQ((**reader->Next())[0].scalar<std::string>(), "a");
  }
  // Close ends a call that may wait already, and one that comes later.
  const auto reader = Opened(data.Skip(1));
  absl::Status status;
  {
    const Thread waits("waits", [&] { status = reader->Next().status(); });
    reader->Close();
  }
  EXPECT_TRUE(absl::IsCancelled(status) || absl::IsFailedPrecondition(status))
      << status;
  EXPECT_TRUE(absl::IsFailedPrecondition(reader->Next().status()));
}

TEST(DatasetErrorsTest, NameFilesAndPositions) {
  const TemporaryFolder folder;
  std::string bytes = RecordsFrom(0, 3);
  const size_t position = bytes.size() / 3 + kRecordHeaderBytes;
  bytes[position] ^= 1;
  Write(folder.Path("damaged"), bytes);
  Write(folder.Path("good"), RecordsFrom(5, 1));
  const auto reader =
      Opened(Dataset::TfRecords({folder.Path("damaged"), folder.Path("good")}));
  EXPECT_EQ((**reader->Next())[0].scalar<std::string>(), "0");
  const absl::Status damaged = reader->Next().status();
  EXPECT_TRUE(absl::IsDataLoss(damaged)) << damaged;
  EXPECT_THAT(damaged.message(),
              AllOf(HasSubstr(folder.Path("damaged")),
                    HasSubstr(absl::StrCat("corrupted record at ", position))));
  EXPECT_THAT(ReadAll(*reader), ElementsAre(Tensor::Scalar<std::string>("5")));

  const auto missing = Opened(Dataset::TextLines({folder.Path("none")}));
  for (int i = 0; i < 2; ++i) {
    const absl::Status status = missing->Next().status();
    EXPECT_TRUE(absl::IsNotFound(status)) << status;
    EXPECT_THAT(status.message(), HasSubstr(folder.Path("none")));
  }
}

TEST(DatasetErrorsTest, OfAFunctionNameTheNodeAndLeaveOneElementOut) {
  for (const int64_t calls : {1, 3}) {
    const auto reader = Opened(
        Dataset::TensorSlices({Tensor::Vector<std::string>({"1", "x", "3"})})
            .Map(
                [](GraphBuilder& b, Outputs x) {
                  const Scope scope = b.NameScope("parse");
                  return Outputs{
                      op::StringToNumber(x[0], {.out_type = DType::kInt64})};
                },
                {.parallel_calls = calls}));
    EXPECT_EQ((**reader->Next())[0].scalar<int64_t>(), 1);
    const absl::Status status = reader->Next().status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    EXPECT_THAT(status.message(), HasSubstr("parse/StringToNumber"));
    EXPECT_THAT(ReadAll(*reader), ElementsAre(Tensor::Scalar<int64_t>(3)));
  }
}

// A queue that is closed and empty fails with OUT_OF_RANGE.
TEST(DatasetErrorsTest, OfAFunctionAreNotTheEnd) {
  for (const int64_t calls : {1, 3}) {
    const auto reader = Opened(Dataset::Range(0, 1).Map(
        [](GraphBuilder& b, Outputs) {
          const Output queue = op::FIFOQueueV2(b, {DType::kInt64});
          const Operation closes = op::QueueCloseV2(queue);
          const Scope after = b.ControlDependencies({&closes, 1});
          return op::QueueDequeueV2(op::Identity(queue), {DType::kInt64});
        },
        {.parallel_calls = calls}));
    const absl::Status status = reader->Next().status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    EXPECT_THAT(status.message(), HasSubstr("OutOfRange"));
    EXPECT_FALSE(reader->Next()->has_value());
  }
}

TEST(DatasetErrorsTest, AnotherNumberOfFeeds) {
  const auto reader = Opened(Dataset::Range(0, 3));
  const absl::Status status = reader->NextFeeds({"x", "y"}).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  EXPECT_THAT(status.message(),
              HasSubstr("an element has 1 components, but 2 tensors"));
  EXPECT_EQ((*reader->NextFeeds({"x"}))->front().value,
            Tensor::Scalar<int64_t>(0));
}

// Returns a dataset of the batches {0, 1}, {2, 3} and {4}, and of their sums.
Dataset BatchesWithSums() {
  return Dataset::Range(0, 5).Batch(2).Map([](GraphBuilder&, Outputs x) {
    return Outputs{x[0], op::Sum(x[0], {0})};
  });
}

// Holds the nodes of a graph that is fed with the elements of BatchesWithSums.
struct FedNodes {
  Output batch = {};
  Output sum = {};
  Output computed_sum = {};  // of the batch
  Output difference = {};    // between the two sums
};

FedNodes AddFedNodes(GraphBuilder& b) {
  FedNodes nodes{.batch = b.Placeholder<int64_t>("batch", {-1}),
                 .sum = b.Placeholder<int64_t>("sum", Shape{})};
  nodes.computed_sum = op::Sum(nodes.batch, {0});
  nodes.difference = nodes.computed_sum - nodes.sum;
  return nodes;
}

// Expects that a step was fed with the batch whose sum is `sum`.
void ExpectSum(const absl::StatusOr<std::vector<Tensor>>& out, int64_t sum) {
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].scalar<int64_t>(), sum);
  EXPECT_EQ((*out)[1].scalar<int64_t>(), 0);
}

// Feeds all elements of BatchesWithSums to a session.
void ExpectFeeds(Session& session, const FedNodes& nodes) {
  const std::vector<TensorName> fed = {nodes.batch, nodes.sum};
  const std::vector<TensorName> fetched = {nodes.computed_sum,
                                           nodes.difference};
  const auto reader = Opened(BatchesWithSums());
  for (const int64_t sum : {1, 5, 4}) {
    const auto feeds = reader->NextFeeds(fed);
    ASSERT_TRUE(feeds.ok()) << feeds.status();
    ASSERT_TRUE(feeds->has_value());
    ExpectSum(session.Run({.feeds = **feeds, .fetches = fetched}), sum);
  }
  const auto end = reader->NextFeeds(fed);
  ASSERT_TRUE(end.ok()) << end.status();
  EXPECT_FALSE(end->has_value());
  // A Callable takes the elements as they are.
  const auto call = session.MakeCallable({.feeds = fed, .fetches = fetched});
  ASSERT_TRUE(call.ok()) << call.status();
  ExpectSum((*call)(**Opened(BatchesWithSums())->Next()), 1);
}

TEST(DatasetSessionsTest, FeedsLocalSessionsAndClusters) {
  InProcessCluster cluster({{"ps", 1}, {"worker", 1}});
  GraphBuilder b;
  const FedNodes nodes = AddFedNodes(b);
  const auto graph = b.Build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  const auto local = NewSession(*graph);
  ASSERT_TRUE(local.ok()) << local.status();
  ExpectFeeds(**local, nodes);
  const auto remote = cluster.NewSession(*graph, {.job = "worker", .index = 0});
  ASSERT_TRUE(remote.ok()) << remote.status();
  ExpectFeeds(**remote, nodes);
}

}  // namespace
}  // namespace leat::dataset_reader_test
