// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Loads bytes as the file saved_model.pb of a SavedModel. The folder of the
// SavedModel also has variables and an asset.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "leat/core/check.h"
#include "leat/core/files/file_access.h"
#include "leat/core/files/output_file.h"
#include "leat/train/saved_model/meta_graphs.h"
#include "leat/train/saved_model/saved_model_graph.h"

namespace {

// Makes the folder of a SavedModel that has all files except saved_model.pb.
std::string MakeFolder() {
  std::string folder = "/tmp/leat_saved_model_fuzz_XXXXXX";
  LEAT_CHECK(mkdtemp(folder.data()) != nullptr);
  const leat::FileAccess files = leat::FileAccess::Unrestricted();
  for (const char* name : {"variables/variables.index", "assets/words.txt"}) {
    const std::string path = absl::StrCat(folder, "/", name);
    LEAT_CHECK(files.MakeFolders(path.substr(0, path.rfind('/'))).ok());
    LEAT_CHECK(leat::WriteFile(path, "x").ok());
  }
  return folder;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::string* const folder = new std::string(MakeFolder());
  const absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  // The file is not written with WriteFile, because WriteFile waits for the
  // disk.
  std::ofstream(absl::StrCat(*folder, "/", leat::kSavedModelFile),
                std::ios::binary)
      << bytes;
  leat::SavedModelGraphOptions options;
  options.limits.max_nodes = 1000;
  options.limits.max_edges = 10'000;
  options.limits.max_functions = 100;
  options.limits.max_attr_bytes = 1 << 20;
  options.limits.max_total_attr_bytes = 4 << 20;
  options.limits.max_nesting = 10;
  const auto model = leat::LoadSavedModelGraph(*folder, options);
  if (!model.ok()) {
    LEAT_CHECK(model.status().message().find(*folder) != std::string::npos);
    return 0;
  }
  // Each signature of the loaded model must be found by its name.
  for (const auto& [name, signature] : model->signatures) {
    LEAT_CHECK(leat::FindSignature(model->signatures, name).ok());
    for (const auto& [key, tensor] : signature.outputs) {
      leat::FindTensor(signature.outputs, "output", key).IgnoreError();
    }
  }
  return 0;
}
