// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Metrics are measures of a model's quality, as nodes of its graph. Errors go
// to the builder of the arguments.
//
//   Output accuracy = nn::Accuracy(labels, logits);
//   LEAT_ASSIGN_OR_RETURN(std::vector<Tensor> out,
//                         session->Run({.feeds = feeds, .fetches =
//                         {accuracy}}));
//   LEAT_ASSIGN_OR_RETURN(float share, GetScalar<float>(out[0], "accuracy"));
#ifndef LEAT_TRAIN_NN_METRICS_H_
#define LEAT_TRAIN_NN_METRICS_H_

#include "leat/graph/builder/builder.h"

namespace leat::nn {

// Returns the share of rows in which the largest logit belongs to the class of
// the label. The result is a float scalar. `labels` is int32 or int64 [batch],
// and `logits` has the shape [batch, classes].
Output Accuracy(Output labels, Output logits,
                SourceLocation location = SourceLocation::Current());

}  // namespace leat::nn

#endif  // LEAT_TRAIN_NN_METRICS_H_
