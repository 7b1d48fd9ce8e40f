// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// RandomPieces makes random graphs in text form. Tests use it to build the same
// graph at once and step by step.
//
//   RandomPieces pieces(seed, {.devices = {"/cpu:1"}});
//   std::string text = Functions();
//   for (int i = 0; i < 10; ++i) text += pieces.Next();
#ifndef LEAT_TESTS_TESTING_RANDOM_PIECES_H_
#define LEAT_TESTS_TESTING_RANDOM_PIECES_H_

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/tests/testing/graph_text.h"

namespace leat {

// Returns the text of a function with one float argument and one node. `attrs`
// are the attrs of this node.
inline std::string UnaryFunction(const std::string& name, const std::string& op,
                                 const std::string& result_type,
                                 const std::string& input,
                                 const std::string& output,
                                 const std::string& attrs) {
  return absl::StrCat(
      "library { function { signature { name: \"", name,
      "\" input_arg { name: \"a\" type: DT_FLOAT } output_arg { name: \"r\" "
      "type: ",
      result_type, " } } node_def { name: \"n\" op: \"", op, "\" ", input,
      attrs, " } ret { key: \"r\" value: \"n:", output, ":0\" } } }\n");
}

// Returns the functions that the nodes below call.
inline std::string Functions() {
  return UnaryFunction("negate", "Neg", "DT_FLOAT", "input: \"a\" ", "y",
                       Float()) +
         UnaryFunction(
             "never", "Const", "DT_BOOL", "", "output",
             Attr("dtype", "type: DT_BOOL") +
                 Attr("value",
                      "tensor { dtype: DT_BOOL tensor_shape {} bool_val: "
                      "false }"));
}

inline std::string FunctionCall(const std::string& name,
                                const std::string& input) {
  return NodeText(name, "PartitionedCall", {input},
                  Floats("Tin", 1) + Floats("Tout", 1) + Func("f", "negate"));
}
inline std::string FunctionLoop(const std::string& name,
                                const std::string& input) {
  return NodeText(
      name, "StatelessWhile", {input},
      Floats("T", 1) + Func("cond", "never") + Func("body", "negate"));
}
inline std::string On(const std::string& device) {
  return "device: \"" + device + "\" ";
}
inline std::string With(const std::string& classes) {
  return Attr("_class", "list { " + classes + "} ");
}
inline std::string Loc(const std::string& name) {
  return "s: \"loc:@" + name + "\" ";
}
inline std::string Neg(const std::string& name, const std::string& input,
                       const std::string& attrs = {}) {
  return NodeText(name, "Neg", {input}, Float() + attrs);
}

// Makes random graphs, piece by piece.
class RandomPieces {
 public:
  struct Options {
    std::vector<std::string> devices = {};  // the devices that nodes request
    bool with_variables = false;
  };
  RandomPieces(uint64_t seed, Options options)
      : random_(seed), options_(std::move(options)) {}

  // Returns the text of one or several nodes. Each node takes its inputs from
  // nodes of this text or of texts that were returned before.
  std::string Next() {
    const std::string name = absl::StrCat("n", ++num_pieces_);
    if (names_.empty()) return Float(name, "Const", {}, Value());
    switch (Below(options_.with_variables ? 14 : 9)) {
      case 0:
        return Float(name, "Const", {}, Value());
      case 1:
        return Float(name, "Add", {AnyFloat(), AnyFloat()}, T());
      case 2:
        return Float(name, "Identity", {AnyFloat()}, T());
      case 3:
        return Named(name, "NoOp", {"^" + AnyOf(names_)}, "");
      case 4:
        return Unconstrained(name, FunctionCall(name, AnyFloat()));
      case 5:
        return Unconstrained(name, FunctionLoop(name, AnyFloat()));
      case 6:
        return Loop(name);
      case 7:
        return Float(absl::StrCat("ghost", num_pieces_), "Neg", {AnyFloat()},
                     T());
      case 8:
        return Float(name, "Neg", {AnyFloat()}, T());
      case 9:
        return Ref(name);
      case 10:
        return Handle(name);
      case 11:
        if (refs_.empty()) return Ref(name);
        return Named(name, "Assign", {AnyOf(refs_), AnyFloat()}, T());
      case 12:
        if (handles_.empty()) return Handle(name);
        return Named(name, "ReadVariableOp", {AnyOf(handles_)}, Dtype());
      default:
        if (handles_.empty()) return Handle(name);
        return Named(name, "AssignVariableOp", {AnyOf(handles_), AnyFloat()},
                     Dtype());
    }
  }

