// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// BundleWriter writes a checkpoint: named tensors in TensorFlow's format, the
// tensor bundle. The files are those that TensorFlow would write, byte by byte.
//
//   LEAT_ASSIGN_OR_RETURN(auto writer, BundleWriter::Create(files, prefix));
//   LEAT_RETURN_IF_ERROR(writer->Add("w", w));
//   LEAT_RETURN_IF_ERROR(writer->Finish());
#ifndef LEAT_CHECKPOINT_BUNDLE_WRITER_H_
#define LEAT_CHECKPOINT_BUNDLE_WRITER_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/checkpoint/bundle_index.h"
#include "leat/checkpoint/bundle_options.h"
#include "leat/checkpoint/tensor_slice.h"
#include "leat/core/files/file_access.h"
#include "leat/core/files/replacement_file.h"
#include "leat/core/tensor.h"

namespace leat {

// Not thread-safe. All errors of files name the file.
//
// Before Finish, nothing is visible under `prefix`, and a checkpoint that
// exists there stays as it is. Finish writes all bytes to the disk and then
// gives the files their names, the index last (PublishBundle). So an index
// always belongs to a complete checkpoint, even after a crash: to the new one,
// or to the one that it replaces. The destructor of a writer that has not
// finished removes the files that were written.
class BundleWriter {
 public:
  // Makes the folder of `prefix` if there is none, and a file in it.
  static absl::StatusOr<std::unique_ptr<BundleWriter>> Create(
      const FileAccess& files, std::string prefix, BundleOptions options = {});

  // Writes the bytes of the tensor. Returns INVALID_ARGUMENT if `name` is empty
  // or was added before, or if the elements are resources or variants. Returns
  // INTERNAL, with the name of the memory, if the tensor is on a GPU.
  absl::Status Add(const std::string& name, const Tensor& tensor);

  // Adds a part of the tensor `name`, which has the shape `full`. Other parts
  // may follow. If the slice is whole, does what Add does. Returns
  // INVALID_ARGUMENT if the shape of `part` differs from the shape of the
  // slice, or if a part with another dtype or another `full` was added. Returns
  // the errors of Add and TensorSlice::ShapeWithin.
  absl::Status AddSlice(const std::string& name, const Shape& full,
                        const TensorSlice& slice, const Tensor& part);

  // Makes the checkpoint visible. REQUIRES: it is called once, after all calls
  // of Add and AddSlice.
  absl::Status Finish();

 private:
  BundleWriter(const FileAccess& files, std::string prefix,
               BundleOptions options, ReplacementFile data);

  absl::Status CheckNotCancelled() const;
  // Appends the elements and returns their checksum.
  absl::StatusOr<uint32_t> AppendElements(const Tensor& tensor);

  const FileAccess files_;
  const std::string prefix_;
  const BundleOptions options_;
  ReplacementFile data_;
  BundleEntries entries_;
};

}  // namespace leat

#endif  // LEAT_CHECKPOINT_BUNDLE_WRITER_H_
