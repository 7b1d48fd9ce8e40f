// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines RegexFullMatch, RegexReplace and their forms whose expression is an
// attr.
#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"

namespace leat::ops::regex {
namespace {

// All inputs except the first one are scalars.
absl::Status RegexShape(InferenceContext& context) {
  for (int i = 1; i < context.num_inputs(); ++i) {
    LEAT_RETURN_IF_ERROR(context.WithRank(i, 0).status());
  }
  context.set_output(0, context.input(0));
  return absl::OkStatus();
}

}  // namespace

void Register(OpRegistry& registry) {
  registry.Add({.name = "RegexFullMatch",
                .doc = "Tells which strings match a regular expression as a "
                       "whole.",
                .inputs = {"input: string", "pattern: string"},
                .outputs = {"output: bool"},
                .shape = RegexShape},
               {OnCpu()});

  registry.Add({.name = "StaticRegexFullMatch",
                .doc = "Tells which strings match the regular expression in an "
                       "attr as a whole.",
                .inputs = {"input: string"},
                .outputs = {"output: bool"},
                .attrs = {"pattern: string"},
                .shape = RegexShape},
               {OnCpu()});

  registry.Add(
      {.name = "RegexReplace",
       .doc = "Replaces the parts of strings that match a regular "
              "expression.",
       .inputs = {"input: string", "pattern: string", "rewrite: string"},
       .outputs = {"output: string"},
       .attrs = {"replace_global: bool = true"},
       .shape = RegexShape},
      {OnCpu()});

  registry.Add({.name = "StaticRegexReplace",
                .doc = "Replaces the parts of strings that match the regular "
                       "expression in an attr.",
                .inputs = {"input: string"},
                .outputs = {"output: string"},
                .attrs = {"pattern: string", "rewrite: string",
                          "replace_global: bool = true"},
                .shape = RegexShape},
               {OnCpu()});
}

}  // namespace leat::ops::regex
