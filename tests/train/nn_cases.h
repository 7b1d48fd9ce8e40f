// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// What the tests share that run the cases of nn/nn_cases.jsonl and
// nn/between_graph_cases.jsonl: initializers and optimizers by the names there,
// and a session to run what was built with them.
#ifndef LEAT_TESTS_TRAIN_NN_CASES_H_
#define LEAT_TESTS_TRAIN_NN_CASES_H_

#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "leat/graph/builder.h"
#include "leat/runtime/session.h"
#include "leat/train/nn/initializers.h"
#include "leat/train/nn/optimizers.h"

namespace leat::testing {

// From the fields of the attrs struct.
using MakeInitializer =
    std::function<nn::Initializer(const nlohmann::json& attrs)>;
std::map<std::string, MakeInitializer> InitializersByName();

using MakeOptimizer =
    std::function<std::unique_ptr<nn::Optimizer>(const nlohmann::json& attrs)>;
std::map<std::string, MakeOptimizer> OptimizersByName();

// The lines of a file beside the cases that are of this kind; fails the test
// when there are none.
std::vector<nlohmann::json> CasesOfKind(const std::string& file,
                                        const std::string& kind);

// A session of what a builder has built, after the initializers. Errors fail
// the test.
class CaseProgram {
 public:
  explicit CaseProgram(GraphBuilder& b);

  Tensor Fetch(const Output& output, std::vector<Feed> feeds = {});
  void Run(const Operation& target, std::vector<Feed> feeds);
  // The error of fetching that.
  absl::Status Error(const Output& output, std::vector<Feed> feeds);

 private:
  std::shared_ptr<Session> session_;
};

// Equal but for roundings (1e-6, doubles 1e-12).
void ExpectTensor(const Tensor& got, const nlohmann::json& want,
                  double floor = 1e-3);

}  // namespace leat::testing

#endif  // LEAT_TESTS_TRAIN_NN_CASES_H_
