// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests what iterators keep when steps and sessions end: their place, the calls
// of functions that are under way, and everything that these use.
// tests/interop/datasets.py compares the elements with TensorFlow's.
#include <chrono>
#include <memory>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/op_registry.h"
#include "leat/runtime/device_set.h"
#include "leat/runtime/local_session.h"
#include "leat/tests/testing/graph_text.h"

namespace leat::iterators_test {
namespace {

using ::testing::HasSubstr;

std::string Type(const std::string& name, const std::string& type) {
  return Attr(name, "type: " + type);
}
std::string Types(const std::string& name, const std::string& type) {
  return Attr(name, "list { type: " + type + " }");
}
// Returns the attrs that say that elements are scalars of type int64.
std::string Numbers() {
  return Types("output_types", "DT_INT64") +
         Attr("output_shapes", "list { shape {} }");
}
std::string Int64(const std::string& name, int64_t value) {
  return NodeText(
      name, "Const", {},
      Type("dtype", "DT_INT64") +
          Attr("value", absl::StrCat("tensor { dtype: DT_INT64 tensor_shape {} "
                                     "int64_val: ",
                                     value, " }")));
}

// Returns a function `f` of a number and a handle. `body` has its node_defs and
// its ret.
std::string Function(const std::string& body) {
  return "library { function { signature { name: \"f\""
         " input_arg { name: \"x\" type: DT_INT64 }"
         " input_arg { name: \"queue\" type: DT_RESOURCE }"
         " output_arg { name: \"r\" type: DT_INT64 } } " +
         body + " } }\n";
}
// Returns the function that doubles a number.
std::string Doubles() {
  return Function(InnerNode("sum", "AddV2", {"x", "x"}, Type("T", "DT_INT64")) +
                  Return("sum:z:0"));
}
// Returns the function that waits for an element of the queue.
std::string Waits() {
  return Function(InnerNode("taken", "QueueDequeueV2", {"queue"},
                            Types("component_types", "DT_INT64")) +
                  Return("taken:components:0"));
}

// Returns an iterator with the name "shared", its node `next` that takes an
// element, and a queue with its node `put`.
std::string IteratorText() {
  return NodeText("iterator", "IteratorV2", {},
                  Numbers() + Attr("shared_name", "s: \"shared\"") +
                      Attr("container", "s: \"\"")) +
         NodeText("next", "IteratorGetNext", {"iterator"}, Numbers()) +
         NodeText("queue", "FIFOQueueV2", {},
                  Types("component_types", "DT_INT64") +
                      Attr("shared_name", "s: \"queue\"")) +
         Int64("seven", 7) +
         NodeText("put", "QueueEnqueueV2", {"queue", "seven"},
                  Types("Tcomponents", "DT_INT64"));
}

// Returns the same with an initializer, which maps `function` over the numbers
// from 0 to 9, with `map`, an op for it. A parallel map makes as many calls at
// once as the node `parallel_calls` says.
std::string MapText(const std::string& function,
                    const std::string& map = "MapDataset",
                    const std::string& parallel_calls = "two") {
  const bool is_parallel = map != "MapDataset";
  std::vector<std::string> inputs = {"range", "queue"};
  if (is_parallel) inputs.push_back(parallel_calls);
  return function + IteratorText() + Int64("zero", 0) + Int64("ten", 10) +
         Int64("one", 1) + Int64("two", 2) +
         NodeText("range", "RangeDataset", {"zero", "ten", "one"}, Numbers()) +
         NodeText(
             "map", map, inputs,
             Numbers() + Types("Targuments", "DT_RESOURCE") + Func("f", "f")) +
         NodeText("begin", "MakeIterator", {"map", "iterator"});
}

class IteratorsTest : public ::testing::TestWithParam<std::string> {
 protected:
  IteratorsTest() : devices_(DeviceSet::Create({.num_threads = 2}).value()) {}

  std::shared_ptr<Session> Open(const std::string& text) {
    auto session = NewLocalSession(ImportText(text, BuiltinOps()),
                                   {.device_set = devices_});
    EXPECT_TRUE(session.ok()) << session.status();
    return session.ok() ? *session : nullptr;
  }
  static absl::StatusOr<int64_t> Next(Session& session,
                                      const RunOptions& options = {}) {
    auto out = session.Run({.fetches = {"next"}, .options = options});
    if (!out.ok()) return out.status();
    return (*out)[0].scalar<int64_t>();
  }
  // Takes an element that does not come in time.
  static void ExpectNoNext(Session& session) {
    const auto next = Next(session, {.timeout = std::chrono::milliseconds(20)});
    EXPECT_TRUE(absl::IsDeadlineExceeded(next.status())) << next.status();
  }
  static absl::Status Run(Session& session, const std::string& target) {
    return session.Run({.targets = {target}}).status();
  }

