// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// SliceKey makes the key of a slice of a tensor in the index of a checkpoint.
// Stateless, thread-safe.
#ifndef LEAT_CHECKPOINT_SLICE_KEY_H_
#define LEAT_CHECKPOINT_SLICE_KEY_H_

#include <string>

#include "absl/strings/string_view.h"
#include "leat/checkpoint/tensor_slice.h"

namespace leat {

// Returns the key of the slice `slice` of the tensor `name`. It begins with a
// zero byte, so it is not the name of a tensor. The numbers and the name are
// written in TensorFlow's OrderedCode, so keys sort in the order of the values
// that they encode.
std::string SliceKey(absl::string_view name, const TensorSlice& slice);

}  // namespace leat

#endif  // LEAT_CHECKPOINT_SLICE_KEY_H_
