// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of ReadFile, WriteFile and MatchingFiles.
#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "leat/core/files/matching_paths.h"
#include "leat/core/files/regular_file.h"
#include "leat/core/files/replacement_file.h"
#include "leat/core/held_bytes.h"
#include "leat/core/saturating.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/file_kernel.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::any::files {
namespace {

// Returns the scalar input `i`, which TensorFlow calls `name`.
absl::StatusOr<std::string> GetText(const KernelContext& context, int i,
                                    absl::string_view name) {
  const Tensor& input = context.input(i);
  if (!input.shape().IsScalar()) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, " tensor must be scalar, but had shape: ",
                     input.shape().DebugString()));
  }
  return input.scalar<std::string>();
}

class ReadFile final : public FileKernel {
  absl::Status Run(KernelContext& context,
                   const FileAccess& files) const override {
    LEAT_ASSIGN_OR_RETURN(const std::string path,
                          GetText(context, 0, "Input filename"));
    LEAT_ASSIGN_OR_RETURN(
        RegularFile file,
        RegularFile::Open(path, std::numeric_limits<int64_t>::max(), files));
    const auto size = static_cast<size_t>(file.size());
    LEAT_ASSIGN_OR_RETURN(
        Tensor* const output,
        context.AllocateOutput(0, Shape{}, HeldBytesOfText(size)));
    std::string& contents = output->mutable_data<std::string>()[0];
    contents.resize(size);
    return file.Read(contents.data(), size);
  }
};

class WriteFile final : public FileKernel {
  absl::Status Run(KernelContext& context,
                   const FileAccess& files) const override {
    LEAT_ASSIGN_OR_RETURN(const std::string path,
                          GetText(context, 0, "Input filename"));
    LEAT_ASSIGN_OR_RETURN(const std::string contents,
                          GetText(context, 1, "Contents"));
    const size_t slash = path.rfind('/');
    if (slash != std::string::npos && slash > 0) {
      LEAT_RETURN_IF_ERROR(files.MakeFolders(path.substr(0, slash)));
    }
    LEAT_ASSIGN_OR_RETURN(ReplacementFile file,
                          ReplacementFile::Create(files, path));
    LEAT_RETURN_IF_ERROR(file.Append(contents));
    return file.Commit();
  }
};

class MatchingFiles final : public FileKernel {
  absl::Status Run(KernelContext& context,
                   const FileAccess& files) const override {
    const Tensor& patterns = context.input(0);
    if (patterns.rank() > 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("Input patterns tensor must be scalar or vector, but "
                       "had shape: ",
                       patterns.shape().DebugString()));
    }
    std::vector<std::string> paths;
    for (const std::string& pattern : patterns.data<std::string>()) {
      LEAT_ASSIGN_OR_RETURN(
          std::vector<std::string> found,
          MatchingPaths(files, pattern, context.step().cancellation));
      std::move(found.begin(), found.end(), std::back_inserter(paths));
      if (paths.size() > kMaxMatchingPaths) {
        return absl::ResourceExhaustedError(absl::StrCat(
            "more than ", kMaxMatchingPaths, " paths match the patterns"));
      }
    }
    std::sort(paths.begin(), paths.end());
    const auto count = static_cast<int64_t>(paths.size());
    LEAT_ASSIGN_OR_RETURN(
        Tensor* const output,
        context.AllocateOutput(0, Shape{count},
                               MostHeldBytes(count, TextBytes(paths))));
    std::move(paths.begin(), paths.end(),
              output->mutable_data<std::string>().begin());
    return absl::OkStatus();
  }
};

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("ReadFile", kCpu, &Make<ReadFile>);
  registry.Add("WriteFile", kCpu, &Make<WriteFile>);
  registry.Add("MatchingFiles", kCpu, &Make<MatchingFiles>);
}

}  // namespace leat::kernels::any::files
