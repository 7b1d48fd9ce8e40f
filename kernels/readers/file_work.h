// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// NewFileWork makes the work unit of a reader whose work is to read a file.
#ifndef LEAT_KERNELS_READERS_FILE_WORK_H_
#define LEAT_KERNELS_READERS_FILE_WORK_H_

#include <cstdint>
#include <memory>

#include "leat/kernels/codecs/inflater.h"
#include "leat/kernels/pipeline/file_records.h"
#include "leat/kernels/readers/work_unit.h"

namespace leat::kernels {

// Says what the key of a record is.
enum class RecordKey {
  kPath,            // the path of the file
  kPathAndLine,     // and the number of the line, from 1 on
  kPathAndIndex,    // and the number of the record, from 0 on
  kPathAndTfRecord  // and where the TFRecord begins, before compression
};

// Is a value.
struct FileWorkOptions {
  NewRecordFormat new_format = {};
  RecordKey key = RecordKey::kPath;
  // The whole file is one record. After an error, the next call reads the file
  // anew.
  bool is_one_record = false;
  Compression compression = Compression::kNone;
  // Says how many records at the begin of the file to leave out.
  int64_t skipped_records = 0;
};

// Makes the work of reading the file `path`, a scalar. After an error within
// the file, Next always returns that error, as in TensorFlow, unless the file
// is one record.
std::unique_ptr<WorkUnit> NewFileWork(const Tensor& path,
                                      const FileWorkOptions& options,
                                      const StageContext& context);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_READERS_FILE_WORK_H_
