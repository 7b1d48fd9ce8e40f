// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tests/soak/visitor.h"

#include <chrono>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "leat/core/tensor.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"
#include "leat/tests/cluster/served_cluster.h"
#include "leat/train/session.h"

namespace leat::soak {
namespace {

constexpr std::chrono::seconds kPatience(30);
constexpr int64_t kFewBytes = 400;

}  // namespace

Visitor::Visitor(const Scene& scene) {
  GraphBuilder b;
  const Scope device = b.OnDevice(scene.victim.ToString());
  const Output x = op::Placeholder(b, DType::kFloat);
  const Output sum = op::Sum(x, {0});
  x_ = TensorName(x).text;
  sum_ = TensorName(sum).text;
  auto session = NewSession(
      *b.Build(), {.target = absl::StrCat("grpc://", scene.listening_address()),
                   .device_filters = {scene.victim.ToString()},
                   .connect_timeout = kPatience});
  EXPECT_TRUE(session.ok()) << session.status();
  session_ = session.value_or(nullptr);
}

absl::Status Visitor::Feed(int64_t bytes) const {
  if (session_ == nullptr) return absl::InternalError("there is no session");
  const Tensor fed =
      Tensor::Filled(Shape{bytes / static_cast<int64_t>(sizeof(float))}, 1.0f);
  return session_
      ->Run({.feeds = {{x_, fed}},
             .fetches = {sum_},
             .options = {.timeout = kPatience}})
      .status();
}

void Visitor::ExpectStep() const {
  absl::Status status;
  // A connection that was closed is made again.
  const auto succeeds = [&] {
    status = Feed(kFewBytes);
    return !absl::IsUnavailable(status);
  };
  testing::Becomes(succeeds, absl::FromChrono(kPatience));
  EXPECT_TRUE(status.ok()) << status;
}

}  // namespace leat::soak