  // Returns the tensors that steps can fetch.
  const std::vector<std::string>& floats() const { return floats_; }

 private:
  size_t Below(size_t bound) { return random_() % bound; }
  const std::string& AnyOf(const std::vector<std::string>& names) {
    return names[Below(names.size())];
  }
  std::string AnyFloat() { return AnyOf(floats_); }
  static std::string T() { return leat::Float(); }
  static std::string Dtype() { return Attr("dtype", "type: DT_FLOAT"); }
  std::string Value() const {
    return Dtype() +
           Attr("value", absl::StrCat("tensor { dtype: DT_FLOAT tensor_shape "
                                      "{} float_val: ",
                                      num_pieces_, " }"));
  }

  // Returns, at random, no constraint, a device or a colocation.
  std::string Constraint() {
    switch (Below(8)) {
      case 0:
      case 1:
        return On(AnyOf(options_.devices));
      case 2:
        return names_.empty() ? "" : With(Loc(AnyOf(names_)));
      case 3:  // the other node may come later
        return With(Loc(absl::StrCat("ghost", num_pieces_ + Below(40))));
      default:
        return "";
    }
  }

  std::string Named(const std::string& name, const std::string& op,
                    const std::vector<std::string>& inputs,
                    const std::string& attrs) {
    const std::string text = NodeText(name, op, inputs, attrs + Constraint());
    names_.push_back(name);
    return text;
  }
  std::string Float(const std::string& name, const std::string& op,
                    const std::vector<std::string>& inputs,
                    const std::string& attrs) {
    const std::string text = Named(name, op, inputs, attrs);
    floats_.push_back(name);
    return text;
  }
  std::string Unconstrained(const std::string& name, std::string text) {
    names_.push_back(name);
    floats_.push_back(name);
    return text;
  }
  std::string Ref(const std::string& name) {
    refs_.push_back(name);
    return Named(name, "VariableV2", {}, Dtype() + Attr("shape", "shape {}"));
  }
  std::string Handle(const std::string& name) {
    handles_.push_back(name);
    return Named(name, "VarHandleOp", {},
                 Dtype() + Attr("shape", "shape {}") +
                     Attr("shared_name", "s: \"" + name + "\""));
  }
  // Returns a loop that is made of control flow ops and ends before its first
  // iteration. The loop may have one more node inside.
  std::string Loop(const std::string& name) {
    const auto part = [&](const char* suffix) { return name + suffix; };
    const std::string frame = Attr("frame_name", "s: \"" + name + "\"");
    std::string text =
        NodeText(part("_enter"), "Enter", {AnyFloat()}, T() + frame) +
        NodeText(part("_merge"), "Merge", {part("_enter"), part("_next")},
                 T() + Attr("N", "i: 2")) +
        NodeText(part("_less"), "Less", {part("_merge"), part("_merge")}, T()) +
        NodeText(part("_cond"), "LoopCond", {part("_less")}) +
        NodeText(part("_switch"), "Switch", {part("_merge"), part("_cond")},
                 T()) +
        Neg(part("_body"), part("_switch") + ":1") +
        NodeText(part("_next"), "NextIteration", {part("_body")}, T()) +
        NodeText(name, "Exit", {part("_switch")}, T());
    if (Below(3) == 0) text += Neg(part("_inside"), part("_body"));
    return Unconstrained(name, std::move(text));
  }

  std::mt19937_64 random_;
  const Options options_;
  size_t num_pieces_ = 0;
  std::vector<std::string> names_;
  std::vector<std::string> floats_;
  std::vector<std::string> refs_;
  std::vector<std::string> handles_;
};

}  // namespace leat

#endif  // LEAT_TESTS_TESTING_RANDOM_PIECES_H_
