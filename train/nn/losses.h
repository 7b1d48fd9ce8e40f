// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Losses: scalars, the mean over all examples. Errors, such as an argument that
// is an output of no node, go to the builder of the other argument.
#ifndef LEAT_TRAIN_NN_LOSSES_H_
#define LEAT_TRAIN_NN_LOSSES_H_

#include "leat/graph/builder.h"

namespace leat::nn {

// The mean of all elements.
Output MeanOfAll(Output x, SourceLocation location = SourceLocation::Current());

// labels: int32 or int64 [batch], in [0, classes); logits: [batch, classes].
Output SparseSoftmaxCrossEntropy(
    Output labels, Output logits,
    SourceLocation location = SourceLocation::Current());

// labels: [batch, classes], rows that sum to 1; logits of the same shape.
Output SoftmaxCrossEntropy(Output labels, Output logits,
                           SourceLocation location = SourceLocation::Current());

// The mean of (predictions - labels)^2.
Output MeanSquaredError(Output labels, Output predictions,
                        SourceLocation location = SourceLocation::Current());

}  // namespace leat::nn

#endif  // LEAT_TRAIN_NN_LOSSES_H_
