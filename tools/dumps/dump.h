// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// MakeDump collects what graph-dump shows of a graph at one stage. DumpToText,
// DumpToJson and DumpToDot then write it.
#ifndef LEAT_TOOLS_DUMPS_DUMP_H_
#define LEAT_TOOLS_DUMPS_DUMP_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "leat/core/dtype.h"
#include "leat/core/partial_shape.h"
#include "leat/graph/graph.h"
#include "leat/partitioner/costs/part_shapes.h"
#include "leat/partitioner/prune.h"
#include "leat/tools/dumps/dump_simulation.h"
#include "leat/tools/dumps/graph_stages.h"

namespace leat {

// Describes a tensor, with the dtype and shape that planning has found.
struct DumpedTensor {
  DType dtype = DType::kInvalid;
  PartialShape shape = {};

  // Returns the size of the tensor, or nothing if the shape is not fully known
  // or the elements are objects such as strings.
  std::optional<int64_t> Bytes() const;
};

// Describes a node as a dump shows it.
struct DumpedNode {
  std::string name = {};
  std::string op = {};
  // Is the assigned device or, if none is assigned, the requested device.
  std::string device = {};
  // Lists inputs such as "x" and "x:1", and then control inputs such as "^x".
  std::vector<std::string> inputs = {};
  // Holds the declared attrs whose values differ from their defaults, as text.
  std::vector<std::pair<std::string, std::string>> attrs = {};
  // Holds the names of the attrs that only repeat other parts of the dump: the
  // types or the number of inputs and outputs, or the shape of the output.
  std::set<std::string> implied_attrs = {};
  std::vector<DumpedTensor> outputs = {};
  // Is the size of the variable that this node makes, or 0 for other nodes.
  int64_t variable_bytes = 0;
};

// Holds sums over several nodes.
struct Totals {
  int64_t num_nodes = 0;
  // `output_bytes` is the size of all outputs of known size, counted as if each
  // node ran once. `unknown_outputs` is the number of the other outputs.
  int64_t output_bytes = 0;
  int64_t unknown_outputs = 0;
  // Holds the bytes of the variables that the nodes make.
  int64_t variable_bytes = 0;

  // Adds a node to the sums. An output whose size would exceed int64 counts as
  // unknown.
  void Add(const DumpedNode& node);
};

// Describes a partition, or the whole graph.
struct DumpedPart {
  // Is the device of the partition, or "" for the whole graph.
  std::string name = {};
  Totals totals = {};
  // Producers come before their consumers.
  std::vector<DumpedNode> nodes = {};
};

// Describes a tensor that crosses devices: a _Send and its _Recv.
struct DumpedTransfer {
  // Is the tensor, such as "x:0". For a control edge, this is the name of the
  // node.
  std::string tensor = {};
  bool is_control = false;
  DumpedTensor value = {};
  // `from` and `to` are the devices. `send_node` and `recv_node` are the names
  // of the _Send and the _Recv.
  std::string from = {};
  std::string to = {};
  std::string send_node = {};
  std::string recv_node = {};
};

// Stands for the memory of the host in a DumpedTransfer.
inline constexpr char kHostMemory[] = "host";

// Returns true if nodes with this op copy a tensor between memory of the host
// and the memory of the GPU that they run on.
bool IsDeviceCopy(absl::string_view op);

// Describes a graph at one stage.
struct Dump {
  // Is the name of the graph's file, which is shown to people.
  std::string model = {};
  Stage stage = Stage::kImported;
  // Holds the feeds, fetches and targets of the step. All three are empty
  // before kPruned, because the earlier stages do not depend on the step.
  StepSignature signature = {};
  // Holds the partitions, or one part that is the whole graph.
  std::vector<DumpedPart> parts = {};
  // Holds the sums over the nodes of each device, sorted by device name.
  std::vector<std::pair<std::string, Totals>> devices = {};
  // Holds the transfers between devices. Is empty unless the graph is
  // partitioned.
  std::vector<DumpedTransfer> transfers = {};
  // Holds the copies between memory of the host and the memory of a GPU, part
  // by part. One end of each is kHostMemory. `send_node` is the node whose
  // tensor is copied, and `recv_node` is the node that copies it. What another
  // device sends to a GPU is a transfer, and then a copy of the same tensor.
  std::vector<DumpedTransfer> copies = {};
  // If shape inference failed, this is its error, and all shapes are unknown.
  // Otherwise it is "".
  std::string shape_problem = {};
  // Is set if the step was simulated.
  std::optional<DumpedSimulation> simulation = {};
};

// Holds what is known of all tensors of a StagedGraph.
struct StageShapes {
  GraphShapes whole = {};
  std::vector<GraphShapes> parts = {};
  // Is the error of shape inference, or "".
  std::string problem = {};
};

// Infers the shapes of `staged`, which was made from `client` with `options`.
// The shapes of fed tensors are taken from `client`.
StageShapes InferStageShapes(const Graph& client, const StagedGraph& staged,
                             const StageOptions& options);

// Returns the dump of `staged`, which was made with `options` and has `shapes`.
// `model` is the name that the dump shows.
Dump MakeDump(const StagedGraph& staged, const StageShapes& shapes,
              const StageOptions& options, std::string model = "");

// Returns the dump of `staged`, which was made from `client` with `options`.
// The shapes of fed tensors are taken from `client`. `model` is the name that
// the dump shows.
Dump MakeDump(const Graph& client, const StagedGraph& staged,
              const StageOptions& options, std::string model = "");

}  // namespace leat

#endif  // LEAT_TOOLS_DUMPS_DUMP_H_
