// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// OpCode writes the source text of the C++ function for one op. gen_ops puts
// these functions into leat/graph/ops.h. In short, the declaration for MatMul
// is:
//
//   struct MatMulAttrs {
//     bool transpose_a = false;
//     bool transpose_b = false;
//   };
//   // Multiplies two matrices, each of which may be transposed first.
//   //
//   //   MatMul(a: T, b: T) -> product: T
//   //   transpose_a: bool
//   //   transpose_b: bool
//   //   T: float or double
//   Output MatMul(Operand a, Operand b, MatMulAttrs attrs = {},
//                 SourceLocation location = SourceLocation::Current());
#ifndef LEAT_GRAPH_GEN_OP_CODE_H_
#define LEAT_GRAPH_GEN_OP_CODE_H_

#include <set>
#include <string>
#include <vector>

#include "leat/graph/op_def.h"

namespace leat::gen {

// An OpCode is the code of one op. The parameters of the function are, in this
// order,
//  - the GraphBuilder, if a node of the op may have no input;
//  - the inputs;
//  - the attrs that have no default and do not follow from the inputs;
//  - a struct of the attrs that have a default;
//  - the source location of the call.
// An OpCode is immutable and so thread-safe.
class OpCode {
 public:
  // `op` is borrowed and must outlive this object.
  explicit OpCode(const OpDef& op);

  // Returns the declaration, for a header. It consists of the structs of attrs
  // and outputs (if the op has them), a comment, and the declaration of the
  // function. The comment describes the op, its arguments and its attrs.
  std::string Declaration() const;
  // Returns the definition of the function, for a source file.
  std::string Definition() const;

 private:
  // Describes a parameter of the function, or a field of one of the structs.
  struct Parameter {
    std::string type = {};
    std::string name = {};   // the C++ name
    std::string of = {};     // the op's name for the argument or attr
    std::string value = {};  // the default as C++, if there is one
  };

  // Returns `name`. If `name` is in `taken` or is a keyword of C++, appends '_'
  // until it is neither. Adds the result to `taken`.
  static std::string Identifier(const std::string& name,
                                std::set<std::string>& taken);
  // Adds an attr to `optional_` if it has a default, and otherwise to
  // `required_`.
  void AddAttr(const AttrDef& attr, std::set<std::string>& names,
               std::set<std::string>& field_names);
  // These functions return the parts of the declaration and the definition.
  // ReturnType returns the type that the C++ function returns. The body of the
  // C++ function consists of Counts, Call and Return, in this order.
  std::string ReturnType() const;
  std::string Comment() const;
  std::string Structs() const;
  std::string Signature(bool with_defaults) const;
  std::string Call() const;
  std::string Counts() const;
  std::string Return() const;
  // Returns a C++ expression for the value of an attr. If `length` is set, the
  // attr is a list or a number of tensors. In this case, the expression is the
  // length of the list, or the number.
  std::string AttrExpression(const std::string& attr, bool length) const;
  // Returns the C++ expression for the number of tensors in an output, which is
  // "1" if the output is not a list.
  std::string CountExpression(const ArgDef& output) const;

  const OpDef& op_;
  bool takes_builder_ = false;
  std::vector<Parameter> inputs_;
  std::vector<Parameter> required_;
  std::vector<Parameter> optional_;  // fields of the struct of attrs
  std::vector<Parameter> outputs_;   // fields of the struct of outputs
};

}  // namespace leat::gen

#endif  // LEAT_GRAPH_GEN_OP_CODE_H_
