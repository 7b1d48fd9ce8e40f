// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Decoders returns the table of variant decoders that the core tests pass to
// DecodeTensor. It knows tensor lists and optionals under TensorFlow's type
// names, as the table of the op registry does.
#ifndef LEAT_TESTS_CORE_VARIANT_DECODERS_H_
#define LEAT_TESTS_CORE_VARIANT_DECODERS_H_

#include "leat/core/variant_codec.h"
#include "leat/core/variants/optional.h"
#include "leat/core/variants/tensor_list.h"
#include "leat/core/wire_names.h"

namespace leat::testing {

// Returns decoders for TensorList and OptionalValue. The table is made on first
// use, never changes and is never destroyed, so any thread may read it.
inline const VariantDecoders& Decoders() {
  static const VariantDecoders* const decoders = [] {
    auto* made = new VariantDecoders();
    made->Add(kTensorListTypeName, &TensorList::Decode);
    made->Add(kOptionalTypeName, &OptionalValue::Decode);
    return made;
  }();
  return *decoders;
}

}  // namespace leat::testing

#endif  // LEAT_TESTS_CORE_VARIANT_DECODERS_H_
