// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Reads TensorFlow's graphs with functional control flow, and the steps that
// TensorFlow ran with them. tests/interop/make_control_flow.py writes the
// files.
#ifndef LEAT_TESTS_RUNTIME_FUNCTIONAL_GRAPHS_H_
#define LEAT_TESTS_RUNTIME_FUNCTIONAL_GRAPHS_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "leat/graph/graph.h"
#include "leat/runtime/session.h"

namespace leat {

// Describes a step of a graph. Feeds and fetches are scalars with the given
// values.
struct FunctionalStep {
  std::string text = {};  // the line of the file
  std::vector<std::pair<std::string, float>> feeds = {};
  std::vector<std::pair<std::string, float>> fetches = {};
  std::vector<std::string> targets = {};

  RunArgs Args() const;
};

// Maps the name of each graph to its steps, in order. An error makes the test
// fail.
std::map<std::string, std::vector<FunctionalStep>> FunctionalSteps();

// Returns the path of the file with the graph `name`.
std::string FunctionalGraphPath(const std::string& name);

}  // namespace leat

#endif  // LEAT_TESTS_RUNTIME_FUNCTIONAL_GRAPHS_H_
