// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernel of MergeV2Checkpoints, which makes one checkpoint of
// several.
#include <memory>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "leat/checkpoint/bundle_paths.h"
#include "leat/checkpoint/merge_bundles.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/file_kernel.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::any::merge_checkpoints {
namespace {

class MergeV2Checkpoints final : public FileKernel {
 public:
  MergeV2Checkpoints(bool delete_old_folders, bool allow_missing)
      : delete_old_folders_(delete_old_folders),
        allow_missing_(allow_missing) {}

 private:
  absl::Status Run(KernelContext& context,
                   const FileAccess& files) const override {
    const Tensor& prefixes = context.input(0);
    const Tensor& merged = context.input(1);
    if (!prefixes.shape().IsVector()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Input checkpoint_prefixes should be an 1-D tensor, got ",
          prefixes.shape().DebugString(), " instead."));
    }
    if (!merged.shape().IsScalar()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Input destination_prefix should be a scalar tensor, got ",
          merged.shape().DebugString(), " instead."));
    }
    LEAT_RETURN_IF_ERROR(MergeBundles(files, prefixes.data<std::string>(),
                                      merged.scalar<std::string>(),
                                      allow_missing_, OptionsOf(context)));
    if (delete_old_folders_) {
      RemoveFolders(prefixes.data<std::string>(), merged.scalar<std::string>(),
                    files);
    }
    return absl::OkStatus();
  }

  // Removes the folders of the old checkpoints if nothing else is in them. As
  // in TensorFlow, it is no error if that fails.
  static void RemoveFolders(absl::Span<const std::string> prefixes,
                            const std::string& merged,
                            const FileAccess& files) {
    std::set<std::string> folders;
    for (const std::string& prefix : prefixes) folders.insert(FolderOf(prefix));
    folders.erase(FolderOf(merged));
    folders.erase("");
    for (const std::string& folder : folders) {
      files.RemoveFolder(folder).IgnoreError();
    }
  }

  const bool delete_old_folders_;
  const bool allow_missing_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeMerge(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const bool delete_old_folders,
                        node.attrs.Get<bool>("delete_old_dirs"));
  LEAT_ASSIGN_OR_RETURN(const bool allow_missing,
                        node.attrs.Get<bool>("allow_missing_files"));
  return std::unique_ptr<Kernel>(
      std::make_unique<MergeV2Checkpoints>(delete_old_folders, allow_missing));
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("MergeV2Checkpoints", kCpu, &MakeMerge);
}

}  // namespace leat::kernels::any::merge_checkpoints
