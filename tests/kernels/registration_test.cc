// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Checks that the registered kernels match the signatures that the op files
// declare.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>

#include "leat/tests/testing/kernel_test_harness.h"

namespace leat::registration_test {
namespace {

// Returns true for the ops that have no kernel, because the executor routes
// their values itself.
bool RunByExecutor(const std::string& op) {
  static const std::set<std::string> ops = {
      "Merge", "RefMerge", "Enter",         "RefEnter",
      "Exit",  "RefExit",  "NextIteration", "RefNextIteration"};
  return ops.count(op) > 0;
}

TEST(RegistrationTest, EverySignatureHasAKernel) {
  std::set<std::pair<std::string, std::string>> registered;
  for (auto& entry : testing::AllKernels().Registered()) {
    registered.insert(std::move(entry));
  }
  for (const OpDef* op : testing::AllOps().Ops()) {
    for (const auto& signature : testing::AllOps().Signatures(op->name)) {
      if (RunByExecutor(op->name)) continue;
      const DeviceType type =
          signature.runs_on_host ? kCpu : signature.device_type;
      EXPECT_TRUE(registered.count({op->name, type}) != 0)
          << op->name << " has a signature but no kernel for " << type;
    }
  }
}

TEST(RegistrationTest, EveryKernelHasASignature) {
  for (const auto& [op, device_type] : testing::AllKernels().Registered()) {
    bool found = false;
    for (const auto& signature : testing::AllOps().Signatures(op)) {
      found = found || signature.device_type == device_type;
    }
    EXPECT_TRUE(found) << op << " on " << device_type << " has no signature";
  }
}

// If a signature constrains only the attr T, its kernel takes every type that
// the signature lists for T.
TEST(RegistrationTest, KernelsTakeEveryDeclaredType) {
  testing::KernelTestHarness harness(1);
  for (const OpDef* op : testing::AllOps().Ops()) {
    for (const auto& signature : testing::AllOps().Signatures(op->name)) {
      if (signature.device_type != kCpu || signature.constraints.size() != 1 ||
          signature.constraints[0].attr != "T") {
        continue;
      }
      bool only_t = true;
      for (const ArgDef& arg : op->inputs) {
        only_t = only_t && arg.type_attr == "T" && arg.number_attr.empty() &&
                 arg.type_list_attr.empty() && !arg.is_ref;
      }
      const AttrDef* declared = op->FindAttr("T");
      if (!only_t || op->inputs.empty() || declared == nullptr) continue;
      for (const DType dtype : signature.constraints[0].types) {
        if (!CheckAttrValue(*declared, dtype).ok()) continue;
        AttrMap attrs;
        for (const AttrDef& attr : op->attrs) {
          if (attr.default_value || attr.type == "type") continue;
          if (attr.type == "string") attrs.Set(attr.name, std::string());
        }
        const auto kernel = harness.Make(
            op->name, attrs, std::vector<DType>(op->inputs.size(), dtype));
        // Make may fail because another attr is missing, but not because of the
        // type.
        if (!kernel.ok()) {
          EXPECT_EQ(std::string(kernel.status().message()).find("no kernel"),
                    std::string::npos)
              << op->name << " " << Name(dtype) << ": "
              << kernel.status().ToString();
        }
      }
    }
  }
}

}  // namespace
}  // namespace leat::registration_test
