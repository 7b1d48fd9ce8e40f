// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// WorkUnit is what a reader makes of a string that it takes from its queue: a
// sequence of records with keys. The string is mostly the path of a file.
#ifndef LEAT_KERNELS_READERS_WORK_UNIT_H_
#define LEAT_KERNELS_READERS_WORK_UNIT_H_

#include "absl/status/statusor.h"
#include "leat/core/tensor.h"
#include "leat/kernels/pipeline/dataset.h"

namespace leat::kernels {

// Is a record with its key. Both are scalars.
struct KeyedRecord {
  Tensor key = {};
  Tensor value = {};
  // The work unit is done, and has no more records.
  bool is_last = false;
};

// One thread uses it at a time.
class WorkUnit {
 public:
  WorkUnit() = default;
  virtual ~WorkUnit() = default;
  WorkUnit(const WorkUnit&) = delete;
  WorkUnit& operator=(const WorkUnit&) = delete;

  // Does what Stage::Next does, for records with keys. `record` is empty before
  // the call. If only the memory for a record was missing, the next call gives
  // this record.
  virtual absl::StatusOr<Progress> Next(KeyedRecord& record) = 0;

  // Returns false if the work could not begin, so that the reader leaves it
  // out. Otherwise the reader calls Next again. REQUIRES: Next has returned an
  // error.
  virtual bool HasBegun() const = 0;
};

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_READERS_WORK_UNIT_H_
