// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/partitioner/prune.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/graph/analysis/consumers.h"
#include "leat/graph/analysis/control_flow_ops.h"
#include "leat/graph/analysis/frames.h"
#include "leat/graph/analysis/infer_shapes.h"
#include "leat/graph/functions/reachable_functions.h"
#include "leat/graph/op_registry.h"

namespace leat {
namespace {

// Returns the name of an _Arg or _Retval, such as "_arg_x_0" for "x:0".
// TensorFlow uses the same names.
std::string BoundaryName(absl::string_view prefix, const Node& node,
                         int index) {
  return absl::StrCat(prefix, "_", node.name(), "_", index);
}

// Implements PruneToStep.
class Pruner {
 public:
  Pruner(const Graph& graph, const StepSignature& signature)
      : graph_(graph),
        signature_(signature),
        result_{.graph = Graph(graph.ops())} {}

  absl::StatusOr<PrunedStep> Prune() {
    LEAT_RETURN_IF_ERROR(ResolveFeeds());
    LEAT_RETURN_IF_ERROR(ResolveConnections());
    FindFeedShapes();
    LEAT_RETURN_IF_ERROR(ResolveFetches());
    LEAT_RETURN_IF_ERROR(ResolveTargets());
    if (fetches_.empty() && targets_.empty()) {
      return absl::InvalidArgumentError(
          "Must specify at least one target to fetch or execute.");
    }
    MarkNeeded();
    LEAT_RETURN_IF_ERROR(CopyNeeded());
    LEAT_RETURN_IF_ERROR(AddReturns());
    LEAT_RETURN_IF_ERROR(CheckLoops());
    if (!connections_.empty()) {
      // A connection may make a tensor depend on itself. The result then has a
      // cycle.
      LEAT_RETURN_IF_ERROR(TopologicalOrder(result_.graph).status());
    }
    for (const NodeId target : targets_) {
      const NodeId source = ControlSource(target);
      if (needed_[source]) result_.targets.push_back(copies_[source]);
    }
    return std::move(result_);
  }

 private:
  // Returns the tensor that is fed as `name`.
  absl::StatusOr<Endpoint> ResolveFeed(const std::string& name) const {
    LEAT_ASSIGN_OR_RETURN(const TensorId id, TensorId::Parse(name));
    const NodeId node = graph_.Find(id.node);
    if (node == kNoNode || id.index < 0) {
      return absl::NotFoundError(
          absl::StrCat("FeedInputs: unable to find feed output ", name));
    }
    const int num_outputs = graph_.node(node).num_outputs();
    if (id.index < num_outputs) return Endpoint{node, id.index};
    return absl::InvalidArgumentError(absl::StrCat(
        "FeedInputs: ", name, " should have output index < ", num_outputs));
  }

  // Returns the tensor that is fetched as `name`.
  absl::StatusOr<Endpoint> ResolveFetch(const std::string& name) const {
    LEAT_ASSIGN_OR_RETURN(const TensorId id, TensorId::Parse(name));
    const NodeId node = graph_.Find(id.node);
    if (node == kNoNode || id.index < 0) {
      return absl::NotFoundError(
          absl::StrCat("FetchOutputs node ", name, ": not found"));
    }
    const int num_outputs = graph_.node(node).num_outputs();
    if (id.index < num_outputs) return Endpoint{node, id.index};
    return absl::InvalidArgumentError(
        num_outputs == 0
            ? absl::StrCat("Tried to fetch data for '", name,
                           "', which produces no output.  To run to a node but "
                           "not fetch any data, pass '",
                           name,
                           "' as an argument to the 'target_node_names' "
                           "argument of the Session::Run API.")
            : absl::StrCat("FetchOutputs ", name,
                           ": output index too large, must be < ",
                           num_outputs));
  }

