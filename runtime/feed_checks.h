// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Whether what a client feeds is what its step was planned for. Stateless.
#ifndef LEAT_RUNTIME_FEED_CHECKS_H_
#define LEAT_RUNTIME_FEED_CHECKS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "leat/core/dtype.h"
#include "leat/core/partial_shape.h"
#include "leat/core/tensor.h"

namespace leat {

// What a step is fed: lists of the same length, by position.
struct FeedSpec {
  std::vector<std::string> names = {};
  std::vector<DType> types = {};
  std::vector<PartialShape> shapes = {};
};

// INVALID_ARGUMENT for another number of feeds, or one of another type or of a
// shape that is excluded, in the words of TensorFlow's Python client.
absl::Status CheckFeeds(const FeedSpec& spec, absl::Span<const Tensor> feeds);

}  // namespace leat

#endif  // LEAT_RUNTIME_FEED_CHECKS_H_
