// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of InitializeTableFromTextFile and
// InitializeTableFromTextFileV2.
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/files/regular_file.h"
#include "leat/core/held_bytes.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/file_kernel.h"
#include "leat/kernels/handle_output.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/lookup/lookup_table.h"
#include "leat/kernels/lookup/text_entries.h"

namespace leat::kernels::any::lookup_text_file {
namespace {

absl::StatusOr<std::string> GetPath(const Tensor& filename) {
  if (!filename.shape().IsScalar()) {
    return absl::InvalidArgumentError(
        absl::StrCat("filename should be a single string, but got ",
                     filename.shape().DebugString()));
  }
  if (filename.scalar<std::string>().empty()) {
    return absl::InvalidArgumentError("filename cannot be empty.");
  }
  return filename.scalar<std::string>();
}

class InitializeFromTextFile final : public FileKernel {
 public:
  explicit InitializeFromTextFile(TextFormat format) : format_(format) {}

 private:
  absl::Status Run(KernelContext& context,
                   const FileAccess& files) const final {
    LEAT_ASSIGN_OR_RETURN(const std::shared_ptr<LookupTable> table,
                          FindResource<LookupTable>(context, 0));
    LEAT_ASSIGN_OR_RETURN(const std::string path, GetPath(context.input(1)));
    TextFormat format = format_;
    format.key_dtype = table->options().key_dtype;
    format.value_dtype = table->options().value_dtype;
    LEAT_RETURN_IF_ERROR(CheckTextFormat(format));
    LEAT_ASSIGN_OR_RETURN(const TableEntries entries,
                          Read(context, path, format, files));
    const absl::Status status =
        table->Initialize(context, entries.keys, entries.values);
    // As in TensorFlow, it is no error if the table has other entries already.
    return absl::IsFailedPrecondition(status) && table->IsInitialized()
               ? absl::OkStatus()
               : status;
  }

  static absl::StatusOr<TableEntries> Read(KernelContext& context,
                                           const std::string& path,
                                           const TextFormat& format,
                                           const FileAccess& files) {
    LEAT_ASSIGN_OR_RETURN(
        RegularFile file,
        RegularFile::Open(path, std::numeric_limits<int64_t>::max(), files));
    Allocator& allocator = context.step().device->host_allocator();
    const BufferRef text = allocator.Allocate(static_cast<size_t>(file.size()));
    if (text == nullptr) {
      return absl::ResourceExhaustedError(
          absl::StrCat("There is not enough memory to read ", path,
                       ", which has ", file.size(), " bytes"));
    }
    const auto size = static_cast<size_t>(file.size());
    LEAT_RETURN_IF_ERROR(file.Read(text->data(), size));
    return ParseTextEntries(absl::string_view(text->data(), size), path, format,
                            allocator);
  }

  const TextFormat format_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeInitialize(const NodeDef& node) {
  TextFormat format;
  LEAT_ASSIGN_OR_RETURN(format.key_index, node.attrs.Get<int64_t>("key_index"));
  LEAT_ASSIGN_OR_RETURN(format.value_index,
                        node.attrs.Get<int64_t>("value_index"));
  LEAT_ASSIGN_OR_RETURN(format.vocab_size,
                        node.attrs.Get<int64_t>("vocab_size"));
  LEAT_ASSIGN_OR_RETURN(format.offset, node.attrs.Get<int64_t>("offset"));
  LEAT_ASSIGN_OR_RETURN(const std::string delimiter,
                        node.attrs.Get<std::string>("delimiter"));
  if (delimiter.size() != 1) {
    return absl::InvalidArgumentError("delimiter should be only 1 char");
  }
  format.delimiter = delimiter[0];
  return std::unique_ptr<Kernel>(
      std::make_unique<InitializeFromTextFile>(format));
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("InitializeTableFromTextFile", kCpu, &MakeInitialize);
  registry.Add("InitializeTableFromTextFileV2", kCpu, &MakeInitialize);
}

}  // namespace leat::kernels::any::lookup_text_file
