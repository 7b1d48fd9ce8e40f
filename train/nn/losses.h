// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Losses are scalars that Minimize can differentiate. Each loss is a mean over
// all examples.
//
//   Output logits = nn::Dense(h, {.units = 10});
//   Output loss = nn::SparseSoftmaxCrossEntropy(labels, logits);
//
// The labels may also be distributions over the classes, or values to be
// predicted:
//
//   Output smooth = nn::SoftmaxCrossEntropy(
//       op::OneHot(labels, 10, 0.91f, 0.01f), logits);
//   Output distance = nn::MeanSquaredError(h, nn::Dense(x, {.units = 3}));
//   Output decayed = loss + 1e-4 * op::L2Loss(w);
//
// Errors go to the builder. If one argument belongs to no node, errors go to
// the builder of the other argument.
#ifndef LEAT_TRAIN_NN_LOSSES_H_
#define LEAT_TRAIN_NN_LOSSES_H_

#include "leat/graph/builder/builder.h"

namespace leat::nn {

// Returns the mean of all elements of `x`.
Output MeanOfAll(Output x, SourceLocation location = SourceLocation::Current());

// Returns the mean cross entropy between the classes in `labels` and
// softmax(logits). `labels` is int32 or int64 [batch], with values in [0,
// classes). `logits` has the shape [batch, classes].
Output SparseSoftmaxCrossEntropy(
    Output labels, Output logits,
    SourceLocation location = SourceLocation::Current());

// Does the same for labels that are distributions over the classes. `labels`
// has the shape [batch, classes], and each row sums to 1. `logits` has the same
// shape.
Output SoftmaxCrossEntropy(Output labels, Output logits,
                           SourceLocation location = SourceLocation::Current());

// Returns the mean of (predictions - labels)^2. Both have the same shape.
Output MeanSquaredError(Output labels, Output predictions,
                        SourceLocation location = SourceLocation::Current());

}  // namespace leat::nn

#endif  // LEAT_TRAIN_NN_LOSSES_H_
