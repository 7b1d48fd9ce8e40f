// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// The functions that gradient_check_test.cc differentiates, by op family.
#ifndef LEAT_TESTS_TRAIN_GRADIENT_CASES_H_
#define LEAT_TESTS_TRAIN_GRADIENT_CASES_H_

#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include "leat/graph/builder.h"

namespace leat {

using Inputs = std::vector<Output>;

// A function of some inputs, of float64 unless `single`, at values in [low,
// high].
struct GradientCase {
  std::string op = {};  // whose gradient it checks
  std::vector<Shape> shapes = {};
  std::function<Output(GraphBuilder&, const Inputs&)> build = {};
  double low = -1.5;
  double high = 1.5;
  bool single = false;  // float32
};

template <class T>
Output Vec(GraphBuilder& b, std::initializer_list<T> values) {
  return b.Const(Tensor::Vector<T>(values));
}
inline Output Ints(GraphBuilder& b, std::initializer_list<int32_t> values) {
  return Vec<int32_t>(b, values);
}

// Each adds the cases of its ops.
void AddElementWise(std::vector<GradientCase>& cases);
void AddBinaryMath(std::vector<GradientCase>& cases);
void AddReductions(std::vector<GradientCase>& cases);
void AddMatrices(std::vector<GradientCase>& cases);
void AddImages(std::vector<GradientCase>& cases);
void AddShapes(std::vector<GradientCase>& cases);
void AddGathers(std::vector<GradientCase>& cases);

}  // namespace leat

#endif  // LEAT_TESTS_TRAIN_GRADIENT_CASES_H_
