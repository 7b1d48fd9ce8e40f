// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/builder/builder.h"

#include <algorithm>
#include <limits>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "leat/core/status_macros.h"
#include "leat/graph/builder/builder_state.h"

namespace leat {
namespace {

// These are the GraphDef versions of TensorFlow 2.15. A GraphBuilder makes
// graphs in the format of this version.
constexpr int kProducer = 1645;
constexpr int kMinConsumer = 12;

SourceLocation LocationOf(const OpArgs& args, SourceLocation caller) {
  if (args.location.line != 0) return args.location;
  for (const OpInput& input : args.inputs) {
    for (const Operand& operand : input.operands()) {
      if (operand.location().line != 0) return operand.location();
    }
  }
  return caller;
}

absl::Status CheckOutput(const Output& output, const ArgDef& arg) {
  if (output.operation().id() == kOfConstants) {
    return absl::InvalidArgumentError(absl::StrCat(
        "input '", arg.name, "' comes from an op function that was given ",
        "constants only and so does not know its GraphBuilder: make one of ",
        "them an Output, by GraphBuilder::Const or AsOutput"));
  }
  if (!output.IsValid() ||
      !output.builder()->graph().Contains(output.operation().id())) {
    return absl::InvalidArgumentError(
        absl::StrCat("input '", arg.name, "' is an output of no node"));
  }
  const int count = output.operation().num_outputs();
  if (output.index() < 0 || output.index() >= count) {
    return absl::InvalidArgumentError(
        absl::StrCat("input '", arg.name, "' is output ", output.index(),
                     " of '", output.operation().name(), "', which has only ",
                     count, count == 1 ? " output" : " outputs"));
  }
  return absl::OkStatus();
}

absl::Status CheckInputs(const OpDef& op, const OpArgs& args) {
  for (size_t i = 0; i < args.inputs.size() && i < op.inputs.size(); ++i) {
    absl::Status status;
    for (const Operand& operand : args.inputs[i].operands()) {
      operand.VisitOutputs([&](const Output& output) {
        if (status.ok()) status = CheckOutput(output, op.inputs[i]);
      });
    }
    LEAT_RETURN_IF_ERROR(status);
  }
  return absl::OkStatus();
}

// Returns true if every input is a constant or comes from an op function that
// got only constants. Returns false if an input is an Output that has no node
// for another reason, for example because it is default-constructed.
bool OnlyOfConstants(const OpArgs& args) {
  bool only_constants = true;
  for (const OpInput& input : args.inputs) {
    for (const Operand& operand : input.operands()) {
      operand.VisitOutputs([&](const Output& output) {
        if (output.operation().id() != kOfConstants) only_constants = false;
      });
    }
  }
  return only_constants;
}

// Returns the nodes that must run before a new node with these inputs because
// of the open control scopes. The new node gets control edges from the returned
// nodes.
std::vector<NodeId> Controls(const BuilderContext& context,
                             absl::Span<const Endpoint> inputs) {
  absl::flat_hash_set<NodeId> known;
  for (Endpoint e : inputs) known.insert(e.node);
  std::vector<NodeId> controls;
  for (const auto& scope : context.controls) {
    const bool follows = std::any_of(
        inputs.begin(), inputs.end(),
        [&](Endpoint e) { return scope->members.contains(e.node); });
    if (follows) continue;
    for (NodeId id : scope->operations) {
      if (known.insert(id).second) controls.push_back(id);
    }
  }
  return controls;
}

// Checks the shapes among `attrs`, because a PartialShape that was made from a
// literal has not been checked.
absl::Status CheckShapes(const AttrMap& attrs) {
  for (const auto& [name, value] : attrs) {
    absl::Span<const PartialShape> shapes;
    if (const auto* shape = std::get_if<PartialShape>(&value)) {
      shapes = {shape, 1};
    } else if (const auto* list =
                   std::get_if<std::vector<PartialShape>>(&value)) {
      shapes = *list;
    }
    for (const PartialShape& shape : shapes) {
      const absl::Status valid = PartialShape::Create(shape.dims()).status();
      if (valid.ok()) continue;
      return Annotate(valid, absl::StrCat("attr '", name, "': "));
    }
  }
  return absl::OkStatus();
}

// Makes a seed of 31 bits, as TensorFlow does.
int64_t TruncateSeed(int64_t seed) {
  constexpr int64_t kModulus = std::numeric_limits<int32_t>::max();
  return ((seed % kModulus) + kModulus) % kModulus;
}

}  // namespace

absl::Status Annotate(const absl::Status& error, absl::string_view prefix) {
  return absl::Status(error.code(), absl::StrCat(prefix, error.message()));
}

GraphBuilder::GraphBuilder(const OpRegistry& ops)
    : GraphBuilder(std::make_shared<State>(ops)) {
  state_->own_tree = std::make_unique<BuilderTree>();
  state_->own_tree->root = this;
  state_->tree = state_->own_tree.get();
}

GraphBuilder::GraphBuilder(std::shared_ptr<State> state)
    : state_(std::move(state)) {
  state_->self = this;
  state_->graph.producer = kProducer;
  state_->graph.min_consumer = kMinConsumer;
}

GraphBuilder::~GraphBuilder() = default;

GraphBuilder& GraphBuilder::Current() const {
  const BuilderTree& tree = *state_->tree;
  return tree.open.empty() ? *tree.root : *tree.open.back();
}

void GraphBuilder::State::Fail(absl::Status error, SourceLocation location) {
  if (!tree->status.ok() || error.ok()) return;
  if (tree->call_site.line != 0) location = tree->call_site;
  tree->status = absl::Status(
      error.code(), location.line == 0
                        ? std::string(error.message())
                        : absl::StrCat(error.message(), " (", location.file,
                                       ":", location.line, ")"));
}

absl::StatusOr<NodeId> GraphBuilder::State::AddNode(
    NodeDef def, absl::Span<const Endpoint> inputs, bool with_controls) {
  const std::string name = def.name;
  LEAT_ASSIGN_OR_RETURN(def.device, DeviceFor(def));
  if (!context.colocation.empty() && !def.attrs.Has("_class")) {
    def.attrs.Set("_class", context.colocation);
  }
  std::vector<NodeId> controls;
  if (with_controls) controls = Controls(context, inputs);
  LEAT_ASSIGN_OR_RETURN(NodeId id, graph.Add(std::move(def), inputs, controls));
  for (const auto& scope : context.controls) {
    if (with_controls) scope->members.insert(id);
  }
  const Node& node = graph.node(id);
  std::vector<const InferredOutput*> known;
  for (Endpoint e : inputs) known.push_back(&inferred[e.node][e.index]);
  auto outputs = InferNode(*node.def->op, name, node.attrs(), std::move(known),
                           node.num_outputs());
  if (!outputs.ok()) {
    graph.Remove(id);
    return outputs.status();
  }
  inferred.resize(graph.num_ids());
  inferred[id] = *std::move(outputs);
  return id;
}

absl::StatusOr<NodeId> GraphBuilder::State::AddConstant(Tensor value,
                                                        std::string name) {
  LEAT_ASSIGN_OR_RETURN(const OpDef* op, graph.ops().Lookup("Const"));
  NodeDef def{.name = UniqueFromRoot(std::move(name)), .op = op};
  def.attrs.Set("dtype", value.dtype());
  def.attrs.Set("value", std::move(value));
  return AddNode(std::move(def), {}, /*with_controls=*/false);
}

absl::StatusOr<NodeId> GraphBuilder::State::AddPack(
    absl::Span<const Endpoint> elements, DType dtype, std::string name) {
  LEAT_ASSIGN_OR_RETURN(const OpDef* op, graph.ops().Lookup("Pack"));
  NodeDef def{.name = UniqueFromRoot(std::move(name)), .op = op};
  def.attrs.Set("N", static_cast<int64_t>(elements.size()));
  def.attrs.Set("T", dtype);
  def.attrs.Set("axis", int64_t{0});
  return AddNode(std::move(def), elements, /*with_controls=*/true);
}

absl::StatusOr<Endpoint> GraphBuilder::State::EndpointOf(
    const Operand& operand, DType dtype, const std::string& name) {
  if (operand.is_output()) {
    LEAT_ASSIGN_OR_RETURN(const Output output, Resolve(operand.output()));
    return output.endpoint();
  }
  NodeId id = kNoNode;
  if (!operand.list().empty()) {
    std::vector<Endpoint> elements;
    for (const Operand& element : operand.list()) {
      const std::string element_name = absl::StrCat(name, "/", elements.size());
      LEAT_ASSIGN_OR_RETURN(const Endpoint endpoint,
                            EndpointOf(element, dtype, element_name));
      elements.push_back(endpoint);
    }
    LEAT_ASSIGN_OR_RETURN(id, AddPack(elements, dtype, name));
  } else if (operand.tensor().has_value()) {
    LEAT_ASSIGN_OR_RETURN(id, AddConstant(*operand.tensor(), name));
  } else {
    LEAT_ASSIGN_OR_RETURN(Tensor value,
                          ConvertNumbers(*operand.number(), dtype));
    LEAT_ASSIGN_OR_RETURN(id, AddConstant(std::move(value), name));
  }
  return Endpoint{id, 0};
}

absl::StatusOr<std::vector<Endpoint>> GraphBuilder::State::Endpoints(
    const OpDef& op, const OpArgs& args, absl::string_view node_name,
    const std::vector<std::vector<DType>>& dtypes) {
  std::vector<Endpoint> endpoints;
  for (size_t i = 0; i < args.inputs.size(); ++i) {
    const std::string& arg = op.inputs[i].name;
    absl::Span<const Operand> operands = args.inputs[i].operands();
    for (size_t k = 0; k < operands.size(); ++k) {
      const std::string suffix =
          args.inputs[i].is_list() ? absl::StrCat("_", k) : "";
      absl::StatusOr<Endpoint> endpoint = EndpointOf(
          operands[k], dtypes[i][k], absl::StrCat(node_name, "/", arg, suffix));
      if (!endpoint.ok()) {
        return Annotate(endpoint.status(),
                        absl::StrCat("input '", arg,
                                     operands[k].is_output() ? "' " : "': "));
      }
      endpoints.push_back(*endpoint);
    }
  }
  return endpoints;
}

Operation GraphBuilder::AddOp(OpArgs args, SourceLocation caller) {
  if (&Current() != this) return Current().AddOp(std::move(args), caller);
  const Operation invalid(this, kNoNode);
  if (!status().ok()) return invalid;
  const SourceLocation location = LocationOf(args, caller);
  const std::string name = state_->UniqueName(
      args.name.empty() ? args.op : absl::string_view(args.name));
  const std::string node = absl::StrCat("node '", name, "' (", args.op, ")");
  const std::string prefix = absl::StrCat(
      node,
      state_->body ? absl::StrCat(" of '", state_->body->function, "'") : "",
      ": ");
  const auto fail = [&](const absl::Status& error) {
    absl::string_view what = error.message();  // may begin with the node's name
    if (absl::ConsumePrefix(&what, node)) absl::ConsumePrefix(&what, ": ");
    Fail(absl::Status(error.code(), absl::StrCat(prefix, what)), location);
    return invalid;
  };
  absl::StatusOr<const OpDef*> op = graph().ops().Lookup(args.op);
  if (!op.ok()) return fail(op.status());
  if (auto s = CheckShapes(args.attrs); !s.ok()) return fail(s);
  if (auto s = CheckInputs(**op, args); !s.ok()) return fail(s);
  std::vector<std::vector<DType>> dtypes;
  if (auto s = ResolveAttrs(**op, args, dtypes); !s.ok()) return fail(s);

  auto inputs = state_->Endpoints(**op, args, name, dtypes);
  if (!inputs.ok()) return fail(inputs.status());
  NodeDef def{.name = name, .op = *op, .attrs = std::move(args.attrs)};
  auto id = state_->AddNode(std::move(def), *inputs, /*with_controls=*/true);
  if (!id.ok()) return fail(id.status());
  return Operation(this, *id);
}

Operation AddOp(OpArgs args, SourceLocation caller) {
  for (const OpInput& input : args.inputs) {
    for (const Operand& operand : input.operands()) {
      if (GraphBuilder* builder = operand.builder()) {
        return builder->AddOp(std::move(args), caller);
      }
    }
  }
  // No input has a builder, so this function cannot report an error. If all
  // inputs are constants, it returns the id kOfConstants instead. Another op
  // function may get an output of this Operation as input. That function
  // reports the error if it has a builder. Otherwise it returns kOfConstants,
  // too.
  return Operation(nullptr, OnlyOfConstants(args) ? kOfConstants : kNoNode);
}

Output GraphBuilder::Placeholder(DType dtype, absl::string_view name,
                                 const PartialShape& shape,
                                 SourceLocation location) {
  if (const auto& body = Current().state_->body) {
    Fail(absl::InvalidArgumentError(
             absl::StrCat("placeholder '", name, "' is asked for in '",
                          body->function, "', where nothing can feed it")),
         location);
    return Output(Operation(this, kNoNode), 0);
  }
  return AddOp({.op = "Placeholder",
                .attrs = {{"dtype", dtype}, {"shape", shape}},
                .name = std::string(name),
                .location = location})
      .output(0);
}

Output GraphBuilder::Const(Tensor value, absl::string_view name,
                           SourceLocation location) {
  const DType dtype = value.dtype();
  return AddOp({.op = "Const",
                .attrs = {{"dtype", dtype}, {"value", std::move(value)}},
                .name = std::string(name),
                .location = location})
      .output(0);
}

Output GraphBuilder::AsOutput(const Operand& operand, DType dtype,
                              absl::string_view name, SourceLocation location) {
  if (operand.is_output()) return operand.output();
  if (operand.tensor().has_value()) {
    return Const(*operand.tensor(), name, location);
  }
  if (!operand.list().empty()) {
    const absl::Span<const Operand> list = operand.list();
    return AddOp({.op = "Pack",
                  .inputs = {OperandList(
                      std::vector<Operand>(list.begin(), list.end()))},
                  .attrs = {{"T", dtype}},
                  .name = std::string(name),
                  .location = location})
        .output(0);
  }
  absl::StatusOr<Tensor> value = ConvertNumbers(*operand.number(), dtype);
  if (value.ok()) return Const(*std::move(value), name, location);
  Fail(Annotate(value.status(),
                absl::StrCat("constant '", name_prefix(), name, "': ")),
       location);
  return Output(Operation(this, kNoNode), 0);
}

Output GraphBuilder::AsOutput(const Operand& operand, absl::string_view name,
                              SourceLocation location) {
  DType dtype = DType::kInvalid;  // not used if `operand` has no numbers
  if (operand.number().has_value()) dtype = DefaultDType(*operand.number());
  operand.VisitOutputs([&](const Output& output) { dtype = output.dtype(); });
  return AsOutput(operand, dtype, name, location);
}

Output GraphBuilder::ConstOf(const Operand& list, std::optional<DType> dtype,
                             absl::string_view name, SourceLocation location) {
  const auto fail = [&](absl::string_view what) {
    Fail(absl::InvalidArgumentError(
             absl::StrCat("constant '", name_prefix(), name, "': ", what)),
         location);
    return Output(Operation(this, kNoNode), 0);
  };
  if (!list.list().empty()) {
    return fail("its list is no tensor of numbers or of strings");
  }
  if (list.number().has_value()) {
    return AsOutput(list, dtype.value_or(DefaultDType(*list.number())), name,
                    location);
  }
  if (dtype.value_or(DType::kString) != DType::kString) {
    return fail(
        absl::StrCat("cannot make one of type ", Name(*dtype), " of strings"));
  }
  return AsOutput(list, DType::kString, name, location);
}

const std::string& GraphBuilder::name_prefix() const {
  return Current().state_->context.name_prefix;
}

Operation GraphBuilder::Group(absl::Span<const Operation> after,
                              absl::string_view name, SourceLocation location) {
  if (!status().ok()) return Operation(this, kNoNode);
  Scope scope = ControlDependencies(after, location);
  return AddOp({.op = "NoOp", .name = std::string(name), .location = location});
}

// An operation in a body runs whenever the body runs. So the node that calls
// the body becomes an update instead of the operation. Body::has_updates
// records this.
void GraphBuilder::AddUpdate(Operation operation, SourceLocation location) {
  State& current = *Current().state_;
  absl::StatusOr<std::vector<NodeId>> ids = current.Ids({&operation, 1});
  if (!ids.ok()) return Fail(Annotate(ids.status(), "AddUpdate: "), location);
  if (current.body != nullptr) {
    current.body->has_updates = true;
  } else {
    current.updates.push_back(operation);
  }
}

const std::vector<Operation>& GraphBuilder::updates() const {
  return state_->tree->root->state_->updates;
}

void GraphBuilder::SetSeed(int64_t seed) { state_->tree->seed = seed; }

std::pair<int64_t, int64_t> GraphBuilder::OpSeeds(
    std::optional<int64_t> op_seed) {
  constexpr int64_t kDefaultGraphSeed = 87654321;
  const BuilderTree& tree = *state_->tree;
  if (!tree.seed.has_value() && !op_seed.has_value()) return {0, 0};
  // The number of nodes becomes the op seed. Nodes of bodies count too, so that
  // random ops in different bodies get different seeds.
  int64_t nodes = tree.root->graph().num_ids();
  for (const auto& body : tree.bodies) nodes += body->graph().num_ids();
  const int64_t first = tree.seed.value_or(kDefaultGraphSeed);
  const int64_t second = op_seed.value_or(nodes);
  std::pair<int64_t, int64_t> seeds = {TruncateSeed(first),
                                       TruncateSeed(second)};
  // (0, 0) would mean that the op is not deterministic.
  if (seeds.first == 0 && seeds.second == 0) {
    seeds.second = std::numeric_limits<int32_t>::max();
  }
  return seeds;
}

void GraphBuilder::Fail(absl::Status status, SourceLocation location) {
  state_->Fail(std::move(status), location);
}

void GraphBuilder::FailAt(const Node& node, const absl::Status& status,
                          SourceLocation location) {
  Fail(Annotate(status,
                absl::StrCat("node '", node.name(), "' (", node.op(), "): ")),
       location);
}

const absl::Status& GraphBuilder::status() const {
  return state_->tree->status;
}

const Graph& GraphBuilder::graph() const { return state_->graph; }

const InferredOutput* GraphBuilder::inferred(Endpoint endpoint) const {
  if (endpoint.node < 0 ||
      endpoint.node >= static_cast<int>(state_->inferred.size())) {
    return nullptr;
  }
  const auto& outputs = state_->inferred[endpoint.node];
  if (endpoint.index < 0 ||
      endpoint.index >= static_cast<int>(outputs.size())) {
    return nullptr;
  }
  return &outputs[endpoint.index];
}

}  // namespace leat
