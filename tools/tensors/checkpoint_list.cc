// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/tensors/checkpoint_list.h"

#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "leat/checkpoint/checkpoint_state.h"
#include "leat/checkpoint/slice_key.h"
#include "leat/core/saturating.h"
#include "leat/core/status_macros.h"
#include "leat/tools/tensors/tensor_json.h"

namespace leat {
namespace {

using Json = nlohmann::ordered_json;

Json Listed(const std::string& prefix, bool is_latest) {
  return {{"prefix", prefix},
          {"latest", is_latest},
          {"tensors", 0},
          {"bytes", 0},
          {"error", ""}};
}

// Returns the checkpoints of a folder. Does not open them, so
// "tensors" and "bytes" are 0.
absl::StatusOr<Json> CheckpointsIn(const FileAccess& files,
                                   const std::string& folder) {
  Json list = Json::array();
  const auto state = ReadCheckpointState(files, folder);
  if (state.ok()) {
    for (const std::string& prefix : state->all_model_checkpoint_paths()) {
      list.push_back(Listed(prefix, prefix == state->model_checkpoint_path()));
    }
    return list;
  }
  if (!absl::IsNotFound(state.status())) return state.status();
  LEAT_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                        files.List(folder));
  for (absl::string_view name : names) {
    if (!absl::ConsumeSuffix(&name, ".index")) continue;
    list.push_back(
        Listed(absl::StrCat(absl::StripSuffix(folder, "/"), "/", name), false));
  }
  return list;
}

// Counts the tensors of a checkpoint and their bytes.
absl::Status Count(const FileAccess& files, Json& listed) {
  LEAT_ASSIGN_OR_RETURN(
      const auto reader,
      BundleReader::Open(files, listed["prefix"].get<std::string>()));
  const std::vector<std::string> names = reader->Names();
  int64_t sum = 0;
  for (const std::string& name : names) {
    LEAT_ASSIGN_OR_RETURN(const BundleEntry entry, reader->Find(name));
    LEAT_ASSIGN_OR_RETURN(const int64_t bytes,
                          BytesInFiles(*reader, name, entry));
    sum = SaturatingAdd(sum, bytes);
  }
  listed["tensors"] = names.size();
  listed["bytes"] = sum;
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<int64_t> BytesInFiles(const BundleReader& reader,
                                     const std::string& name,
                                     const BundleEntry& entry) {
  if (entry.slices.empty()) return entry.proto.size();
  int64_t bytes = 0;
  for (const TensorSlice& slice : entry.slices) {
    LEAT_ASSIGN_OR_RETURN(const pb::BundleEntryProto part,
                          reader.FindEntry(SliceKey(name, slice)));
    bytes = SaturatingAdd(bytes, part.size());
  }
  return bytes;
}

absl::StatusOr<Json> ListTensors(const BundleReader& reader) {
  Json tensors = Json::array();
  for (const std::string& name : reader.Names()) {
    LEAT_ASSIGN_OR_RETURN(const BundleEntry entry, reader.Find(name));
    LEAT_ASSIGN_OR_RETURN(const int64_t bytes,
                          BytesInFiles(reader, name, entry));
    tensors.push_back({{"name", name},
                       {"dtype", Name(entry.dtype)},
                       {"shape", ShapeJson(entry.shape)},
                       {"bytes", bytes},
                       {"parts", entry.slices.size()}});
  }
  return Json{{"prefix", reader.prefix()},
              {"files", reader.num_shards()},
              {"tensors", std::move(tensors)}};
}

absl::StatusOr<Json> ListFolder(const FileAccess& files,
                                const std::string& folder) {
  LEAT_ASSIGN_OR_RETURN(Json list, CheckpointsIn(files, folder));
  for (Json& listed : list) {
    const absl::Status counted = Count(files, listed);
    listed["error"] = std::string(counted.message());
  }
  return list;
}

}  // namespace leat
