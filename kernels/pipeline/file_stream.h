// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// FileStream gives a stage the bytes of a file, chunk by chunk, and never lets
// it wait. Threads for files read and decompress. A named pipe is read whenever
// there is something in it, and holds no thread before.
//
//   FileStream stream("x.gz", {.compression = Compression::kGzip}, context);
//   LEAT_ASSIGN_OR_RETURN(const Progress progress, stream.Next(chunk));
#ifndef LEAT_KERNELS_PIPELINE_FILE_STREAM_H_
#define LEAT_KERNELS_PIPELINE_FILE_STREAM_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/buffer.h"
#include "leat/kernels/codecs/inflater.h"
#include "leat/kernels/pipeline/dataset.h"

namespace leat::kernels {

// Is a value.
struct FileStreamOptions {
  Compression compression = Compression::kNone;
  // Says how large chunks are, within limits. 0 stands for the default.
  int64_t chunk_bytes = 0;
  // Says how many bytes to leave out first. They count after decompression.
  int64_t skipped_bytes = 0;
};

// Is a part of a file in memory.
struct FileChunk {
  BufferRef memory = {};
  absl::string_view bytes = {};  // in `memory`
};

// One thread uses it at a time. Holds at most two chunks: the next one is read
// while the caller works with the last one. The memory is that of the pipeline.
// If the stream is destroyed while it reads, the read ends by itself.
class FileStream {
 public:
  // Nothing is read before the first call of Next.
  FileStream(std::string path, const FileStreamOptions& options,
             const StageContext& context);
  ~FileStream();
  FileStream(const FileStream&) = delete;
  FileStream& operator=(const FileStream&) = delete;

  // Does what Stage::Next does, for chunks, which are not empty. The errors are
  // those of FileAccess::OpenToStream, of the system, and of Inflater. They
  // name the file. After an error, the result is always that error.
  absl::StatusOr<Progress> Next(FileChunk& chunk);

  // These two may be called when Next has returned anything but kWaiting.
  // Returns true if the file could be opened.
  bool is_open() const;
  // Returns the number of bytes that the file had when it was opened. Returns
  // nothing for a pipe, and for a file that is compressed or not open.
  std::optional<int64_t> size() const;

 private:
  class Reader;

  const std::shared_ptr<Reader> reader_;
  bool is_reading_ = false;
  bool has_ended_ = false;
  absl::Status error_;
};

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_PIPELINE_FILE_STREAM_H_
