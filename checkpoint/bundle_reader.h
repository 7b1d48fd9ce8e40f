// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// BundleReader reads the tensors of a checkpoint in TensorFlow's format.
//
//   LEAT_ASSIGN_OR_RETURN(auto reader, BundleReader::Open(files, prefix));
//   LEAT_ASSIGN_OR_RETURN(Tensor w, reader->Read("w", allocator));
#ifndef LEAT_CHECKPOINT_BUNDLE_READER_H_
#define LEAT_CHECKPOINT_BUNDLE_READER_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/checkpoint/bundle_options.h"
#include "leat/checkpoint/checked_stream.h"
#include "leat/checkpoint/index_memory.h"
#include "leat/checkpoint/index_table.h"
#include "leat/checkpoint/slice_runs.h"
#include "leat/checkpoint/tensor_slice.h"
#include "leat/core/buffer.h"
#include "leat/core/files/file_access.h"
#include "leat/core/files/file_descriptor.h"
#include "leat/core/tensor.h"
#include "leat/core/threads/mutex.h"
#include "leat/protos/tensor_bundle.pb.h"

namespace leat {

// Describes a tensor in a checkpoint.
struct BundleEntry {
  DType dtype = DType::kInvalid;
  Shape shape;
  // The parts in which the tensor was saved. Empty if it was saved as a whole.
  std::vector<TensorSlice> slices;
  pb::BundleEntryProto proto;
};

// Trusts nothing in the files. All errors name the file, and the tensor if
// there is one. Every error for a damaged file is DATA_LOSS. Thread-safe.
class BundleReader {
 public:
  // Reads the index. Returns NOT_FOUND if there is no checkpoint of this
  // prefix, and RESOURCE_EXHAUSTED if there is no memory.
  static absl::StatusOr<std::unique_ptr<BundleReader>> Open(
      const FileAccess& files, std::string prefix, BundleOptions options = {});

  const std::string& prefix() const { return prefix_; }
  int num_shards() const { return header_.num_shards(); }
  // Returns the names of the tensors, sorted.
  std::vector<std::string> Names() const;
  // Returns true if the checkpoint has the tensor `name`.
  bool Contains(absl::string_view name) const;
  // Returns NOT_FOUND, in TensorFlow's words, if there is no such tensor.
  absl::StatusOr<BundleEntry> Find(absl::string_view name) const;

  // Returns a tensor, in memory of `allocator`, after its checksum has been
  // checked. A tensor that was saved in parts is put together. Returns
  // NOT_FOUND if there is no such tensor or the saved parts do not cover it,
  // and RESOURCE_EXHAUSTED if there is no memory.
  absl::StatusOr<Tensor> Read(absl::string_view name,
                              Allocator& allocator) const;
  // Returns a part of a tensor, even if the tensor was saved in other parts.
  // Returns the errors of Read, and INVALID_ARGUMENT if the part does not lie
  // within the tensor.
  absl::StatusOr<Tensor> ReadSlice(absl::string_view name,
                                   const TensorSlice& slice,
                                   Allocator& allocator) const;

  // Calls `visit` with all elements of a part of a tensor, some at a time, in
  // the order in which they are saved. `bytes` has these elements, and `first`
  // is the number of the first of them in the part. The checksum of a saved
  // piece is checked after the last call for it. Allocates no memory for the
  // part. Returns INVALID_ARGUMENT for strings, and otherwise the errors of
  // ReadSlice.
  absl::Status Visit(
      absl::string_view name, const TensorSlice& slice,
      absl::FunctionRef<void(int64_t first, absl::string_view bytes)> visit)
      const;
  // Checks all that Read checks, with all checksums of the tensor, but
  // allocates no memory for the tensor.
  absl::Status Verify(absl::string_view name) const;

  // Returns the keys of the entries of the index, sorted: names of tensors, and
  // keys of parts (slice_key.h).
  std::vector<absl::string_view> Keys() const;
  // Returns an entry of the index. Returns NOT_FOUND if there is none, and
  // DATA_LOSS if the entry cannot be parsed or names a data file that the
  // checkpoint does not have.
  absl::StatusOr<pb::BundleEntryProto> FindEntry(absl::string_view key) const;

 private:
  // A part of a tensor that has bytes in a file.
  struct Piece {
    std::string name;
    Box box;
    pb::BundleEntryProto proto;
  };

  // A file with bytes of tensors.
  struct DataFile {
    std::string path;
    FileDescriptor file;
    int64_t size;
  };

  BundleReader(const FileAccess& files, std::string prefix,
               const BundleOptions& options)
      : files_(files),
        prefix_(std::move(prefix)),
        cancellation_(options.cancellation),
        memory_(*options.allocator) {}

  absl::Status ReadIndex(Allocator& allocator);
  // Does the same as ReadSlice. `entry` is the result of Find(name).
  absl::StatusOr<Tensor> ReadPart(absl::string_view name,
                                  const BundleEntry& entry,
                                  const TensorSlice& slice,
                                  Allocator& allocator) const;
  absl::Status Damaged(absl::string_view name, absl::string_view what) const;
  const std::string* FindValue(absl::string_view key) const;
  // Returns the pieces that together contain the part `slice`. First checks
  // that the data files have the bytes of these pieces. Sets `wanted` to the
  // part.
  absl::StatusOr<std::vector<Piece>> PiecesOf(absl::string_view name,
                                              const BundleEntry& entry,
                                              const TensorSlice& slice,
                                              Box& wanted) const;
  // Returns the pieces that together contain all elements of `wanted`. Returns
  // NOT_FOUND if elements are missing.
  absl::StatusOr<std::vector<Piece>> FindPieces(absl::string_view name,
                                                const BundleEntry& entry,
                                                const Box& wanted) const;
  // Opens a data file. Keeps it open until another one is opened, because the
  // next piece may be in the same file.
  absl::StatusOr<std::shared_ptr<const DataFile>> OpenData(int shard) const;
  // Returns DATA_LOSS if the file does not have the bytes of the piece, or if
  // their number does not fit its shape.
  absl::Status CheckBytes(const Piece& piece, DType dtype) const;
  // Calls `read` with the bytes of the piece, and then checks their checksum.
  absl::Status WithStream(
      const Piece& piece,
      absl::FunctionRef<absl::Status(CheckedStream& stream)> read) const;
  // Calls `read` for each run of elements that are in `wanted`, with the stream
  // at the first byte of the run. Elements have `size` bytes.
  absl::Status ReadRuns(
      const Piece& piece, const Box& wanted, int64_t size,
      absl::FunctionRef<absl::Status(const SliceRun&, CheckedStream&)> read)
      const;
  // Copies the elements of the piece that are in `wanted` to `result`, which
  // has the extents of `wanted`.
  absl::Status ReadPlainPiece(const Piece& piece, const Box& wanted,
                              Tensor& result) const;
  // Returns the whole piece.
  absl::StatusOr<Tensor> ReadStringPiece(const Piece& piece,
                                         Allocator& allocator) const;

  const FileAccess files_;
  const std::string prefix_;
  const Cancellation* const cancellation_;
  IndexMemory memory_;  // counts header_ and entries_
  pb::BundleHeaderProto header_;
  IndexEntries entries_;  // without the header, sorted by key

  mutable Mutex mutex_;
  // The data file that was opened last, and its number.
  mutable std::shared_ptr<const DataFile> last_file_ ABSL_GUARDED_BY(mutex_);
  mutable int last_shard_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace leat

#endif  // LEAT_CHECKPOINT_BUNDLE_READER_H_
