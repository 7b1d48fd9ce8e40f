// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/summary/histogram.h"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "leat/protos/summary.pb.h"

namespace leat {
namespace {

constexpr double kLargest = std::numeric_limits<double>::max();

std::vector<double> MakeLimits() {
  std::vector<double> positive;
  for (double limit = 1e-12; limit < 1e20; limit *= 1.1) {
    positive.push_back(limit);
  }
  positive.push_back(kLargest);
  std::vector<double> limits;
  for (auto i = positive.rbegin(); i != positive.rend(); ++i) {
    limits.push_back(-*i);
  }
  limits.push_back(0);
  limits.insert(limits.end(), positive.begin(), positive.end());
  return limits;
}

// The limits are made on first use and never change.
const std::vector<double>& Limits() {
  static const std::vector<double>* const limits =
      new std::vector<double>(MakeLimits());
  return *limits;
}

}  // namespace

Histogram::Histogram()
    : limits_(Limits()),
      counts_(limits_.size(), 0),
      min_(kLargest),
      max_(-kLargest) {}

void Histogram::Add(double value) {
  const auto limit = std::upper_bound(limits_.begin(), limits_.end(), value);
  // The largest double is not below any limit, so it counts in the last bucket.
  const auto bucket = std::min(static_cast<size_t>(limit - limits_.begin()),
                               limits_.size() - 1);
  counts_[bucket] += 1;
  min_ = std::min(min_, value);
  max_ = std::max(max_, value);
  num_ += 1;
  sum_ += value;
  sum_of_squares_ += value * value;
}

void Histogram::Encode(pb::HistogramProto& proto) const {
  proto.Clear();
  proto.set_min(min_);
  proto.set_max(max_);
  proto.set_num(num_);
  proto.set_sum(sum_);
  proto.set_sum_squares(sum_of_squares_);
  for (size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i] == 0) {
      while (i + 1 < counts_.size() && counts_[i + 1] == 0) ++i;
    }
    proto.add_bucket_limit(limits_[i]);
    proto.add_bucket(counts_[i]);
  }
}

}  // namespace leat
