// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// The C++ function of one op, as source text.
#ifndef LEAT_GRAPH_GEN_OP_CODE_H_
#define LEAT_GRAPH_GEN_OP_CODE_H_

#include <set>
#include <string>
#include <vector>

#include "leat/graph/op_def.h"

namespace leat::gen {

// Parameters are, in order: the GraphBuilder if there may be no input, the
// inputs, the attrs that have no default and cannot be told from the inputs, a
// struct of the attrs that have one, the place of the call.
class OpCode {
 public:
  explicit OpCode(const OpDef& op);

  // The attrs and outputs structs, a comment and the declaration.
  std::string Declaration() const;
  std::string Definition() const;

 private:
  struct Parameter {
    std::string type = {};
    std::string name = {};   // in C++
    std::string of = {};     // the op's argument or attr
    std::string value = {};  // default, of attrs that have one
  };

  // `name`, or with '_' appended if it is taken or means something in C++.
  static std::string Identifier(const std::string& name,
                                std::set<std::string>& taken);
  void AddAttr(const AttrDef& attr, std::set<std::string>& names,
               std::set<std::string>& field_names);
  std::string ReturnType() const;
  std::string Comment() const;
  std::string Structs() const;
  std::string Signature(bool with_defaults) const;
  std::string Call() const;
  std::string Counts() const;
  std::string Return() const;
  // The C++ expression for an attr's value or, of a list, its length.
  std::string AttrExpression(const std::string& attr, bool length) const;
  // How many tensors an output argument stands for; "1" for a single one.
  std::string CountExpression(const ArgDef& output) const;

  const OpDef& op_;
  bool takes_builder_ = false;
  std::vector<Parameter> inputs_;
  std::vector<Parameter> required_;
  std::vector<Parameter> optional_;  // fields of the attrs struct
  std::vector<Parameter> outputs_;   // fields of the outputs struct
};

}  // namespace leat::gen

#endif  // LEAT_GRAPH_GEN_OP_CODE_H_
