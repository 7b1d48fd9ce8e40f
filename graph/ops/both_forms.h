// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// AddBothForms defines an op on resources that has two forms. In the first
// form, a handle is a reference to two strings: the container and the name. In
// the second form, V2, a handle is a resource. The functions here are
// stateless.
//
//   AddBothForms({.name = "QueueClose", .inputs = {"handle: Handle"}, ...},
//                {"Closes a queue, which is a reference.",
//                 "Closes a queue, so that no more elements can be put in."},
//                registry);
#ifndef LEAT_GRAPH_OPS_BOTH_FORMS_H_
#define LEAT_GRAPH_OPS_BOTH_FORMS_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_replace.h"
#include "leat/core/partial_shape.h"
#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"

namespace leat::ops {

// Holds what the two forms of an op do.
struct FormDocs {
  const char* of_references;
  const char* of_resources;
};

// Is the shape function of ops that make a resource, and output its handle.
inline absl::Status NewHandleShape(InferenceContext& context) {
  if (context.op().outputs[0].is_ref) {
    context.set_output(0, Shape{2});
  } else {
    context.set_output(0, Shape{});
  }
  return absl::OkStatus();
}

// Returns true if input `i` is a reference.
inline bool IsReference(const InferenceContext& context, int i) {
  return context.op().inputs[static_cast<size_t>(i)].is_ref;
}

// Checks input `i`, a handle: a reference is a vector, and a resource is a
// scalar.
inline absl::Status CheckHandleRank(const InferenceContext& context, int i) {
  return context.WithRank(i, IsReference(context, i) ? 1 : 0).status();
}

// Checks input `i`, a handle: a reference is a vector of two strings. A
// resource may have any shape.
inline absl::Status CheckReference(const InferenceContext& context, int i) {
  if (!IsReference(context, i)) return absl::OkStatus();
  LEAT_ASSIGN_OR_RETURN(const PartialShape shape, context.WithRank(i, 1));
  return MergeExtents(ExtentOf(shape, 0), 2).status();
}

// Returns the shape of a vector of unknown length.
inline absl::StatusOr<PartialShape> UnknownVector() {
  return PartialShape::Create({PartialShape::kUnknown});
}

// Adds `spec`, in whose inputs and outputs "Handle" stands for the type of a
// handle, and the same with V2 behind its name. The first form is stateful only
// if `spec` says so, as in TensorFlow. The second always is.
inline void AddBothForms(const OpSpec& spec, const FormDocs& docs,
                         OpRegistry& registry,
                         const std::vector<KernelSignature>& kernels = {
                             NotFoldable(OnCpu())}) {
  const auto form_with = [&](const std::string& type) {
    OpSpec form = spec;
    for (auto* arguments : {&form.inputs, &form.outputs}) {
      for (auto& argument : *arguments) {
        argument = absl::StrReplaceAll(argument, {{": Handle", ": " + type}});
      }
    }
    return form;
  };
  OpSpec first = form_with("Ref(string)");
  first.doc = docs.of_references;
  registry.Add(first, kernels);
  OpSpec second = form_with("resource");
  second.name += "V2";
  second.doc = docs.of_resources;
  second.stateful = true;
  registry.Add(second, kernels);
}

}  // namespace leat::ops

#endif  // LEAT_GRAPH_OPS_BOTH_FORMS_H_
