// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions check that elements have the types and shapes that are
// expected. They are stateless.
#ifndef LEAT_KERNELS_PIPELINE_ELEMENT_CHECKS_H_
#define LEAT_KERNELS_PIPELINE_ELEMENT_CHECKS_H_

#include "absl/status/status.h"
#include "leat/kernels/pipeline/dataset.h"

namespace leat::kernels {

// Returns INVALID_ARGUMENT, with TensorFlow's text, if an element with the spec
// `received` cannot be used where one with the spec `expected` is expected. If
// `expected` has no shapes, no shape is checked.
absl::Status CheckSpec(const ElementSpec& expected,
                       const ElementSpec& received);
// Does the same for one element.
absl::Status CheckElement(const ElementSpec& expected, const Element& received);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_PIPELINE_ELEMENT_CHECKS_H_
