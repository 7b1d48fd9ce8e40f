// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Lists the functions whose gradients gradient_check_test.cc checks. Each
// family of ops has its own file, which adds the cases of the family to a list.
#ifndef LEAT_TESTS_TRAIN_GRADIENT_CASES_H_
#define LEAT_TESTS_TRAIN_GRADIENT_CASES_H_

#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include "leat/graph/builder/builder.h"

namespace leat {

using Inputs = std::vector<Output>;

// Describes a function whose gradient is checked. The inputs of the function
// are float64, or float32 if `single` is set. The elements of the inputs lie in
// [low, high].
struct GradientCase {
  std::string op = {};  // the op whose gradient is checked
  // Holds one shape per input.
  std::vector<Shape> shapes = {};
  // Adds the function to the graph and returns its output.
  std::function<Output(GraphBuilder&, const Inputs&)> build = {};
  // `low` and `high` are the bounds of the inputs' elements. The function must
  // be defined between these bounds.
  double low = -1.5;
  double high = 1.5;
  bool single = false;  // float32
};

// Returns a constant vector of `values`.
template <class T>
Output Vec(GraphBuilder& b, std::initializer_list<T> values) {
  return b.Const(Tensor::Vector<T>(values));
}
// Returns a constant vector of int32 values, such as indices or axes.
inline Output Ints(GraphBuilder& b, std::initializer_list<int32_t> values) {
  return Vec<int32_t>(b, values);
}

// Each of these functions appends the cases for one family of ops to `cases`.
void AddElementWise(std::vector<GradientCase>& cases);
void AddBinaryMath(std::vector<GradientCase>& cases);
void AddReductions(std::vector<GradientCase>& cases);
void AddMatrices(std::vector<GradientCase>& cases);
void AddImages(std::vector<GradientCase>& cases);
void AddShapes(std::vector<GradientCase>& cases);
void AddGathers(std::vector<GradientCase>& cases);
void AddMoves(std::vector<GradientCase>& cases);
void AddDiagonals(std::vector<GradientCase>& cases);
void AddCombinations(std::vector<GradientCase>& cases);

}  // namespace leat

#endif  // LEAT_TESTS_TRAIN_GRADIENT_CASES_H_
