// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Checks that Leat has a gradient for every op that has a kernel in Leat and a
// gradient in TensorFlow. tests/ops/tensorflow_gradients.txt lists the ops that
// have a gradient in TensorFlow. dump_gradients.py writes this list.
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "leat/graph/autodiff/gradient_registry.h"
#include "leat/graph/op_registry.h"

namespace leat::gradient_registrations_test {
namespace {

// Returns a map whose keys are the ops that have a kernel in Leat and a
// gradient registered in TensorFlow. The value is "none" if no input of the op
// ever gets a gradient in TensorFlow, and "function" otherwise.
std::map<std::string, std::string> TensorFlowsGradients() {
  std::map<std::string, std::string> gradients;
  std::ifstream file(LEAT_TESTS_DIR "/ops/tensorflow_gradients.txt");
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> words = absl::StrSplit(line, ' ');
    if (line[0] == '#' || BuiltinOps().Signatures(words[0]).empty()) continue;
    gradients[words[0]] = words.at(1);
  }
  return gradients;
}

// Returns the ops for which Leat intentionally has no gradient. The key is the
// op and the value is the reason.
std::map<std::string, std::string> Exceptions() {
  std::map<std::string, std::string> reasons;
  for (const char* op :
       {"Switch", "Merge", "Enter", "Exit", "NextIteration", "LoopCond",
        "RefSwitch", "RefMerge", "RefEnter", "RefExit", "RefNextIteration"}) {
    reasons[op] =
        "a primitive of TensorFlow 1's control flow, which is only imported: "
        "what builds a graph has If and While, which are differentiated whole";
  }
  for (const char* op : {"AvgPoolGrad",
                         "BiasAddGrad",
                         "Conv2DBackpropFilter",
                         "EluGrad",
                         "FusedBatchNormGrad",
                         "FusedBatchNormGradV2",
                         "FusedBatchNormGradV3",
                         "InvGrad",
                         "LeakyReluGrad",
                         "MaxPoolGrad",
                         "MaxPoolGradGrad",
                         "MaxPoolGradV2",
                         "ReciprocalGrad",
                         "Relu6Grad",
                         "ReluGrad",
                         "RsqrtGrad",
                         "SeluGrad",
                         "SigmoidGrad",
                         "SoftplusGrad",
                         "SqrtGrad",
                         "StridedSliceGrad",
                         "TanhGrad"}) {
    reasons[op] = "itself a gradient: gradients are of first order";
  }
  for (const char* op :
       {"TensorArrayConcatV3", "TensorArrayGatherV3", "TensorArrayReadV3",
        "TensorArrayScatterV3", "TensorArraySplitV3", "TensorArrayWriteV3"}) {
    reasons[op] =
        "on an array that is changed in place, which is only imported: its "
        "gradient array needs a name for each call of Gradients, and what "
        "builds a graph has lists of tensors, which are differentiated";
  }
  for (const char* op :
       {"Angle", "Complex", "ComplexAbs", "Conj", "Imag", "Real"}) {
    reasons[op] = "complex: Gradients refuses complex values";
  }
  reasons["ReduceDataset"] = "a function that is called for each element";
  return reasons;
}

TEST(GradientRegistrationsTest, AreThereWhereTensorFlowsAre) {
  const std::map<std::string, std::string> exceptions = Exceptions();
  const auto gradients = TensorFlowsGradients();
  ASSERT_GT(gradients.size(), 170u);
  for (const auto& [op, expected] : gradients) {
    const GradientRegistry::Entry* entry = BuiltinGradients().Find(op);
    if (exceptions.contains(op)) {
      EXPECT_EQ(entry, nullptr) << op << " has a gradient now";
      continue;
    }
    EXPECT_NE(entry, nullptr)
        << op << " has no gradient; TensorFlow's: " << expected;
    if (entry == nullptr) continue;
    EXPECT_EQ(entry->function != nullptr, expected == "function") << op;
  }
}

TEST(GradientRegistrationsTest,
     ExceptionsAreOpsThatExistAndHaveOneInTensorFlow) {
  const auto gradients = TensorFlowsGradients();
  for (const auto& [op, reason] : Exceptions()) {
    EXPECT_NE(BuiltinOps().Find(op), nullptr) << op << ", " << reason;
    EXPECT_TRUE(gradients.contains(op)) << op << ", " << reason;
  }
}

}  // namespace
}  // namespace leat::gradient_registrations_test
