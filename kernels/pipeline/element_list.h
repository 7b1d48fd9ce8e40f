// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// NewListDataset makes a dataset of elements that are in memory: those of a
// window, of a group, or of a cache.
#ifndef LEAT_KERNELS_PIPELINE_ELEMENT_LIST_H_
#define LEAT_KERNELS_PIPELINE_ELEMENT_LIST_H_

#include <memory>
#include <vector>

#include "leat/kernels/pipeline/dataset.h"

namespace leat::kernels {

// Returns a stage that gives out `elements`. They may be shared.
std::unique_ptr<Stage> NewListStage(
    std::shared_ptr<const std::vector<Element>> elements);

// REQUIRES: all elements agree with `spec`.
DatasetPtr NewListDataset(ElementSpec spec, std::vector<Element> elements);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_PIPELINE_ELEMENT_LIST_H_
