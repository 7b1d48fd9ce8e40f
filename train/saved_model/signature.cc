// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/train/saved_model/signature.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/codec/tensor_codec.h"
#include "leat/core/quoted_text.h"
#include "leat/core/status_macros.h"
#include "leat/protos/meta_graph.pb.h"
#include "leat/train/saved_model/init_op.h"

namespace leat {
namespace {

// An error names at most this many signatures or keys.
constexpr int kMaxShownNames = 20;

using TensorInfos = google::protobuf::Map<std::string, pb::TensorInfo>;
using Tensors = std::map<std::string, SignatureTensor>;

absl::StatusOr<Tensors> DecodeTensors(const TensorInfos& infos,
                                      const std::string& signature) {
  Tensors tensors;
  for (const auto& [key, info] : infos) {
    absl::StatusOr<PartialShape> shape = DecodeShape(info.tensor_shape());
    if (!shape.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("signature ", QuotedText(signature), ", ",
                       QuotedText(key), ": ", shape.status().message()));
    }
    tensors[key] = {
        .tensor = info.name(),
        .dtype = DTypeFromWire(info.dtype()).value_or(DType::kInvalid),
        .shape = *std::move(shape)};
  }
  return tensors;
}

void EncodeTensors(const Tensors& tensors, TensorInfos& infos) {
  for (const auto& [key, tensor] : tensors) {
    pb::TensorInfo& info = infos[key];
    info.set_name(tensor.tensor);
    info.set_dtype(static_cast<pb::DataType>(tensor.dtype));
    EncodeShape(tensor.shape, info.mutable_tensor_shape());
  }
}

// Returns "it has 'a', 'b'", with the keys of `map`.
template <class Map>
std::string ListKeys(const Map& map) {
  if (map.empty()) return "it has none";
  std::string text = "it has ";
  int shown = 0;
  for (const auto& [key, value] : map) {
    if (shown > 0) text += ", ";
    if (shown == kMaxShownNames) return text + "...";
    text += QuotedText(key);
    ++shown;
  }
  return text;
}

}  // namespace

absl::StatusOr<Signatures> SignaturesOf(const pb::MetaGraphDef& meta) {
  Signatures signatures;
  for (const auto& [name, def] : meta.signature_def()) {
    if (IsInitSignature(name)) continue;
    Signature signature{.method = def.method_name()};
    LEAT_ASSIGN_OR_RETURN(signature.inputs, DecodeTensors(def.inputs(), name));
    LEAT_ASSIGN_OR_RETURN(signature.outputs,
                          DecodeTensors(def.outputs(), name));
    signatures[name] = std::move(signature);
  }
  return signatures;
}

pb::SignatureDef EncodeSignature(const Signature& signature) {
  pb::SignatureDef def;
  EncodeTensors(signature.inputs, *def.mutable_inputs());
  EncodeTensors(signature.outputs, *def.mutable_outputs());
  def.set_method_name(signature.method);
  return def;
}

absl::StatusOr<const Signature*> FindSignature(const Signatures& signatures,
                                               absl::string_view name) {
  const auto found = signatures.find(std::string(name));
  if (found != signatures.end()) return &found->second;
  return absl::NotFoundError(absl::StrCat("the model has no signature ",
                                          QuotedText(name), "; ",
                                          ListKeys(signatures)));
}

absl::StatusOr<TensorName> FindTensor(const Tensors& tensors,
                                      absl::string_view what,
                                      absl::string_view key) {
  const auto found = tensors.find(std::string(key));
  if (found == tensors.end()) {
    return absl::InvalidArgumentError(absl::StrCat("the signature has no ",
                                                   what, " ", QuotedText(key),
                                                   "; ", ListKeys(tensors)));
  }
  if (found->second.tensor.empty()) {
    return absl::UnimplementedError(absl::StrCat(
        what, " ", QuotedText(key),
        " of the signature is a sparse or composite tensor, which only its "
        "parts can stand for"));
  }
  return TensorName(found->second.tensor);
}

}  // namespace leat