  absl::Status ResolveFeeds() {
    for (const std::string& name : signature_.feeds) {
      LEAT_ASSIGN_OR_RETURN(const Endpoint endpoint, ResolveFeed(name));
      const int position = static_cast<int>(result_.feed_types.size());
      if (!feeds_.emplace(endpoint, position).second) {
        return FedTwice(name);
      }
      result_.feed_types.push_back(
          BaseOf(graph_.node(endpoint.node).output_type(endpoint.index)));
    }
    return absl::OkStatus();
  }

  // Returns the tensor `from` of a connection. The errors are those of
  // TensorFlow, which name `to`.
  absl::StatusOr<Endpoint> ResolveFrom(
      const TensorConnection& connection) const {
    LEAT_ASSIGN_OR_RETURN(const TensorId id, TensorId::Parse(connection.from));
    const NodeId node = graph_.Find(id.node);
    if (node == kNoNode) {
      return absl::InvalidArgumentError(
          absl::StrCat("Requested tensor connection from unknown node: \"",
                       connection.to, "\"."));
    }
    const int num_outputs = graph_.node(node).num_outputs();
    if (id.index < 0 || id.index >= num_outputs) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Requested tensor connection from unknown edge: \"", connection.to,
          "\" (actual number of outputs = ", num_outputs, ")."));
    }
    return Endpoint{node, id.index};
  }

  absl::Status ResolveConnections() {
    for (const TensorConnection& connection : signature_.connections) {
      LEAT_ASSIGN_OR_RETURN(const Endpoint from, ResolveFrom(connection));
      LEAT_ASSIGN_OR_RETURN(const Endpoint to, ResolveFeed(connection.to));
      if (feeds_.contains(to) || !connections_.emplace(to, from).second) {
        return FedTwice(connection.to);
      }
      const DType given =
          BaseOf(graph_.node(from.node).output_type(from.index));
      const DType taken = BaseOf(graph_.node(to.node).output_type(to.index));
      if (given != taken) {
        return absl::InvalidArgumentError(
            absl::StrCat("Requested tensor connection from \"", connection.from,
                         "\", which is ", Name(given), ", to \"", connection.to,
                         "\", which is ", Name(taken)));
      }
    }
    return FollowConnections();
  }

  // Makes each connection lead to the tensor at the start of its chain of
  // connections. Follows each connection once.
  absl::Status FollowConnections() {
    absl::flat_hash_map<Endpoint, Endpoint> sources;
    for (const auto& [to, from] : connections_) {
      std::vector<Endpoint> chain;
      absl::flat_hash_set<Endpoint> seen;
      Endpoint at = to;
      while (!sources.contains(at) && connections_.contains(at)) {
        if (!seen.insert(at).second) {
          return absl::InvalidArgumentError(absl::StrCat(
              "the tensor connections lead in a circle from output ", to.index,
              " of '", graph_.node(to.node).name(), "'"));
        }
        chain.push_back(at);
        at = connections_.at(at);
      }
      const auto known = sources.find(at);
      const Endpoint source = known == sources.end() ? at : known->second;
      for (const Endpoint& link : chain) sources[link] = source;
    }
    connections_ = std::move(sources);
    return absl::OkStatus();
  }

  static absl::Status FedTwice(absl::string_view name) {
    return absl::InvalidArgumentError(
        absl::StrCat("Endpoint \"", name, "\" fed more than once."));
  }

  // Returns the tensor that the step takes instead of `tensor`, or `tensor`
  // itself if no connection replaces it.
  Endpoint SourceOf(Endpoint tensor) const {
    const auto found = connections_.find(tensor);
    return found == connections_.end() ? tensor : found->second;
  }

  // Finds the static shapes of the feeds. Shape inference may fail because of
  // other nodes, so its error is not reported, and the shape stays unknown.
  void FindFeedShapes() {
    result_.feed_shapes.resize(feeds_.size());
    std::vector<std::pair<Endpoint, int>> computed;
    for (const auto& [endpoint, position] : feeds_) {
      if (!IsPlaceholder(endpoint.node)) {
        computed.push_back({endpoint, position});
        continue;
      }
      result_.feed_shapes[position] = DeclaredShape(graph_.node(endpoint.node));
    }
    if (computed.empty() || HasLegacyPlaceholders()) return;
    const auto inferred = InferShapes(graph_);
    if (!inferred.ok()) return;
    for (const auto& [endpoint, position] : computed) {
      result_.feed_shapes[position] =
          (*inferred)[endpoint.node][endpoint.index].shape;
    }
  }

  // Returns true for graphs of TensorFlow before 1.0, in which the shape [] of
  // a placeholder means an unknown shape.
  bool HasLegacyPlaceholders() const { return graph_.producer <= 21; }

  PartialShape DeclaredShape(const Node& placeholder) const {
    const auto shape = placeholder.attrs().Get<PartialShape>("shape");
    if (!shape.ok() || (HasLegacyPlaceholders() && shape->rank() == 0)) {
      return {};
    }
    return *shape;
  }

  absl::Status ResolveFetches() {
    for (const std::string& name : signature_.fetches) {
      LEAT_ASSIGN_OR_RETURN(const Endpoint endpoint, ResolveFetch(name));
      if (feeds_.contains(endpoint) || connections_.contains(endpoint)) {
        return absl::InvalidArgumentError(
            absl::StrCat(name, " is both fed and fetched."));
      }
      fetches_.push_back(endpoint);
    }
    return absl::OkStatus();
  }

  absl::Status ResolveTargets() {
    std::string missing;
    for (const std::string& name : signature_.targets) {
      LEAT_ASSIGN_OR_RETURN(const TensorId id, TensorId::Parse(name));
      const NodeId node = graph_.Find(id.node);
      if (node == kNoNode) {
        absl::StrAppend(&missing, name, " ");
      } else {
        targets_.push_back(node);
      }
    }
    if (missing.empty()) return absl::OkStatus();
    return absl::NotFoundError(absl::StrCat(
        "PruneForTargets: Some target nodes not found: ", missing));
  }

  bool IsPlaceholder(NodeId id) const {
    const std::string& op = graph_.node(id).op();
    return op == "Placeholder" || op == "PlaceholderV2" ||
           op == "PlaceholderWithDefault";
  }

  // Returns the node that the step takes instead of node `id` as the source of
  // a control edge. For a connected placeholder, this is the node from which
  // the connection leads. For any other node, it is the node itself.
  NodeId ControlSource(NodeId id) const {
    return IsPlaceholder(id) ? SourceOf({id, 0}).node : id;
  }

  // Returns true for a placeholder that is fed. The _Arg of the fed tensor also
  // replaces the placeholder as the source of control edges.
  bool IsFedPlaceholder(NodeId id) const {
    return IsPlaceholder(id) && feeds_.contains(Endpoint{id, 0});
  }

  // Marks the nodes from which fetches and targets are computed.
  void MarkNeeded() {
    needed_.assign(graph_.num_ids(), false);
    std::vector<NodeId> stack;
    const auto need = [&](NodeId id) {
      if (needed_[id]) return;
      needed_[id] = true;
      needed_ids_.push_back(id);
      stack.push_back(id);
    };
    for (const Endpoint& fetch : fetches_) need(fetch.node);
    for (NodeId target : targets_) {
      if (!IsFedPlaceholder(ControlSource(target))) need(ControlSource(target));
    }
    while (!stack.empty()) {
      const Node& node = graph_.node(stack.back());
      stack.pop_back();
      for (const Endpoint& input : node.inputs) {
        const Endpoint source = SourceOf(input);
        if (!feeds_.contains(source)) need(source.node);
      }
      for (const NodeId control : node.controls) {
        const NodeId source = ControlSource(control);
        if (!IsFedPlaceholder(source)) need(source);
      }
    }
    std::sort(needed_ids_.begin(), needed_ids_.end());
  }

  absl::Status CopyNeeded() {
    Graph& out = result_.graph;
    out.producer = graph_.producer;
    out.min_consumer = graph_.min_consumer;
    for (const std::string& device : graph_.devices()) out.InternDevice(device);
    copies_.assign(graph_.num_ids(), kNoNode);
    for (const NodeId id : needed_ids_) {
      copies_[id] = out.AddUnchecked(graph_.node(id));
    }
    // _Arg nodes are added while edges are rewired, so they come after all
    // copies.
    for (const NodeId id : needed_ids_) LEAT_RETURN_IF_ERROR(RewireCopy(id));
    out.functions() = ReachableFunctions(out, graph_.functions());
    return absl::OkStatus();
  }

  absl::Status RewireCopy(NodeId id) {
    const Node& original = graph_.node(id);
    for (int i = 0; i < original.num_inputs(); ++i) {
      const Endpoint& input = original.inputs[i];
      const Endpoint source = SourceOf(input);
      const auto fed = feeds_.find(source);
      const bool is_replaced = source != input || fed != feeds_.end();
      if (is_replaced && IsRef(original.def->input_types[i])) {
        return absl::InvalidArgumentError(
            absl::StrCat("Tensor ", graph_.node(input.node).name(), ":",
                         input.index, " cannot be fed: node '", original.name(),
                         "' takes it as a reference"));
      }
      Endpoint mapped{copies_[source.node], source.index};
      if (fed != feeds_.end()) {
        LEAT_ASSIGN_OR_RETURN(mapped.node, Argument(source, fed->second));
        mapped.index = 0;
      }
      result_.graph.mutable_node(copies_[id]).inputs[i] = mapped;
    }
    absl::InlinedVector<NodeId, 1> controls;
    for (const NodeId control : original.controls) {
      const NodeId source = ControlSource(control);
      if (!IsFedPlaceholder(source)) {
        controls.push_back(copies_[source]);
        continue;
      }
      const Endpoint fed{source, 0};
      LEAT_ASSIGN_OR_RETURN(const NodeId argument,
                            Argument(fed, feeds_.at(fed)));
      controls.push_back(argument);
    }
    if (!connections_.empty()) {
      // Two controls may have the same source now.
      std::sort(controls.begin(), controls.end());
      controls.erase(std::unique(controls.begin(), controls.end()),
                     controls.end());
    }
    result_.graph.mutable_node(copies_[id]).controls = std::move(controls);
    return absl::OkStatus();
  }

  // Returns the _Arg node of a fed tensor. Adds it when it is first needed, on
  // the device of the node that would otherwise compute the tensor.
  absl::StatusOr<NodeId> Argument(const Endpoint& fed, int position) {
    if (auto found = arguments_.find(position); found != arguments_.end()) {
      return found->second;
    }
    const Node& node = graph_.node(fed.node);
    LEAT_ASSIGN_OR_RETURN(
        const NodeId id,
        AddBoundary("_Arg", BoundaryName("_arg", node, fed.index),
                    result_.feed_types[position], position, node.device));
    arguments_.emplace(position, id);
    return id;
  }

  // Adds the _Retval nodes of the fetches.
  absl::Status AddReturns() {
    for (size_t i = 0; i < fetches_.size(); ++i) {
      const Endpoint& fetch = fetches_[i];
      const Node& node = graph_.node(fetch.node);
      LEAT_ASSIGN_OR_RETURN(
          const NodeId id,
          AddBoundary(
              "_Retval",
              absl::StrCat(BoundaryName("_retval", node, fetch.index), "_", i),
              BaseOf(node.output_type(fetch.index)), static_cast<int>(i),
              node.device));
      result_.graph.mutable_node(id).inputs.push_back(
          {copies_[fetch.node], fetch.index});
    }
    return absl::OkStatus();
  }

  // Returns INVALID_ARGUMENT if a feed or fetch is inside of a loop: a tensor
  // there has a value per iteration, but a feed or fetch has one value. If
  // feeds replace everything that enters a loop, the pruned graph does not have
  // the loop any more, and the feeds are allowed.
  absl::Status CheckLoops() const {
    const Graph& pruned = result_.graph;
    bool has_loops = false;
    for (const NodeId id : needed_ids_) {
      const Node& node = graph_.node(id);
      has_loops |= IsEnter(node) || IsNextIteration(node);
    }
    if (!has_loops) return absl::OkStatus();
    const absl::StatusOr<Frames> frames = FindFrames(pruned);
    if (!frames.ok()) return ExplainLoopError(frames.status());
    return CheckFetches(*frames, /*are_copies=*/true);
  }

  // Returns INVALID_ARGUMENT if a fetch is inside of a loop. `frames` are the
  // frames of the pruned graph if `are_copies`, and otherwise of the whole
  // graph.
  absl::Status CheckFetches(const Frames& frames, bool are_copies) const {
    for (size_t i = 0; i < fetches_.size(); ++i) {
      const NodeId node = fetches_[i].node;
      const int32_t frame =
          frames.of_outputs[are_copies ? copies_[node] : node];
      if (frame == Frames::kRoot) continue;
      return absl::InvalidArgumentError(absl::StrCat(
          "Tensor ", signature_.fetches[i], " is inside of loop '",
          frames.frames[frame].name,
          "' and cannot be fetched: it has one value an iteration"));
    }
    return absl::OkStatus();
  }

  // Returns the error for a pruned graph whose loops are malformed. `problem`
  // says what is malformed. The whole graph was well-formed, so a feed or fetch
  // inside of a loop is the cause.
  absl::Status ExplainLoopError(const absl::Status& problem) const {
    LEAT_ASSIGN_OR_RETURN(const Frames frames, FindFrames(graph_));
    int first = static_cast<int>(signature_.feeds.size());
    int32_t frame = Frames::kRoot;
    for (const auto& [fed, position] : feeds_) {
      const int32_t inside = frames.of_outputs[fed.node];
      if (inside == Frames::kRoot || position > first) continue;
      first = position;
      frame = inside;
    }
    if (frame == Frames::kRoot) {
      LEAT_RETURN_IF_ERROR(CheckFetches(frames, /*are_copies=*/false));
      return problem;
    }
    return absl::InvalidArgumentError(absl::StrCat(
        "Tensor ", signature_.feeds[first], " is inside of loop '",
        frames.frames[frame].name, "' and cannot be fed: ", problem.message()));
  }

  // Adds an _Arg or _Retval node to the result.
  absl::StatusOr<NodeId> AddBoundary(absl::string_view op, std::string name,
                                     DType dtype, int index, int device) {
    NodeDef def{.name = std::move(name)};
    LEAT_ASSIGN_OR_RETURN(def.op, graph_.ops().Lookup(op));
    def.attrs.Set("T", dtype);
    def.attrs.Set("index", static_cast<int64_t>(index));
    LEAT_ASSIGN_OR_RETURN(def.input_types, InputTypes(*def.op, def.attrs));
    LEAT_ASSIGN_OR_RETURN(def.output_types, OutputTypes(*def.op, def.attrs));
    Node node{.def = std::make_shared<const NodeDef>(std::move(def))};
    node.device = device;
    return result_.graph.AddUnchecked(std::move(node));
  }

  const Graph& graph_;
  const StepSignature& signature_;
  PrunedStep result_;
  absl::flat_hash_map<Endpoint, int> feeds_;  // positions in the signature
  absl::flat_hash_map<Endpoint, Endpoint> connections_;  // `to` -> `from`
  std::vector<Endpoint> fetches_;
  std::vector<NodeId> targets_;
  std::vector<bool> needed_;        // by id in graph_
  std::vector<NodeId> needed_ids_;  // in ascending order
  std::vector<NodeId> copies_;      // id in graph_ -> id in the result
  absl::flat_hash_map<int, NodeId> arguments_;  // _Args, by feed position
};

}  // namespace

absl::StatusOr<PrunedStep> PruneToStep(const Graph& graph,
                                       const StepSignature& signature) {
  return Pruner(graph, signature).Prune();
}

}  // namespace leat
