// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// GoodSession: a session that trains while others do what they should not.
#ifndef LEAT_TESTS_TESTING_GOOD_SESSION_H_
#define LEAT_TESTS_TESTING_GOOD_SESSION_H_

#include <atomic>
#include <memory>
#include <thread>
#include <utility>

#include "gtest/gtest.h"
#include "leat/graph/builder.h"
#include "leat/graph/ops.h"
#include "leat/runtime/session.h"
#include "leat/train/nn/optimizers.h"

namespace leat::testing {

// Fits a number on the parameter server, on a thread of its own, until the end;
// fails the test when a step fails, or gives another loss than it should.
class GoodSession {
 public:
  // What is to be trained by the session that Begin gets.
  static Graph MakeGraph() {
    GraphBuilder b;
    const Nodes nodes(b);
    return *b.Build();
  }

  void Begin(std::shared_ptr<Session> session) {
    session_ = std::move(session);
    thread_ = std::thread([this] { Train(); });
  }
  ~GoodSession() { End(); }

  // The session is closed. Idempotent.
  void End() {
    if (!thread_.joinable()) return;
    is_ending_ = true;
    thread_.join();
    EXPECT_GT(num_steps_, 0);
    const absl::Status closed = session_->Close();
    EXPECT_TRUE(closed.ok()) << closed;
    session_.reset();
  }

  int num_steps() const { return num_steps_; }

 private:
  struct Nodes {
    explicit Nodes(GraphBuilder& b) {
      {
        const Scope ps = b.OnDevice("/job:ps/task:0");
        w = b.Variable("w", b.Const(0.0f));
      }
      const Scope worker = b.OnDevice("/job:worker/task:0");
      x = b.Placeholder<float>("x");
      loss = op::Square(w.value() * x - 3.0f);
      step = nn::GradientDescent({.learning_rate = 0.1}).Minimize(loss);
    }
    Variable w;
    Output x, loss;
    Operation step;
  };

  void Train() {
    GraphBuilder b;
    const Nodes nodes(b);
    const Graph graph = *b.Build();
    const absl::Status initialized =
        session_->Run({.targets = {graph.init_op()}}).status();
    EXPECT_TRUE(initialized.ok()) << initialized;
    if (!initialized.ok()) return;
    float w = 0;
    while (!is_ending_) {
      // Between 0.5 and 1.5, so that it never settles.
      const float x = 0.5f + static_cast<float>(num_steps_ % 11) * 0.1f;
      const auto out = session_->Run({.feeds = {{nodes.x, Tensor::Scalar(x)}},
                                      .fetches = {nodes.loss},
                                      .targets = {nodes.step}});
      ASSERT_TRUE(out.ok()) << "step " << num_steps_ << ": " << out.status();
      const float error = w * x - 3.0f;
      ASSERT_NEAR((*out)[0].scalar<float>(), error * error, 1e-3f)
          << "step " << num_steps_;
      w -= 0.1f * 2 * error * x;
      ++num_steps_;
    }
  }

  std::shared_ptr<Session> session_;
  std::atomic<bool> is_ending_{false};
  std::atomic<int> num_steps_{0};
  std::thread thread_;
};

}  // namespace leat::testing

#endif  // LEAT_TESTS_TESTING_GOOD_SESSION_H_
