// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tests/soak/visitor.h"

#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "leat/core/tensor.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"
#include "leat/tests/cluster/served_cluster.h"
#include "leat/train/recoverable_session.h"

namespace leat::soak {
namespace {

constexpr std::chrono::seconds kPatience(30);
constexpr int64_t kFewBytes = 400;

SessionOptions OptionsOf(const Scene& scene) {
  return {.target = absl::StrCat("grpc://", scene.listening_address()),
          .device_filters = {scene.victim.ToString()},
          .connect_timeout = kPatience};
}

}  // namespace

Visitor::Visitor(const Scene& scene) : options_(OptionsOf(scene)) {
  GraphBuilder b;
  const Scope device = b.OnDevice(scene.victim.ToString());
  const Output x = b.Placeholder<float>(kFedNode);
  const Output sum = op::Sum(x, {0});
  x_ = TensorName(x).text;
  sum_ = TensorName(sum).text;
  graph_ = *b.Build();
  const absl::Status connected = Connect();
  EXPECT_TRUE(connected.ok()) << connected;
}

absl::Status Visitor::Connect() {
  auto session = NewSession(graph_, options_);
  if (!session.ok()) return session.status();
  MutexLock lock(mutex_);
  session_ = *std::move(session);
  return absl::OkStatus();
}

absl::Status Visitor::Feed(int64_t bytes) const {
  std::shared_ptr<Session> session;
  {
    MutexLock lock(mutex_);
    session = session_;
  }
  if (session == nullptr) return absl::InternalError("there is no session");
  const Tensor fed =
      Tensor::Filled(Shape{bytes / static_cast<int64_t>(sizeof(float))}, 1.0f);
  return session
      ->Run({.feeds = {{x_, fed}},
             .fetches = {sum_},
             .options = {.timeout = kPatience}})
      .status();
}

void Visitor::ExpectStep() { ExpectFeed(kFewBytes, false); }

void Visitor::ExpectLargeStep(int64_t bytes) { ExpectFeed(bytes, true); }

void Visitor::ExpectFeed(int64_t bytes, bool waits_for_room) {
  absl::Status status;
  bool has_lost_session = false;
  const auto ends = [&] {
    if (has_lost_session) status = Connect();
    if (!has_lost_session || status.ok()) status = Feed(bytes);
    has_lost_session = absl::IsAborted(status);
    return !IsRecoverable(status) &&
           !(waits_for_room && absl::IsResourceExhausted(status));
  };
  testing::Becomes(ends, absl::FromChrono(kPatience));
  EXPECT_TRUE(status.ok()) << "a step with " << bytes << " bytes: " << status;
}

}  // namespace leat::soak
