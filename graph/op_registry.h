// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// OpRegistry holds the ops that exist, the signatures of their kernels, and the
// decoders of the variants that the ops make. The files of graph/ops/ register
// the ops of this library (docs/adding.md). A program can add ops of its own:
//
//   OpRegistry ops;
//   ops::RegisterAll(ops);  // the ops of this library
//   ops.Add({.name = "Twice",
//            .doc = "Returns 2 * x, element by element.",
//            .inputs = {"x: float"},
//            .outputs = {"y: float"},
//            .shape = shapes::Unchanged},
//           {OnCpu()});
//   GraphBuilder builder(ops);
//   Output input = builder.Placeholder<float>("input");
//   Output y = AddOp({.op = "Twice", .inputs = {input}}).output(0);
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
#include "leat/graph/op_spec.h"

namespace leat {

class OpTable;

// Owns its OpDefs and signatures, whose addresses never change. A program fills
// a registry once. From then on, the registry does not change and is
// thread-safe. It must outlive every graph that uses it, because nodes point at
// its OpDefs.
class OpRegistry {
 public:
  OpRegistry() = default;
  OpRegistry(OpRegistry&&) = default;
  OpRegistry& operator=(OpRegistry&&) = default;

  // Registers an op, with a signature for each of its kernels. REQUIRES: `spec`
  // is well-formed and its name is new; otherwise the process ends with a
  // message, because a spec is part of the program.
  void Add(const OpSpec& spec, std::vector<KernelSignature> kernels = {});

  // Registers an op that is not defined by an OpSpec. Fails with ALREADY_EXISTS
  // if the registry has an op of this name, and with INVALID_ARGUMENT if the
  // name is empty.
  absl::Status AddDef(OpDef op, std::vector<KernelSignature> kernels = {});

  // Makes the ops of `table` known, too. They have no kernels. If an op of the
  // same name is registered, Find and Lookup return the registered op. The
  // table is borrowed and must outlive the registry.
  void AddTable(const OpTable& table) { table_ = &table; }

  // Registers `decoder`, which decodes variants of type `type_name` from
  // messages. The file that defines the ops on such variants calls AddVariant.
  // REQUIRES: the type has no decoder yet.
  void AddVariant(absl::string_view type_name, VariantDecoder decoder) {
    variants_.Add(type_name, decoder);
  }
  const VariantDecoders& variants() const { return variants_; }

  // Returns the op `name`, or null if there is none.
  const OpDef* Find(absl::string_view name) const;
  // Returns the op `name`, or NOT_FOUND "Op type not registered 'X'".
  absl::StatusOr<const OpDef*> Lookup(absl::string_view name) const;

  // Returns true if the op was registered, and is not only in the table.
  bool IsRegistered(absl::string_view name) const {
    return ops_.contains(name);
  }

  // Returns the signatures of the kernels of an op, or none if the op is
  // unknown.
  absl::Span<const KernelSignature> Signatures(absl::string_view name) const;

  // Returns the first signature of `op` for this device type that accepts these
  // attrs, or null if there is none.
  const KernelSignature* FindSignature(absl::string_view op,
                                       absl::string_view device_type,
                                       const AttrMap& attrs) const;

  // Returns the ops that were registered, sorted by name. The ops of the table
  // are not among them.
  std::vector<const OpDef*> Ops() const;

 private:
  // Each Entry is in a unique_ptr, so that the address of its OpDef never
  // changes.
  struct Entry {
    OpDef op;
    std::vector<KernelSignature> kernels;
  };
  absl::flat_hash_map<std::string, std::unique_ptr<Entry>> ops_;
  const OpTable* table_ = nullptr;
  VariantDecoders variants_;
};

namespace ops {
// Registers every op of graph/ops/*.cc.
void RegisterAll(OpRegistry& registry);
}  // namespace ops

// Returns the ops of this library, with the table of all ops of TensorFlow. The
// ops are registered on first use and live as long as the process.
const OpRegistry& BuiltinOps();

}  // namespace leat

#endif  // LEAT_GRAPH_OP_REGISTRY_H_
