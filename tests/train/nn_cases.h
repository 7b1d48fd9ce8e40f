// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// The tests that run the cases of nn/nn_cases.jsonl and
// nn/between_graph_cases.jsonl share this code. It has tables of initializers
// and optimizers by the names that the cases use, and a session that runs what
// was built with them.
#ifndef LEAT_TESTS_TRAIN_NN_CASES_H_
#define LEAT_TESTS_TRAIN_NN_CASES_H_

#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "leat/graph/builder/builder.h"
#include "leat/runtime/session.h"
#include "leat/train/nn/initializers.h"
#include "leat/train/nn/optimizers.h"

namespace leat::testing {

// Makes an initializer from `attrs`, a JSON object with the fields of the
// initializer's attrs struct.
using MakeInitializer =
    std::function<nn::Initializer(const nlohmann::json& attrs)>;
std::map<std::string, MakeInitializer> InitializersByName();

// Makes an optimizer from `attrs`, a JSON object with the fields of the
// optimizer's attrs struct.
using MakeOptimizer =
    std::function<std::unique_ptr<nn::Optimizer>(const nlohmann::json& attrs)>;
std::map<std::string, MakeOptimizer> OptimizersByName();

// Returns the lines of tests/train/nn/`file` whose "kind" is `kind`. If there
// are none, makes the test fail.
std::vector<nlohmann::json> CasesOfKind(const std::string& file,
                                        const std::string& kind);

// Owns a session of the graph that a builder has built. Errors make the test
// fail. A CaseProgram is thread-compatible.
class CaseProgram {
 public:
  // Builds the graph of `b` and runs its initializers. Does not keep `b`.
  explicit CaseProgram(GraphBuilder& b);

  Tensor Fetch(const Output& output, std::vector<Feed> feeds = {});
  void Run(const Operation& target, std::vector<Feed> feeds);
  // Returns the status of a step that fetches `output`.
  absl::Status Error(const Output& output, std::vector<Feed> feeds);

 private:
  std::shared_ptr<Session> session_;
};

// Expects the tensor that the JSON value `want` describes. A relative error of
// 1e-6 (float64: 1e-12) is allowed for rounding. The error of a value below
// `floor` is measured relative to `floor`.
void ExpectTensor(const Tensor& got, const nlohmann::json& want,
                  double floor = 1e-3);

}  // namespace leat::testing

#endif  // LEAT_TESTS_TRAIN_NN_CASES_H_
