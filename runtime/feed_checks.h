// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// CheckFeeds checks that the tensors that a client feeds fit the plan of the
// step. It is stateless and thread-safe.
#ifndef LEAT_RUNTIME_FEED_CHECKS_H_
#define LEAT_RUNTIME_FEED_CHECKS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "leat/core/dtype.h"
#include "leat/core/partial_shape.h"
#include "leat/core/tensor.h"

namespace leat {

// Describes the feeds of a planned step. The three lists have the same length;
// element i of each describes feed i.
struct FeedSpec {
  std::vector<std::string> names = {};  // as the client wrote them
  std::vector<DType> types = {};
  std::vector<PartialShape> shapes = {};  // declared or inferred
};

// Returns INVALID_ARGUMENT if `feed` has another dtype than planned for the
// feed at position `i`, or a shape that is incompatible with the planned shape.
absl::Status CheckFeed(const FeedSpec& spec, size_t i, const Tensor& feed);

// Returns INVALID_ARGUMENT if `feeds` and `spec` do not have the same number of
// feeds, and otherwise fails as CheckFeed does. The message about a shape is
// the same as in TensorFlow's Python client:
//
//   Cannot feed value of shape (3,) for Tensor x:0, which has shape (None, 784)
absl::Status CheckFeeds(const FeedSpec& spec, absl::Span<const Tensor> feeds);

}  // namespace leat

#endif  // LEAT_RUNTIME_FEED_CHECKS_H_
