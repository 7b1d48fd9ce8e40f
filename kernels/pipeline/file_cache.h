// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// NewFileCacheDataset makes a dataset that keeps the elements of another one in
// files. It is stateless.
#ifndef LEAT_KERNELS_PIPELINE_FILE_CACHE_H_
#define LEAT_KERNELS_PIPELINE_FILE_CACHE_H_

#include <string>

#include "leat/kernels/pipeline/dataset.h"

namespace leat::kernels {

// The first pass over `input` that comes to its end writes a checkpoint with
// the prefix `path`, in the form of TensorFlow's caches. If there is one, a
// pass reads it and not `input`. Before its end, a pass changes nothing that
// others see, so several may go on at the same time. As in TensorFlow, an
// element whose making fails is not in the cache. The pass fails with
// ALREADY_EXISTS, with TensorFlow's text, while TensorFlow writes the cache.
DatasetPtr NewFileCacheDataset(DatasetPtr input, std::string path);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_PIPELINE_FILE_CACHE_H_
