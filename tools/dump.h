// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Dump: what graph-dump shows of a graph at one stage, before it is written as
// text, JSON or DOT.
#ifndef LEAT_TOOLS_DUMP_H_
#define LEAT_TOOLS_DUMP_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "leat/core/dtype.h"
#include "leat/core/partial_shape.h"
#include "leat/graph/graph.h"
#include "leat/partitioner/prune.h"
#include "leat/tools/graph_stages.h"

namespace leat {

struct DumpedTensor {
  DType dtype = DType::kInvalid;
  PartialShape shape = {};

  // Nothing when the shape is not fully known, or elements are objects.
  std::optional<int64_t> Bytes() const;
};

struct DumpedNode {
  std::string name = {};
  std::string op = {};
  // Assigned, else requested.
  std::string device = {};
  // "x", "x:1", then controls "^x".
  std::vector<std::string> inputs = {};
  // As text; those with their default and undeclared ones are left out.
  std::vector<std::pair<std::string, std::string>> attrs = {};
  // Names of those attrs that only say the types and the number of inputs and
  // outputs, or the shape of the output.
  std::set<std::string> implied_attrs = {};
  std::vector<DumpedTensor> outputs = {};
  // Of the variable that this node makes, 0 for other nodes.
  int64_t variable_bytes = 0;
};

// Sums over nodes.
struct Totals {
  int64_t num_nodes = 0;
  int64_t output_bytes = 0;     // of what one run of each node makes
  int64_t unknown_outputs = 0;  // those that output_bytes lacks
  int64_t variable_bytes = 0;

  void Add(const DumpedNode& node);
};

struct DumpedPart {
  std::string name = {};  // the device; "" when the graph is whole
  Totals totals = {};
  std::vector<DumpedNode> nodes = {};  // producers first
};

// One _Send and its _Recv.
struct Transfer {
  std::string tensor = {};  // "x:0"; the node for a control edge
  bool is_control = false;
  DumpedTensor value = {};
  std::string from = {};  // devices
  std::string to = {};
  std::string send_node = {};
  std::string recv_node = {};
};

struct Dump {
  std::string model = {};
  Stage stage = Stage::kImported;
  StepSignature signature = {};  // empty before kPruned
  std::vector<DumpedPart> parts = {};
  std::vector<std::pair<std::string, Totals>> devices = {};  // by name
  std::vector<Transfer> transfers = {};
  std::string shape_problem = {};  // why no shapes are known; "" when they are
};

// `client` is the graph from which `staged` was made with `options`: the shapes
// of fed tensors are taken from it.
Dump MakeDump(const Graph& client, const StagedGraph& staged,
              const StageOptions& options, std::string model = "");

}  // namespace leat

#endif  // LEAT_TOOLS_DUMP_H_
