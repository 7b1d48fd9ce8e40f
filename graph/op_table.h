// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// OpTable has the definitions of many ops as text, and parses each one when it
// is first looked up. TensorFlowOps() is the table of all ops of TensorFlow
// 2.15. Graphs may contain each of them, even though Leat has kernels for only
// some (`leat ops` lists these).
//
//   const OpDef* op = TensorFlowOps().Find("DecodeJpeg");
#ifndef LEAT_GRAPH_OP_TABLE_H_
#define LEAT_GRAPH_OP_TABLE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/threads/mutex.h"
#include "leat/graph/op_def.h"

namespace leat {

// Is thread-safe. Owns its OpDefs, whose addresses never change. They have no
// shape function and no doc.
class OpTable {
 public:
  // `text` has one block of lines per op. The arguments and attrs have the form
  // that OpSpec describes. Lines that begin with '#' are comments:
  //
  //   op SparseToDense
  //     input sparse_indices: Tindices
  //     output dense: T
  //     attr validate_indices: bool = true
  //
  // An op may also have lines "  is_stateful", "  is_commutative",
  // "  is_aggregate" and "  allows_uninitialized_input". The text is borrowed
  // and must outlive the table.
  explicit OpTable(absl::string_view text);

  // Returns the op `name`, or null if the table does not have it. REQUIRES: the
  // definition of the op is well-formed; otherwise the process ends with a
  // message, because the text is part of the program.
  const OpDef* Find(absl::string_view name) const;

  // Returns the names of all ops, sorted.
  std::vector<absl::string_view> Names() const;

 private:
  // Holds the lines of each op without the line that has its name.
  absl::flat_hash_map<absl::string_view, absl::string_view> blocks_;
  mutable Mutex mutex_;
  // Holds the ops that were looked up.
  mutable absl::flat_hash_map<std::string, std::unique_ptr<const OpDef>> parsed_
      ABSL_GUARDED_BY(mutex_);
};

// Returns the ops of TensorFlow 2.15, without those that TensorFlow's passes
// make for oneDNN. graph/op_table.txt has the text.
const OpTable& TensorFlowOps();

}  // namespace leat

#endif  // LEAT_GRAPH_OP_TABLE_H_
