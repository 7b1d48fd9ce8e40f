// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests that feeds must have the shape for which the graph was made. The
// messages are those of TensorFlow 2.15.1's Python client for the same graphs.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "leat/graph/analysis/infer_shapes.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/io/graph_def.h"
#include "leat/graph/ops.h"
#include "leat/runtime/local_session.h"
#include "leat/tests/testing/session_under_test.h"

namespace leat::feed_shapes_test {
namespace {

Tensor Zeros(const Shape& shape) { return Tensor::Filled<float>(shape, 0); }

class FeedShapesTest : public ::testing::Test {
 protected:
  // Returns the session. The first call makes the session from the graph that
  // `b` has at that time.
  Session& session() {
    if (session_ != nullptr) return *session_;
    Graph graph = b.Build().value();
    graph.producer = producer;
    session_ = NewTestSession(graph).value();
    return *session_;
  }
  absl::Status Run(const Output& fed, const Shape& shape) {
    const Feed feed = {fed, Zeros(shape)};
    return session().Run({.feeds = {feed}, .fetches = {fetched}}).status();
  }
  absl::Status Call(const Output& fed, const Shape& shape) {
    auto call = session().MakeCallable({.feeds = {fed}, .fetches = {fetched}});
    if (!call.ok()) return call.status();
    return (*call)({Zeros(shape)}).status();
  }
  // Expects that both Session::Run and a callable return the error `message`.
  void ExpectRefused(const Output& fed, const Shape& shape,
                     const std::string& message) {
    const absl::Status error = absl::InvalidArgumentError(message);
    EXPECT_EQ(Run(fed, shape), error);
    EXPECT_EQ(Call(fed, shape), error);
  }
  void ExpectTaken(const Output& fed, const Shape& shape) {
    EXPECT_EQ(Run(fed, shape), absl::OkStatus());
    EXPECT_EQ(Call(fed, shape), absl::OkStatus());
  }

  GraphBuilder b;
  Output fetched;
  int producer = kGraphDefVersion;

 private:
  std::shared_ptr<Session> session_;
};

TEST_F(FeedShapesTest, AreThoseOfThePlaceholder) {
  const Output x = b.Placeholder<float>("x", {3, 784});
  fetched = op::Identity(x);
  ExpectTaken(x, Shape{3, 784});
  ExpectRefused(x, Shape{3, 3},
                "Cannot feed value of shape (3, 3) for Tensor x:0, which has "
                "shape (3, 784)");
}

TEST_F(FeedShapesTest, MayHaveAnyExtentThatIsUnknown) {
  const Output y = b.Placeholder<float>("y", {-1, 784});
  fetched = op::Identity(y);
  ExpectTaken(y, Shape{0, 784});
  ExpectTaken(y, Shape{5, 784});
  ExpectRefused(y, Shape{2, 3},
                "Cannot feed value of shape (2, 3) for Tensor y:0, which has "
                "shape (None, 784)");
  ExpectRefused(y, Shape{3},
                "Cannot feed value of shape (3,) for Tensor y:0, which has "
                "shape (None, 784)");
}

TEST_F(FeedShapesTest, MayBeAnyWhereTheRankIsUnknown) {
  const Output u = b.Placeholder<float>("u");
  fetched = op::Identity(u);
  for (const Shape& shape : {Shape{}, Shape{0}, Shape{2, 3, 4}}) {
    ExpectTaken(u, shape);
  }
}

TEST_F(FeedShapesTest, OfAScalarAreScalars) {
  const Output z = b.Placeholder<float>("z", Shape{});
  fetched = op::Identity(z);
  ExpectTaken(z, Shape{});
  ExpectRefused(z, Shape{1},
                "Cannot feed value of shape (1,) for Tensor z:0, which has "
                "shape ()");
}

// The rest of the graph, such as gradients, was built for the shape that was
// inferred. So a feed must have this shape.
TEST_F(FeedShapesTest, AreThoseInferredOfWhatIsComputed) {
  const Output x = b.Placeholder<float>("x", {3, 784});
  const Output w = op::AddV2(x, 1.0f);
  fetched = op::Identity(w);
  ExpectTaken(w, Shape{3, 784});
  ExpectRefused(
      w, Shape{3, 3},
      "Cannot feed value of shape (3, 3) for Tensor AddV2:0, which has "
      "shape (3, 784)");
}

// The default may have another shape than the value that is fed.
TEST_F(FeedShapesTest, AreThoseThatAPlaceholderWithDefaultDeclares) {
  const Output d = op::PlaceholderWithDefault(b.Const(Zeros(Shape{2})), {-1});
  fetched = op::Identity(d);
  ExpectTaken(d, Shape{7});
  ExpectRefused(d, Shape{},
                "Cannot feed value of shape () for Tensor "
                "PlaceholderWithDefault:0, which has shape "
                "(None,)");
}

// Before TensorFlow 1.0, the shape [] stood for an unknown shape.
TEST_F(FeedShapesTest, OfOldGraphsMayBeAnyWhereTheyDeclareAScalar) {
  const Output z = b.Placeholder<float>("z", Shape{});
  const Output w = op::Neg(z);
  fetched = op::Identity(w);
  producer = 21;
  ExpectTaken(z, Shape{2, 3});
  ExpectTaken(w, Shape{2, 3});
}

TEST_F(FeedShapesTest, DoNotMatterWhereInferenceFails) {
  const Output x = b.Placeholder<float>("x", {3});
  const Output w = op::Neg(x);
  fetched = op::Identity(w);
  Graph graph = b.Build().value();
  // Shape inference fails at this node. The step does not contain the node, so
  // the step must succeed.
  NodeDef bad;
  bad.name = "bad";
  bad.op = graph.ops().Find("MatMul");
  bad.attrs.Set("T", DType::kFloat);
  const Endpoint in{graph.Find("x"), 0};
  ASSERT_TRUE(graph.Add(bad, {{in, in}}).ok());
  ASSERT_FALSE(InferShapes(graph).ok());
  auto session = NewTestSession(graph);
  ASSERT_TRUE(session.ok()) << session.status();
  const Feed feed = {w, Zeros(Shape{5})};
  EXPECT_EQ((*session)->Run({.feeds = {feed}, .fetches = {fetched}}).status(),
            absl::OkStatus());
}

}  // namespace
}  // namespace leat::feed_shapes_test
