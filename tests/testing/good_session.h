// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// GoodSession trains a small model while the rest of the test attacks the
// cluster. It checks that the attacks do not disturb a well-behaved session.
#ifndef LEAT_TESTS_TESTING_GOOD_SESSION_H_
#define LEAT_TESTS_TESTING_GOOD_SESSION_H_

#include <atomic>
#include <memory>
#include <utility>

#include "gtest/gtest.h"
#include "leat/core/threads/mutex.h"
#include "leat/core/threads/thread.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"
#include "leat/runtime/session.h"
#include "leat/tests/testing/wait_limit.h"
#include "leat/train/nn/optimizers.h"

namespace leat::testing {

// Trains a model with one variable, which is on the parameter server. Training
// runs on a new thread until End. Fails the test if a step fails or if its loss
// differs from the loss that GoodSession computes itself. Begin and End must be
// called by one thread. Any thread may call num_steps.
class GoodSession {
 public:
  // Returns the graph of the session that is given to Begin. It has parts on
  // "/job:ps/task:0" and "/job:worker/task:0".
  static Graph MakeGraph() {
    GraphBuilder b;
    const Nodes nodes(b);
    return *b.Build();
  }

  // Starts training on a new thread. The session is shared and must have the
  // graph of MakeGraph. Must be called only once.
  void Begin(std::shared_ptr<Session> session) {
    session_ = std::move(session);
    thread_ = Thread("trains", [this] { Train(); });
  }
  // Ends training if End was not called.
  ~GoodSession() { End(); }

  // Ends training, expects that at least one step has run, and closes the
  // session. Does nothing if training has not begun or has ended.
  void End() {
    if (session_ == nullptr) return;
    is_ending_ = true;
    thread_.Join();
    EXPECT_GT(num_steps_, 0);
    const absl::Status closed = session_->Close();
    EXPECT_TRUE(closed.ok()) << closed;
    session_.reset();
  }

  // Returns the number of steps that have succeeded.
  int num_steps() const { return num_steps_; }
  // Waits until a step that begins after this call has succeeded. Fails the
  // test if there is none by the WaitLimit, or if training has failed.
  void AwaitStep() {
    const Clock::time_point limit = WaitLimit();
    MutexLock lock(mutex_);
    // Waits for two steps, because the step that runs now may have begun before
    // this call.
    const int enough = num_steps_ + 2;
    while (num_steps_ < enough && !has_ended_) {
      if (!progress_.WaitUntil(mutex_, limit)) break;
    }
    EXPECT_GE(num_steps_, enough) << "steps";
  }

 private:
  // Holds the nodes of the graph. The same builder calls give the same names in
  // MakeGraph and in Train.
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

  // Runs the steps and computes the expected loss of each step. The loss is
  // (w * x - 3)^2. A step subtracts 0.1 times the gradient of the loss from w.
  void Train() {
    RunSteps();
    MutexLock lock(mutex_);
    has_ended_ = true;
    progress_.NotifyAll();
  }
  void RunSteps() {
    GraphBuilder b;
    const Nodes nodes(b);
    const Graph graph = *b.Build();
    const absl::Status initialized =
        session_->Run({.targets = {graph.init_op()}}).status();
    EXPECT_TRUE(initialized.ok()) << initialized;
    if (!initialized.ok()) return;
    float w = 0;
    while (!is_ending_) {
      // Keeps x between 0.5 and 1.5 and changes it in every step, so that w
      // changes in every step.
      const float x = 0.5f + static_cast<float>(num_steps_ % 11) * 0.1f;
      const auto out = session_->Run({.feeds = {{nodes.x, Tensor::Scalar(x)}},
                                      .fetches = {nodes.loss},
                                      .targets = {nodes.step}});
      ASSERT_TRUE(out.ok()) << "step " << num_steps_ << ": " << out.status();
      const float error = w * x - 3.0f;
      ASSERT_NEAR((*out)[0].scalar<float>(), error * error, 1e-3f)
          << "step " << num_steps_;
      w -= 0.1f * 2 * error * x;
      MutexLock lock(mutex_);
      ++num_steps_;
      progress_.NotifyAll();
    }
  }

  std::shared_ptr<Session> session_;
  std::atomic<bool> is_ending_{false};
  Mutex mutex_;
  CondVar progress_;
  std::atomic<int> num_steps_{0};  // changed under the lock
  bool has_ended_ ABSL_GUARDED_BY(mutex_) = false;
  Thread thread_;
};

}  // namespace leat::testing

#endif  // LEAT_TESTS_TESTING_GOOD_SESSION_H_
