// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// WorkUnit is what a reader makes of a string that it takes from its queue: a
// sequence of records with keys. The string is mostly the path of a file.
#ifndef LEAT_KERNELS_READERS_WORK_UNIT_H_
#define LEAT_KERNELS_READERS_WORK_UNIT_H_

#include <cstdint>

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
  // Tells the work units of a reader apart. The reader sets it.
  int64_t unit = 0;
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

  // Returns false after an error that kept the work from beginning, so that the
  // reader leaves it out. Otherwise the reader calls Next again. Next must then
  // return the error again if nobody has got it.
  virtual bool CouldBegin() const = 0;
};

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_READERS_WORK_UNIT_H_