  std::shared_ptr<DeviceSet> devices_;
};

INSTANTIATE_TEST_SUITE_P(Maps, IteratorsTest,
                         ::testing::Values("MapDataset",
                                           "ParallelMapDatasetV2"));

TEST_P(IteratorsTest, OutliveTheSessionThatMadeThem) {
  {
    const auto session = Open(MapText(Doubles(), GetParam()));
    EXPECT_THAT(Next(*session).status().message(),
                HasSubstr("the iterator has not been initialized"));
    ASSERT_EQ(Run(*session, "begin"), absl::OkStatus());
    EXPECT_EQ(Next(*session).value(), 0);
    EXPECT_EQ(Next(*session).value(), 2);
  }
  const auto other = Open(IteratorText());
  EXPECT_EQ(Next(*other).value(), 4);
  for (int64_t i = 3; i < 10; ++i) EXPECT_EQ(Next(*other).value(), 2 * i);
  EXPECT_TRUE(absl::IsOutOfRange(Next(*other).status()));
}

// There is one call at a time: of two, the second one could get the element
// that is put for the first one, and the step would wait forever.
TEST_P(IteratorsTest, AStepThatIsOverLosesNoElement) {
  const auto session = Open(MapText(Waits(), GetParam(), "one"));
  ASSERT_EQ(Run(*session, "begin"), absl::OkStatus());
  ExpectNoNext(*session);
  ExpectNoNext(*session);
  // The call that began for the first step gets it.
  ASSERT_EQ(Run(*session, "put"), absl::OkStatus());
  EXPECT_EQ(Next(*session).value(), 7);
  ExpectNoNext(*session);
  for (int i = 1; i < 10; ++i) {
    ASSERT_EQ(Run(*session, "put"), absl::OkStatus());
    EXPECT_EQ(Next(*session).value(), 7);
  }
  EXPECT_TRUE(absl::IsOutOfRange(Next(*session).status()));
}

// The calls wait for the queue. The test ends only if they are cancelled.
TEST_P(IteratorsTest, EndTheirCallsWhenTheDevicesEnd) {
  {
    const auto session = Open(MapText(Waits(), GetParam()));
    ASSERT_EQ(Run(*session, "begin"), absl::OkStatus());
    ExpectNoNext(*session);
  }
  devices_.reset();
}

// The function waits for the iterator that calls it. The test ends only if the
// end of the iterator ends the wait.
TEST_P(IteratorsTest, ThatReadThemselvesEnd) {
  {
    const auto session = Open(MapText(
        Function(InnerNode("same", "IteratorV2", {},
                           Numbers() + Attr("shared_name", "s: \"shared\"") +
                               Attr("container", "s: \"\"")) +
                 InnerNode("taken", "IteratorGetNext", {"same:handle:0"},
                           Numbers()) +
                 Return("taken:components:0")),
        GetParam()));
    for (int i = 0; i < 2; ++i) {
      ASSERT_EQ(Run(*session, "begin"), absl::OkStatus());
      ExpectNoNext(*session);
    }
  }
  devices_.reset();
}

TEST_P(IteratorsTest, BeginAnew) {
  const auto session = Open(MapText(Waits(), GetParam()));
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(Run(*session, "begin"), absl::OkStatus());
    ExpectNoNext(*session);
  }
}

// The first function passes the handle of the queue on. The second one takes
// elements until the queue is closed. The last one puts an element into another
// queue.
TEST_F(IteratorsTest, GeneratorsCallTheirFunctions) {
  const auto function = [](const std::string& name, const std::string& result,
                           const std::string& body) {
    return "library { function { signature { name: \"" + name +
           "\" input_arg { name: \"queue\" type: DT_RESOURCE }"
           " output_arg { name: \"r\" type: " +
           result + " } } " + body + " } }\n";
  };
  const std::string element = Types("component_types", "DT_INT64");
  const std::string last =
      InnerNode("nine", "Const", {},
                Type("dtype", "DT_INT64") +
                    Attr("value",
                         "tensor { dtype: DT_INT64 tensor_shape {} int64_val: "
                         "9 }")) +
      InnerNode("other", "FIFOQueueV2", {},
                element + Attr("shared_name", "s: \"other\"")) +
      InnerNode("put", "QueueEnqueueV2", {"other:handle:0", "nine:output:0"},
                Types("Tcomponents", "DT_INT64")) +
      Return("nine:output:0");
  const auto session =
      Open(function("begin_with", "DT_RESOURCE", Return("queue")) +
           function("take", "DT_INT64",
                    InnerNode("taken", "QueueDequeueV2", {"queue"}, element) +
                        Return("taken:components:0")) +
           function("end_with", "DT_INT64", last) + IteratorText() +
           NodeText("close", "QueueCloseV2", {"queue"}) +
           NodeText("other", "FIFOQueueV2", {},
                    element + Attr("shared_name", "s: \"other\"")) +
           NodeText("size", "QueueSizeV2", {"other"}) +
           NodeText("generator", "GeneratorDataset", {"queue"},
                    Numbers() + Func("init_func", "begin_with") +
                        Func("next_func", "take") +
                        Func("finalize_func", "end_with") +
                        Types("Tinit_func_args", "DT_RESOURCE") +
                        Attr("Tnext_func_args", "list {}") +
                        Attr("Tfinalize_func_args", "list {}")) +
           NodeText("begin", "MakeIterator", {"generator", "iterator"}));
  for (int i = 0; i < 2; ++i) ASSERT_EQ(Run(*session, "put"), absl::OkStatus());
  ASSERT_EQ(Run(*session, "begin"), absl::OkStatus());
  EXPECT_EQ(Next(*session).value(), 7);
  EXPECT_EQ(Next(*session).value(), 7);
  ExpectNoNext(*session);
  ASSERT_EQ(Run(*session, "close"), absl::OkStatus());
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(absl::IsOutOfRange(Next(*session).status()));
    auto size = session->Run({.fetches = {"size"}});
    ASSERT_TRUE(size.ok()) << size.status();
    EXPECT_EQ((*size)[0].scalar<int32_t>(), 1);
  }
}

