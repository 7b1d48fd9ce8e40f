// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Checks that our op definitions equal TensorFlow's, field by field. The test
// prints our definitions in the form of tensorflow_op_defs.txt, which
// dump_op_defs.py writes from TensorFlow, and compares the lines. The docs of
// our ops are not TensorFlow's; they are checked against a rule (IsSentence).
#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "gtest/gtest.h"
#include "leat/graph/op_registry.h"

namespace leat::op_defs_test {
namespace {

using Lines = std::vector<std::string>;

std::string Text(const std::string& value) {
  return absl::StrCat(
      "'", absl::StrReplaceAll(value, {{"\\", "\\\\"}, {"\n", "\\n"}}), "'");
}
std::string Text(int64_t value) { return absl::StrCat(value); }
std::string Text(float value) { return absl::StrFormat("%.9g", value); }
std::string Text(bool value) { return value ? "true" : "false"; }
std::string Text(DType value) { return Name(value); }
std::string Text(const PartialShape& value) {
  if (!value.rank_known()) return "<unknown>";
  return absl::StrCat("[", absl::StrJoin(value.dims(), ","), "]");
}
template <class T>
requires requires(const T& value) { Text(value); }
std::string Text(const std::vector<T>& values) {
  std::vector<std::string> texts;
  for (const T& value : values) texts.push_back(Text(value));
  return absl::StrCat("[", absl::StrJoin(texts, ", "), "]");
}

struct AttrText {
  template <class T>
  std::string operator()(const T& value) const {
    if constexpr (requires { Text(value); }) {
      return Text(value);
    } else {
      return "a default that no op of TensorFlow has";
    }
  }
};

std::string ArgLine(absl::string_view direction, const ArgDef& arg) {
  std::string line = absl::StrCat("  ", direction, " ", arg.name);
  if (arg.type != DType::kInvalid) {
    absl::StrAppend(&line, " type=", Name(arg.type));
  }
  const auto append = [&](absl::string_view field, const std::string& name) {
    if (!name.empty()) absl::StrAppend(&line, " ", field, "=", name);
  };
  append("type_attr", arg.type_attr);
  append("number_attr", arg.number_attr);
  append("type_list_attr", arg.type_list_attr);
  if (arg.is_ref) line += " ref";
  return line;
}

std::string AttrLine(const AttrDef& attr) {
  std::string line = absl::StrCat("  attr ", attr.name, " type=", attr.type);
  if (attr.minimum.has_value()) {
    absl::StrAppend(&line, " minimum=", *attr.minimum);
  }
  std::vector<DType> types = attr.allowed_types;
  std::sort(types.begin(), types.end());
  std::vector<std::string> allowed;
  for (const DType type : types) allowed.push_back(Text(type));
  for (const std::string& value : attr.allowed_strings) {
    allowed.push_back(Text(value));
  }
  if (!allowed.empty()) {
    absl::StrAppend(&line, " allowed=", absl::StrJoin(allowed, ","));
  }
  if (attr.default_value.has_value()) {
    absl::StrAppend(&line,
                    " default=", std::visit(AttrText(), *attr.default_value));
  }
  return line;
}

Lines Print(const OpDef& op) {
  Lines lines;
  if (op.is_stateful) lines.push_back("  flag is_stateful");
  if (op.is_commutative) lines.push_back("  flag is_commutative");
  if (op.is_aggregate) lines.push_back("  flag is_aggregate");
  if (op.allows_uninitialized_input) {
    lines.push_back("  flag allows_uninitialized_input");
  }
  for (const ArgDef& arg : op.inputs) lines.push_back(ArgLine("input", arg));
  for (const ArgDef& arg : op.outputs) lines.push_back(ArgLine("output", arg));
  std::vector<AttrDef> attrs = op.attrs;
  std::sort(attrs.begin(), attrs.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  for (const AttrDef& attr : attrs) lines.push_back(AttrLine(attr));
  return lines;
}

// tests/graph/autodiff/gradient_registrations_test.cc checks these lines.
bool IsGradient(absl::string_view line) {
  return absl::StartsWith(line, "  gradient ");
}

std::map<std::string, Lines> ReadExpected() {
  std::map<std::string, Lines> ops;
  std::ifstream file(LEAT_TESTS_DIR "/ops/tensorflow_op_defs.txt");
  Lines* current = nullptr;
  for (std::string line; std::getline(file, line);) {
    absl::string_view name = line;
    if (absl::ConsumePrefix(&name, "op ")) {
      current = &ops[std::string(name)];
    } else if (current != nullptr && !IsGradient(line)) {
      current->push_back(line);
    }
  }
  return ops;
}

TEST(OpDefsTest, EqualTensorFlowsFieldByField) {
  const std::map<std::string, Lines> expected = ReadExpected();
  ASSERT_GT(expected.size(), 200u);
  for (const OpDef* op : BuiltinOps().Ops()) {
    // TensorFlow does not have Leat's own ops, which only passes add to graphs.
    if (absl::StartsWith(op->name, "_Leat")) continue;
    const auto it = expected.find(op->name);
    if (it == expected.end()) {
      ADD_FAILURE() << op->name << " is not in tensorflow_op_defs.txt";
      continue;
    }
    EXPECT_EQ(absl::StrJoin(Print(*op), "\n"), absl::StrJoin(it->second, "\n"))
        << op->name;
  }
}

TEST(OpDefsTest, EveryOpOfTheFileIsRegistered) {
  for (const auto& [name, lines] : ReadExpected()) {
    EXPECT_NE(BuiltinOps().Find(name), nullptr) << name;
  }
}

// Returns true if `doc` begins with a verb such as "Returns" and is one
// sentence on one line.
bool IsSentence(absl::string_view doc) {
  const absl::string_view verb = doc.substr(0, doc.find(' '));
  return verb.size() > 2 && verb.size() < doc.size() &&
         absl::ascii_isupper(verb[0]) &&
         std::all_of(verb.begin() + 1, verb.end(), absl::ascii_islower) &&
         verb.back() == 's' && absl::EndsWith(doc, ".") &&
         !absl::StrContains(doc, ". ") && !absl::EndsWith(doc, "..") &&
         std::all_of(doc.begin(), doc.end(), absl::ascii_isprint);
}

TEST(OpDocsTest, SayInASentenceOfItsOwnWhatEachOpDoes) {
  std::map<absl::string_view, std::string> ops;
  for (const OpDef* op : BuiltinOps().Ops()) {
    EXPECT_TRUE(IsSentence(op->doc)) << op->name << ": " << op->doc;
    EXPECT_LE(op->doc.size(), 100u) << op->name << ": " << op->doc;
    const auto [it, is_new] = ops.emplace(op->doc, op->name);
    EXPECT_TRUE(is_new) << op->name << " says what " << it->second << " says";
  }
}

// Every constraint names a type attr of the op and allows at least one type
// that the op allows for this attr.
TEST(KernelSignaturesTest, ConstrainTypeAttrsOfTheirOps) {
  for (const OpDef* op : BuiltinOps().Ops()) {
    for (const KernelSignature& kernel : BuiltinOps().Signatures(op->name)) {
      for (const TypeConstraint& constraint : kernel.constraints) {
        const AttrDef* attr = op->FindAttr(constraint.attr);
        ASSERT_NE(attr, nullptr) << op->name << " " << constraint.attr;
        EXPECT_TRUE(attr->type == "type" || attr->type == "list(type)");
        const std::vector<DType>& allowed = attr->allowed_types;
        EXPECT_TRUE(
            allowed.empty() ||
            std::any_of(constraint.types.begin(), constraint.types.end(),
                        [&](DType type) {
                          return std::find(allowed.begin(), allowed.end(),
                                           type) != allowed.end();
                        }))
            << op->name << " " << constraint.attr;
      }
    }
  }
}

TEST(KernelSignaturesTest, NeverFoldStatefulOps) {
  for (const OpDef* op : BuiltinOps().Ops()) {
    for (const KernelSignature& kernel : BuiltinOps().Signatures(op->name)) {
      EXPECT_FALSE(op->is_stateful && kernel.foldable) << op->name;
    }
  }
}

}  // namespace
}  // namespace leat::op_defs_test
