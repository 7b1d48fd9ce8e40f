// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Measures of a model's quality, as nodes of its graph.
#ifndef LEAT_TRAIN_NN_METRICS_H_
#define LEAT_TRAIN_NN_METRICS_H_

#include "leat/graph/builder.h"

namespace leat::nn {

// The share of rows of logits [batch, classes] whose largest entry is that of
// the label (int32 or int64 [batch]): a float scalar.
Output Accuracy(Output labels, Output logits,
                SourceLocation location = SourceLocation::Current());

}  // namespace leat::nn

#endif  // LEAT_TRAIN_NN_METRICS_H_