// All elements share one tensor, so only their places in the buffers take
// memory.
TEST_F(IteratorsTest, HeldElementsTakeMemory) {
  devices_ = DeviceSet::Create({.num_threads = 2, .cpu_memory_bytes = 16 << 20})
                 .value();
  const int64_t many = int64_t{1} << 40;
  const std::string source =
      IteratorText() + Int64("one", 1) + Int64("forever", -1) +
      Int64("many", many) +
      NodeText("false", "Const", {},
               Type("dtype", "DT_BOOL") +
                   Attr("value",
                        "tensor { dtype: DT_BOOL tensor_shape {} "
                        "bool_val: false }")) +
      NodeText("tensor", "TensorDataset", {"one"},
               Types("Toutput_types", "DT_INT64") +
                   Attr("output_shapes", "list { shape {} }")) +
      NodeText("endless", "RepeatDataset", {"tensor", "forever"}, Numbers());
  const std::string types = Types("output_types", "DT_VARIANT") +
                            Attr("output_shapes", "list { shape {} }");
  for (const std::string& held :
       {NodeText("held", "BatchDatasetV2", {"endless", "many", "false"},
                 Numbers()),
        NodeText("held", "ShuffleDataset", {"endless", "many", "one", "one"},
                 Numbers()),
        NodeText("held", "WindowDataset",
                 {"endless", "many", "one", "one", "false"}, types)}) {
    SCOPED_TRACE(held);
    const auto session =
        Open(source + held +
             NodeText("any", "IteratorV2", {},
                      Types("output_types", absl::StrContains(held, "Window")
                                                ? "DT_VARIANT"
                                                : "DT_INT64") +
                          Attr("output_shapes",
                               "list { shape { unknown_rank: true "
                               "} }") +
                          Attr("shared_name", "s: \"\"") +
                          Attr("container", "s: \"\"")) +
             NodeText("fill", "IteratorGetNext", {"any"},
                      Types("output_types", absl::StrContains(held, "Window")
                                                ? "DT_VARIANT"
                                                : "DT_INT64") +
                          Attr("output_shapes",
                               "list { shape { unknown_rank: true "
                               "} }")) +
             NodeText("begin", "MakeIterator", {"held", "any"}));
    ASSERT_EQ(Run(*session, "begin"), absl::OkStatus());
    const absl::Status status = Run(*session, "fill");
    EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
    EXPECT_THAT(status.message(), HasSubstr("to hold more elements"));
  }
}

TEST_F(IteratorsTest, AreRefusedForOtherElements) {
  std::string text = MapText(Doubles());
  // The iterator expects vectors.
  const std::string scalar = "list { shape {} }";
  text.replace(text.find(scalar), scalar.size(),
               "list { shape { dim { size: 3 } } }");
  const auto session = Open(text);
  EXPECT_THAT(Run(*session, "begin").message(),
              HasSubstr("Incompatible shapes at component 0: expected [3] but "
                        "got []."));
}

TEST_F(IteratorsTest, AreOnlyReadAsIterators) {
  const auto session = Open(
      MapText(Doubles()) + NodeText("wrong", "MakeIterator", {"map", "queue"}) +
      NodeText("wrong_next", "IteratorGetNext", {"queue"}, Numbers()));
  EXPECT_TRUE(absl::IsInvalidArgument(Run(*session, "wrong")));
  EXPECT_TRUE(absl::IsInvalidArgument(Run(*session, "wrong_next")));
}

}  // namespace
}  // namespace leat::iterators_test
