// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Checks that the ops with kernels are defined as in TensorFlow's table, field
// by field. Leat has its own docs of ops, which must follow a rule
// (IsSentence).
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/op_table.h"
#include "leat/tests/testing/spec_text.h"

namespace leat::op_defs_test {
namespace {

template <class Def>
std::vector<Def> SortedByName(std::vector<Def> defs) {
  std::sort(defs.begin(), defs.end(),
            [](const Def& a, const Def& b) { return a.name < b.name; });
  return defs;
}

// Returns `op` without the fields that TensorFlow's table does not have. Sorts
// the attrs and their allowed types.
OpDef Comparable(OpDef op) {
  op.doc = "";
  op.shape_function = nullptr;
  op.work_function = nullptr;
  op.attrs = SortedByName(std::move(op.attrs));
  for (AttrDef& attr : op.attrs) {
    std::sort(attr.allowed_types.begin(), attr.allowed_types.end());
  }
  return op;
}

TEST(OpDefsTest, EqualTensorFlowsFieldByField) {
  ASSERT_GT(BuiltinOps().Ops().size(), 200u);
  for (const OpDef* op : BuiltinOps().Ops()) {
    // TensorFlow does not have Leat's own ops, which only planning adds to
    // graphs.
    if (absl::StartsWith(op->name, "_Leat") ||
        absl::StartsWith(op->name, "_CopyTo")) {
      continue;
    }
    const OpDef* const theirs = TensorFlowOps().Find(op->name);
    ASSERT_NE(theirs, nullptr) << op->name;
    EXPECT_EQ(testing::SpecText(Comparable(*op)),
              testing::SpecText(Comparable(*theirs)));
    EXPECT_TRUE(Comparable(*op) == Comparable(*theirs)) << op->name;
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
