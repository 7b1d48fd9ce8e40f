// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// An ElementCollector collects the elements of a batch, and StackBatch makes
// one element of them: each component is their components, stacked along a new
// first dimension. JoinRows does the same along the first dimension that they
// have.
#ifndef LEAT_KERNELS_PIPELINE_BATCH_H_
#define LEAT_KERNELS_PIPELINE_BATCH_H_

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "leat/core/memory.h"
#include "leat/core/threads/work_queue.h"
#include "leat/kernels/pipeline/dataset.h"
#include "leat/kernels/pipeline/element_charge.h"

namespace leat::kernels {

// Says what becomes of a batch of which one element is an error. The elements
// before the error are dropped. Those after it, up to the size of the batch, go
// with them or are the begin of the next batch.
enum class AfterError { kNextBatch, kDropBatch };

// Collects the elements of a batch from a stage. One thread uses it at a time.
class ElementCollector {
 public:
  // If `drop_remainder` is true, a last batch with fewer than `size` elements
  // is dropped. REQUIRES: size > 0.
  ElementCollector(std::unique_ptr<Stage> input, int64_t size,
                   bool drop_remainder, const StageContext& context,
                   AfterError after_error = AfterError::kNextBatch)
      : input_(std::move(input)),
        size_(size),
        drop_remainder_(drop_remainder),
        after_error_(after_error),
        context_(context),
        charge_(context.pipeline) {}

  // Does what Stage::Next does, for a whole batch.
  absl::StatusOr<Progress> Next(std::vector<Element>& batch);

 private:
  const std::unique_ptr<Stage> input_;
  const int64_t size_;
  const bool drop_remainder_;
  const AfterError after_error_;
  const StageContext context_;
  ElementCharge charge_;
  std::vector<Element> elements_;
  int64_t count_ = 0;   // elements and errors of this batch
  absl::Status error_;  // the first error of this batch
  bool has_ended_ = false;
};

// Returns how many batches `count` elements give. `count` may also be
// Dataset::kInfinite or kUnknown.
int64_t NumBatches(int64_t count, int64_t size, bool drop_remainder);

// Returns the spec of batches of elements with the spec `element`. `size` is
// the number of their rows, or PartialShape::kUnknown.
absl::StatusOr<ElementSpec> BatchSpec(const ElementSpec& element, int64_t size);

// Allocates the result with `allocator`. `queue` runs large copies. Returns
// INVALID_ARGUMENT, with TensorFlow's text, if a component has different shapes
// or types, and RESOURCE_EXHAUSTED if there is no memory. REQUIRES: there is an
// element, and all have the same number of components.
absl::StatusOr<Element> StackBatch(const std::vector<Element>& elements,
                                   Allocator& allocator, WorkQueue& queue);

// Joins the rows of elements to one element. All elements have the same shapes,
// except that their numbers of rows may differ. The errors are those of
// StackBatch. REQUIRES: there is an element, and NumRows has accepted each.
absl::StatusOr<Element> JoinRows(const std::vector<Element>& elements,
                                 Allocator& allocator, WorkQueue& queue);

// Returns the extent of the first dimension of all components. Returns
// INVALID_ARGUMENT, with TensorFlow's text, if a component is a scalar or has
// another extent, or if there are no components.
absl::StatusOr<int64_t> NumRows(const Element& element);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_PIPELINE_BATCH_H_
