// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Reads the JSON form of tensors and attrs in the tests' data files (*.jsonl).
// Each case of such a file gives tensors and attrs to an op, and says which
// tensors the op must return. tests/op_cases/make_cases.py describes the form
// and writes most of the files.
#ifndef LEAT_TESTS_TESTING_OP_CASE_JSON_H_
#define LEAT_TESTS_TESTING_OP_CASE_JSON_H_

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "leat/core/tensor.h"
#include "leat/graph/attr.h"

namespace leat::testing {

// Returns the lines of a file, in order. `path` is relative to tests/. Fails
// the test that calls it if the file cannot be read, has no line, or has a line
// that is not a JSON object.
std::vector<nlohmann::json> ReadJsonLines(const std::string& path);

// Returns the tensor that the list [dtype, shape, values] describes. `values`
// is a list of elements, or {"ramp": [start, step, modulus]}. In a ramp,
// element i is start + step * (i % modulus). A resource or variant tensor has
// no values: its elements are default-constructed. An element of a type that
// has no C++ type, such as qint8, is given as the unsigned integer with its
// bytes.
Tensor TensorFromJson(const nlohmann::json& spec);

// Returns the value of an attr that the list [kind, value] describes, such as
// ["list(int)", [1, 2]]. An unknown kind fails the test.
AttrValue AttrFromJson(const nlohmann::json& spec);

// Returns the attrs that the object {name: [kind, value], ...} describes.
AttrMap AttrsFromJson(const nlohmann::json& spec);

// Two elements of float or complex tensors count as equal if |got - expected|
// <= tolerance * max(|expected|, floor).
struct Precision {
  double tolerance = 0;
  double floor = 1e-3;
};

// Returns the tolerance for results of this dtype. Cases with their own
// tolerance do not use it.
double DefaultTolerance(DType dtype);

// Returns a description of the first difference of two tensors, or "" if they
// are equal. NaN equals NaN.
std::string Difference(const Tensor& got, const Tensor& expected,
                       const Precision& precision);

// Does the same as the function above, but `expected` is JSON. For a large
// tensor, the JSON may hold only every n-th value, as {"every": n, "values":
// [...]}. `spec` is the case. Its "tolerance" and "floor" take precedence over
// the defaults.
std::string Difference(const Tensor& got, const nlohmann::json& expected,
                       const nlohmann::json& spec);

}  // namespace leat::testing

#endif  // LEAT_TESTS_TESTING_OP_CASE_JSON_H_
