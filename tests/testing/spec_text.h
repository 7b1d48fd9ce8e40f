// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// SpecText writes an OpDef in the form that OpTable reads. It is stateless and
// thread-safe.
#ifndef LEAT_TESTS_TESTING_SPEC_TEXT_H_
#define LEAT_TESTS_TESTING_SPEC_TEXT_H_

#include <string>

#include "leat/graph/op_def.h"

namespace leat::testing {

// Returns the block of lines of an op, such as "op NoOp\n". Spells out all
// minimums and allowed types.
std::string SpecText(const OpDef& op);

}  // namespace leat::testing

#endif  // LEAT_TESTS_TESTING_SPEC_TEXT_H_
