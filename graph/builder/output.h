// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Output and Operation are the values that a program passes around while it
// builds a graph: handles to what a GraphBuilder has built.
//
//   GraphBuilder b;
//   Output x = b.Placeholder<float>("x", {-1});
//   Output y = 2 * x + 1;                     // nodes "mul" and "add"
//   std::string name = y.operation().name();  // "add"
//   Output z = y.Slice({All(), 0});           // y[:, 0], "strided_slice"
//
// Handles are cheap to copy and do not own anything: the builder must outlive
// them. A handle is invalid if it is default-constructed or returned after an
// error. A program may pass an invalid handle to any function here, because the
// builder keeps the error. Handles are not thread-safe, as GraphBuilder is not.
#ifndef LEAT_GRAPH_BUILDER_OUTPUT_H_
#define LEAT_GRAPH_BUILDER_OUTPUT_H_

#include <initializer_list>
#include <string>

#include "leat/core/source_location.h"
#include "leat/graph/graph.h"

namespace leat {

class GraphBuilder;
class Index;
class Output;

// An Operation is a node of a graph under construction. GraphBuilder and the op
// functions (ops.h) return Operations. A step can run an Operation as a target.
class Operation {
 public:
  Operation() = default;  // invalid
  // Makes a handle to node `id` of builder->graph(). The node need not exist.
  Operation(GraphBuilder* builder, NodeId id) : builder_(builder), id_(id) {}

  // Returns the builder of the graph or of the body that the node is in, or
  // null. An operation that was returned after an error has a builder but no
  // node.
  GraphBuilder* builder() const { return builder_; }
  NodeId id() const { return id_; }
  bool IsValid() const { return builder_ != nullptr && id_ != kNoNode; }

  // name() returns the name of the node, including its name scopes. op()
  // returns the name of its op. These functions and the ones below return "", 0
  // or an invalid Output for an invalid operation.
  std::string name() const;
  std::string op() const;
  int num_inputs() const;
  int num_outputs() const;
  // input(i) returns the output that input i of this node takes. output(i)
  // returns output i of this node. The result is invalid if `i` is out of
  // range.
  Output input(int i) const;
  Output output(int i) const;
  // Returns attr `name`. If the attr is absent or not a T, returns T{} and
  // records an error that names `location`. Callers must include
  // leat/graph/builder/builder.h.
  template <class T>
  T attr(absl::string_view name,
         SourceLocation location = SourceLocation::Current()) const;

  friend bool operator==(const Operation&, const Operation&) = default;

 private:
  GraphBuilder* builder_ = nullptr;
  NodeId id_ = kNoNode;
};

// An Output is one output of a node: the tensor that the node computes in each
// step.
class Output {
 public:
  Output() = default;  // invalid
  // Makes a handle to output `index` of a node. The output need not exist.
  Output(Operation operation, int index)
      : operation_(operation), index_(index) {}

  // operation() returns the operation that computes the tensor. builder()
  // returns the builder of this operation, which is null for a
  // default-constructed Output.
  const Operation& operation() const { return operation_; }
  GraphBuilder* builder() const { return operation_.builder(); }
  // Returns the index of the output among the outputs of its operation.
  int index() const { return index_; }
  bool IsValid() const { return operation_.IsValid(); }
  // Returns the Endpoint by which edges of builder()->graph() refer to the
  // output.
  Endpoint endpoint() const { return {operation_.id(), index_}; }

  // Returns the name of the tensor, such as "scope/MatMul:0", or "" if the
  // Output is invalid.
  std::string name() const;
  // Returns the type of the value, which is never a reference type, or kInvalid
  // if there is no such output.
  DType dtype() const;
  // Returns true if the output is a reference to a variable.
  bool is_ref() const;
  // Returns what inference knows of the shape. The shape is unknown if the
  // Output is invalid.
  PartialShape shape() const;

  // Adds a StridedSlice that takes a part of the tensor, as NumPy's brackets
  // do: x.Slice({All(), -1, Range(0, 3)}) is x[:, -1, 0:3]. index.h describes
  // the items in the braces.
  Output Slice(std::initializer_list<Index> indices,
               SourceLocation location = SourceLocation::Current()) const;

  friend bool operator==(const Output&, const Output&) = default;

 private:
  Operation operation_;
  int index_ = 0;
};

}  // namespace leat

#endif  // LEAT_GRAPH_BUILDER_OUTPUT_H_
