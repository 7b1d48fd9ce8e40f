// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Histogram counts numbers in the buckets of TensorFlow's histograms. The
// limits of buckets grow by 10 % from 1e-12 to 1e20, on both sides of 0.
//
//   Histogram histogram;
//   for (const float value : values) histogram.Add(value);
//   histogram.Encode(*value.mutable_histo());
#ifndef LEAT_SUMMARY_HISTOGRAM_H_
#define LEAT_SUMMARY_HISTOGRAM_H_

#include <vector>

namespace leat::pb {
class HistogramProto;
}  // namespace leat::pb

namespace leat {

// Is not thread-safe.
class Histogram {
 public:
  Histogram();
  // REQUIRES: `value` is finite.
  void Add(double value);
  // Overwrites `proto`. A run of empty buckets becomes one bucket, as in
  // TensorFlow.
  void Encode(pb::HistogramProto& proto) const;

 private:
  const std::vector<double>& limits_;  // upper limits, sorted; exclusive
  std::vector<double> counts_;         // one for each limit
  double min_;
  double max_;
  double num_ = 0;
  double sum_ = 0;
  double sum_of_squares_ = 0;
};

}  // namespace leat

#endif  // LEAT_SUMMARY_HISTOGRAM_H_
