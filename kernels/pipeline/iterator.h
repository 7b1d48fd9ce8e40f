// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Iterator is the resource behind TensorFlow's Iterator, IteratorV2 and
// OneShotIterator: a place for a stream of elements, which an initializer sets.
#ifndef LEAT_KERNELS_PIPELINE_ITERATOR_H_
#define LEAT_KERNELS_PIPELINE_ITERATOR_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "leat/core/threads/mutex.h"
#include "leat/kernels/pipeline/element_stream.h"
#include "leat/kernels/resource_store.h"

namespace leat::kernels {

// Is thread-safe.
class Iterator final : public Resource {
 public:
  static constexpr char kTypeName[] = "N10tensorflow4data16IteratorResourceE";

  // Makes an iterator without a stream. All elements must agree with `spec`.
  explicit Iterator(ElementSpec spec) : spec_(std::move(spec)) {}
  // Closes all streams that the iterator has had.
  ~Iterator() override;

  const ElementSpec& spec() const { return spec_; }

  // Replaces the stream. Calls that wait for the old stream go on waiting.
  void SetStream(std::shared_ptr<ElementStream> stream);
  // Sets the stream unless there is one already.
  void SetFirstStream(std::shared_ptr<ElementStream> stream);
  // Returns the stream. Returns FAILED_PRECONDITION, with TensorFlow's text, if
  // there is none yet.
  absl::StatusOr<std::shared_ptr<ElementStream>> stream() const;

  std::string DebugString() const override { return "an iterator"; }

 private:
  const ElementSpec spec_;
  mutable Mutex mutex_;
  std::shared_ptr<ElementStream> stream_ ABSL_GUARDED_BY(mutex_);
  // Are earlier streams for which calls may still wait.
  std::vector<std::weak_ptr<ElementStream>> replaced_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_PIPELINE_ITERATOR_H_
