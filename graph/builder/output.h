// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Output, Operation and Operand are the values that a program passes around
// while it builds a graph: handles to what a GraphBuilder has built.
//
//   GraphBuilder b;
//   Output x = b.Placeholder<float>("x", {-1});
//   Output y = 2 * x + 1;                     // nodes "mul" and "add"
//   std::string name = y.operation().name();  // "add"
//
// Handles are cheap to copy and do not own anything: the builder must outlive
// them. An invalid handle, which is default-constructed or comes after an
// error, may be passed to anything: the error stays with the builder. Not
// thread-safe, as GraphBuilder is not.
#ifndef LEAT_GRAPH_BUILDER_OUTPUT_H_
#define LEAT_GRAPH_BUILDER_OUTPUT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

#include "leat/core/source_location.h"
#include "leat/core/tensor.h"
#include "leat/graph/graph.h"

namespace leat {

class GraphBuilder;
class Output;

// A node of a graph under construction. The functions of GraphBuilder and the
// op functions (ops.h) return it; a step can run it as a target.
class Operation {
 public:
  Operation() = default;  // invalid
  // Makes a handle to node `id` of builder->graph(), which need not exist.
  Operation(GraphBuilder* builder, NodeId id) : builder_(builder), id_(id) {}

  // Returns the builder of the graph or of the body that the node is in, or
  // null. An operation that comes after an error has a builder but no node.
  GraphBuilder* builder() const { return builder_; }
  NodeId id() const { return id_; }
  bool IsValid() const { return builder_ != nullptr && id_ != kNoNode; }

  // Return the name of the node, with its scopes, and the name of its op. These
  // functions and the ones below return "", 0 or an invalid Output for an
  // invalid operation.
  std::string name() const;
  std::string op() const;
  int num_inputs() const;
  int num_outputs() const;
  // Returns the output that input i takes, or output i of this node. It is
  // invalid if `i` is out of range.
  Output input(int i) const;
  Output output(int i) const;
  // Returns attr `name`. If it is absent or not a T, the builder fails, naming
  // `location`, and T{} is returned. Include leat/graph/builder/builder.h to
  // use it.
  template <class T>
  T attr(absl::string_view name,
         SourceLocation location = SourceLocation::Current()) const;

  friend bool operator==(const Operation&, const Operation&) = default;

 private:
  GraphBuilder* builder_ = nullptr;
  NodeId id_ = kNoNode;
};

// One output of a node: the tensor that it computes in each step.
class Output {
 public:
  Output() = default;  // invalid
  // Makes a handle to output `index` of a node, which need not exist.
  Output(Operation operation, int index)
      : operation_(operation), index_(index) {}

  // Returns the operation that computes the tensor, and its builder, which is
  // null for a default-constructed Output.
  const Operation& operation() const { return operation_; }
  GraphBuilder* builder() const { return operation_.builder(); }
  // Returns the number of the output among those of its operation.
  int index() const { return index_; }
  bool IsValid() const { return operation_.IsValid(); }
  // Returns the output as the edges of builder()->graph() refer to it.
  Endpoint endpoint() const { return {operation_.id(), index_}; }

  // Returns the name of the tensor, "scope/MatMul:0", or "" if it is invalid.
  std::string name() const;
  // Returns the type of the value, which is never a reference type, or kInvalid
  // if there is no such output.
  DType dtype() const;
  // True if the output is a reference to a variable.
  bool is_ref() const;
  // Returns what shape inference knows of the shape; nothing if it is invalid.
  PartialShape shape() const;

  friend bool operator==(const Output&, const Output&) = default;

 private:
  Operation operation_;
  int index_ = 0;
};

// An argument of an op function: an Output, a tensor or a number. A tensor
// becomes a Const of its own dtype. A number becomes a Const of the dtype that
// the op's other arguments or attrs decide; if nothing decides, an integer
// becomes an int32, a floating-point number a float and a bool a bool.
//
// Each constructor takes the place in the program from which it is called, for
// errors.
class Operand {
 public:
  Operand(Output output,  // NOLINT: the conversion is the purpose
          SourceLocation location = SourceLocation::Current())
      : output_(output), location_(location) {}
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
  Operand(T value,  // NOLINT
          SourceLocation location = SourceLocation::Current())
      : number_(Number(value)), location_(location) {}
  Operand(Tensor value,  // NOLINT
          SourceLocation location = SourceLocation::Current())
      : tensor_(std::move(value)), location_(location) {}

  // Invalid if this is a number or a tensor.
  const Output& output() const { return output_; }
  // Returns the number as a scalar of dtype bool, int64 or double; this is not
  // the dtype of the Const that is made of it.
  const std::optional<Tensor>& number() const { return number_; }
  const std::optional<Tensor>& tensor() const { return tensor_; }
  // Returns the place in the program where the operand was made.
  SourceLocation location() const { return location_; }

 private:
  // Makes the scalar for number().
  template <class T>
  static Tensor Number(T value) {
    if constexpr (std::is_same_v<T, bool>) return Tensor::Scalar<bool>(value);
    if constexpr (std::is_floating_point_v<T>) {
      return Tensor::Scalar<double>(value);
    }
    return Tensor::Scalar<int64_t>(static_cast<int64_t>(value));
  }

  Output output_;
  std::optional<Tensor> number_;
  std::optional<Tensor> tensor_;
  SourceLocation location_;
};

// Add the nodes AddV2, Sub, Mul, RealDiv and Neg, with the names that
// TensorFlow's Python gives them: "add", "sub", "mul", "truediv" and "Neg". One
// of the operands must be an Output.
Output operator+(Operand a, Operand b);
Output operator-(Operand a, Operand b);
Output operator*(Operand a, Operand b);
Output operator/(Operand a, Operand b);
Output operator-(Operand a);

}  // namespace leat

#endif  // LEAT_GRAPH_BUILDER_OUTPUT_H_
