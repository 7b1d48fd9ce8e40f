// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// OpRegistry: which ops exist, and which variants their messages may hold.
// Filled once, then const and thread-safe; it
// outlives every graph, which points at its OpDefs.
#ifndef LEAT_GRAPH_OP_REGISTRY_H_
#define LEAT_GRAPH_OP_REGISTRY_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "leat/core/variant_codec.h"
#include "leat/graph/kernel_signature.h"
#include "leat/graph/op_def.h"

namespace leat {

class OpRegistry {
 public:
  OpRegistry() = default;
  OpRegistry(OpRegistry&&) = default;
  OpRegistry& operator=(OpRegistry&&) = default;

  // REQUIRES: a well-formed spec of a new name (it is our own source text);
  // the process ends with the reason otherwise. `kernels` say where it runs.
  void Add(const OpSpec& spec, std::vector<KernelSignature> kernels = {});

  // The same for definitions from elsewhere: ALREADY_EXISTS for a known name.
  absl::Status AddDef(OpDef op, std::vector<KernelSignature> kernels = {});

  // What reads a type of variants from messages, in the file of the ops that
  // make them. REQUIRES: not added yet for this type.
  void AddVariant(absl::string_view type_name, VariantDecoder decoder) {
    variants_.Add(type_name, decoder);
  }
  const VariantDecoders& variants() const { return variants_; }

  // Null when unknown.
  const OpDef* Find(absl::string_view name) const;
  // NOT_FOUND "Op type not registered 'X'".
  absl::StatusOr<const OpDef*> Lookup(absl::string_view name) const;

  // Where kernels of the op are declared to exist.
  absl::Span<const KernelSignature> Signatures(absl::string_view name) const;

  // The first signature for a device type that accepts these attrs, or null.
  const KernelSignature* FindSignature(absl::string_view op,
                                       absl::string_view device_type,
                                       const AttrMap& attrs) const;

  // All ops, sorted by name.
  std::vector<const OpDef*> Ops() const;

 private:
  struct Entry {
    OpDef op;
    std::vector<KernelSignature> kernels;
  };
  absl::flat_hash_map<std::string, std::unique_ptr<Entry>> ops_;
  VariantDecoders variants_;
};

namespace ops {
// Registers every op of graph/ops/*.cc.
void RegisterAll(OpRegistry& registry);
}  // namespace ops

// The ops of this library.
const OpRegistry& BuiltinOps();

}  // namespace leat

#endif  // LEAT_GRAPH_OP_REGISTRY_H_
