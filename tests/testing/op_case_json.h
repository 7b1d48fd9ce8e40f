// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// The JSON form of tensors and attrs in the tests' data files (*.jsonl): what a
// case gives to an op and what it expects back. tests/op_cases/make_cases.py
// describes the form and writes most of it.
#ifndef LEAT_TESTS_TESTING_OP_CASE_JSON_H_
#define LEAT_TESTS_TESTING_OP_CASE_JSON_H_

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "leat/core/tensor.h"
#include "leat/graph/attr.h"

namespace leat::testing {

// The lines of a file below tests/, in order. Fails the test that calls it for
// a file that cannot be read, has no line, or has one that is no JSON object.
std::vector<nlohmann::json> ReadJsonLines(const std::string& path);

// [dtype, shape, values]; values are a list, or {"ramp": [start, step,
// modulus]}: start + step * (i % modulus). A resource or variant tensor has no
// values: its elements are default-constructed.
Tensor TensorFromJson(const nlohmann::json& spec);

// [kind, value]: ["list(int)", [1, 2]].
AttrValue AttrFromJson(const nlohmann::json& spec);

// {name: [kind, value]}.
AttrMap AttrsFromJson(const nlohmann::json& spec);

// |got - expected| <= tolerance * max(|expected|, floor).
struct Precision {
  double tolerance = 0;
  double floor = 1e-3;
};

// What a kernel of this dtype is held to where a case says nothing else.
double DefaultTolerance(DType dtype);

// Empty when equal (NaN equals NaN), else the first difference.
std::string Difference(const Tensor& got, const Tensor& expected,
                       const Precision& precision);

// The same for an expected tensor in JSON; of a large one every n-th value may
// be recorded, as {"every": n, "values": [...]}. A case's "tolerance" and
// "floor" go before those of the dtype.
std::string Difference(const Tensor& got, const nlohmann::json& expected,
                       const nlohmann::json& spec);

}  // namespace leat::testing

#endif  // LEAT_TESTS_TESTING_OP_CASE_JSON_H_
