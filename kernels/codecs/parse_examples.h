// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ExampleParser turns serialized Examples into tensors. Ops and data sets
// parse Examples with it.
//
//   ExampleSpec spec;
//   spec.sparse.push_back({"words", DType::kString});
//   LEAT_ASSIGN_OR_RETURN(const ExampleParser parser,
//                         ExampleParser::Create(std::move(spec)));
//   LEAT_ASSIGN_OR_RETURN(const std::vector<Tensor> tensors,
//                         parser.ParseBatch(examples, {}, memory));
#ifndef LEAT_KERNELS_CODECS_PARSE_EXAMPLES_H_
#define LEAT_KERNELS_CODECS_PARSE_EXAMPLES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "leat/core/buffer.h"
#include "leat/core/tensor.h"
#include "leat/core/threads/work_queue.h"
#include "leat/kernels/codecs/example_spec.h"

namespace leat {

// Says where tensors are allocated, and which threads parse.
struct ParseResources {
  Allocator& allocator;
  WorkQueue& queue;
};

// Is immutable and thread-safe. All errors are INVALID_ARGUMENT, with the texts
// of TensorFlow, or RESOURCE_EXHAUSTED if there is no memory.
class ExampleParser {
 public:
  // Fails as CheckSpec does.
  static absl::StatusOr<ExampleParser> Create(ExampleSpec spec);

  // Parses a batch. Returns the tensors in this order: the indices of all
  // sparse features, their values, their shapes, the dense tensors, the values
  // of all ragged features, their row splits. `names` is empty, or has a name
  // for each Example, for errors.
  absl::StatusOr<std::vector<Tensor>> ParseBatch(
      absl::Span<const std::string> examples,
      absl::Span<const std::string> names,
      const ParseResources& resources) const;
  // Parses a single Example. The tensors have no axis for a batch, and row
  // splits are empty.
  absl::StatusOr<std::vector<Tensor>> ParseOne(
      const std::string& example, const ParseResources& resources) const;

  const ExampleSpec& spec() const { return spec_; }

 private:
  class Run;

  ExampleSpec spec_;
  // Has the position of each key among the sparse, the dense and the ragged
  // features, in this order.
  absl::flat_hash_map<std::string, int> positions_;
};

}  // namespace leat

#endif  // LEAT_KERNELS_CODECS_PARSE_EXAMPLES_H_
