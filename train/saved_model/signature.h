// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// A Signature is a function that a SavedModel offers: named tensors to feed and
// named tensors to fetch.
#ifndef LEAT_TRAIN_SAVED_MODEL_SIGNATURE_H_
#define LEAT_TRAIN_SAVED_MODEL_SIGNATURE_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/dtype.h"
#include "leat/core/partial_shape.h"
#include "leat/runtime/session.h"

namespace leat::pb {
class MetaGraphDef;
class SignatureDef;
}  // namespace leat::pb

namespace leat {

// Is the name that the only signature of a model usually has.
inline constexpr char kDefaultSignature[] = "serving_default";

// Describes an input or an output of a signature.
struct SignatureTensor {
  // Is the name of a tensor of the graph, such as "x:0". It is empty for a
  // sparse or composite tensor, which consists of several tensors.
  std::string tensor = {};
  DType dtype = DType::kInvalid;
  PartialShape shape = {};
};

// Describes a function. The keys of its inputs and outputs are the names of its
// arguments and results.
struct Signature {
  std::map<std::string, SignatureTensor> inputs = {};
  std::map<std::string, SignatureTensor> outputs = {};
  // Says what kind of function this is, such as "tensorflow/serving/predict".
  std::string method = {};
};

// Maps names to signatures.
using Signatures = std::map<std::string, Signature>;

// Returns the signatures of a graph, without those that only initialize the
// graph. Returns INVALID_ARGUMENT, naming signature and key, for an invalid
// shape.
absl::StatusOr<Signatures> SignaturesOf(const pb::MetaGraphDef& meta);

// Converts a signature to a message.
pb::SignatureDef EncodeSignature(const Signature& signature);

// Returns the signature of this name. If there is none, returns NOT_FOUND with
// the names of all signatures.
absl::StatusOr<const Signature*> FindSignature(const Signatures& signatures,
                                               absl::string_view name);

// Returns the tensor of an input or output. Returns INVALID_ARGUMENT, with all
// keys, if `tensors` does not have `key`, and UNIMPLEMENTED for a sparse or
// composite tensor. `what` is "input" or "output".
absl::StatusOr<TensorName> FindTensor(
    const std::map<std::string, SignatureTensor>& tensors,
    absl::string_view what, absl::string_view key);

}  // namespace leat

#endif  // LEAT_TRAIN_SAVED_MODEL_SIGNATURE_H_
