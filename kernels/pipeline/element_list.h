// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// NewListDataset makes a dataset of elements that are in memory: those of a
// window, of a group, or of a cache. It is stateless.
#ifndef LEAT_KERNELS_PIPELINE_ELEMENT_LIST_H_
#define LEAT_KERNELS_PIPELINE_ELEMENT_LIST_H_

#include <vector>

#include "absl/status/statusor.h"
#include "leat/core/memory.h"
#include "leat/kernels/pipeline/dataset.h"

namespace leat::kernels {

// Charges `allocator` with what the elements need besides their tensors.
// Returns RESOURCE_EXHAUSTED if there is no memory. REQUIRES: all elements
// agree with `spec`.
absl::StatusOr<DatasetPtr> NewListDataset(ElementSpec spec,
                                          std::vector<Element> elements,
                                          Allocator& allocator);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_PIPELINE_ELEMENT_LIST_H_
