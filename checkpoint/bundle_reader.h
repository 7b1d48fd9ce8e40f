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

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/checkpoint/checked_stream.h"
#include "leat/checkpoint/index_table.h"
#include "leat/checkpoint/slice_runs.h"
#include "leat/checkpoint/tensor_slice.h"
#include "leat/core/buffer.h"
#include "leat/core/files/file_access.h"
#include "leat/core/files/file_descriptor.h"
#include "leat/core/tensor.h"
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
// there is one. DATA_LOSS stands for a file that is damaged, whatever the
// damage. Thread-safe.
class BundleReader {
 public:
  // Reads the index. Returns NOT_FOUND if there is no checkpoint of this
  // prefix.
  static absl::StatusOr<std::unique_ptr<BundleReader>> Open(
      const FileAccess& files, std::string prefix);

  const std::string& prefix() const { return prefix_; }
  int num_shards() const { return header_.num_shards(); }
  // Returns the names of the tensors, sorted.
  std::vector<std::string> Names() const;
  // Returns true if the checkpoint has the tensor `name`.
  bool Contains(absl::string_view name) const;
  // Returns NOT_FOUND, in TensorFlow's words, if there is no such tensor.
  absl::StatusOr<BundleEntry> Find(absl::string_view name) const;

  // Returns a tensor, in memory of `allocator`, once its checksum was checked.
  // A tensor that was saved in parts is put together. Returns NOT_FOUND if
  // there is no such tensor, and RESOURCE_EXHAUSTED if there is no memory.
  absl::StatusOr<Tensor> Read(absl::string_view name,
                              Allocator& allocator) const;
  // Returns a part of a tensor, however the tensor was saved. Also returns
  // INVALID_ARGUMENT if the part does not lie within the tensor.
  absl::StatusOr<Tensor> ReadSlice(absl::string_view name,
                                   const TensorSlice& slice,
                                   Allocator& allocator) const;

  // Returns the entries of the index, without the header. MergeBundles uses
  // them.
  const IndexEntries& entries() const { return entries_; }

 private:
  // A part of a tensor that has bytes in a file.
  struct Piece {
    std::string name;
    Box box;
    pb::BundleEntryProto proto;
  };

  struct OpenPiece {
    FileDescriptor file;
    CheckedStream stream;  // of the piece; it reads from `file`
  };

  BundleReader(const FileAccess& files, std::string prefix)
      : files_(files), prefix_(std::move(prefix)) {}

  // Does what ReadSlice does. `entry` is what Find has returned for `name`.
  absl::StatusOr<Tensor> ReadPart(absl::string_view name,
                                  const BundleEntry& entry,
                                  const TensorSlice& slice,
                                  Allocator& allocator) const;
  absl::Status Damaged(absl::string_view name, absl::string_view what) const;
  const std::string* FindValue(absl::string_view key) const;
  absl::StatusOr<pb::BundleEntryProto> Parse(absl::string_view key,
                                             absl::string_view name) const;
  // Returns the pieces that have elements of `wanted`, which they cover.
  absl::StatusOr<std::vector<Piece>> FindPieces(absl::string_view name,
                                                const BundleEntry& entry,
                                                const Box& wanted) const;
  // Opens the file with the bytes of the piece, and checks that it has them.
  absl::StatusOr<OpenPiece> OpenData(const Piece& piece) const;
  // Returns DATA_LOSS if the file does not have the bytes of the piece, or if
  // these are too few or too many.
  absl::Status CheckBytes(const Piece& piece, DType dtype) const;
  // Copies the elements that are wanted to `result`, which is the wanted part.
  absl::Status ReadPlainPiece(const Piece& piece, const Box& wanted,
                              Tensor& result) const;
  // Returns the whole piece.
  absl::StatusOr<Tensor> ReadStringPiece(const Piece& piece,
                                         Allocator& allocator) const;

  const FileAccess files_;
  const std::string prefix_;
  pb::BundleHeaderProto header_;
  IndexEntries entries_;  // without the header, sorted by key
};

}  // namespace leat

#endif  // LEAT_CHECKPOINT_BUNDLE_READER_H_
