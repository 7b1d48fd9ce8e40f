// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/tensors/checkpoint_checks.h"

#include <memory>
#include <set>
#include <utility>

#include "leat/checkpoint/bundle_reader.h"
#include "leat/core/saturating.h"
#include "leat/core/status_macros.h"
#include "leat/tools/tensors/checkpoint_list.h"
#include "leat/tools/tensors/tensor_difference.h"
#include "leat/tools/tensors/tensor_json.h"

namespace leat {
namespace {

using Json = nlohmann::ordered_json;

// Checks a tensor, and returns how many bytes it takes in the files.
absl::StatusOr<int64_t> VerifyTensor(const BundleReader& reader,
                                     const std::string& name) {
  LEAT_RETURN_IF_ERROR(reader.Verify(name));
  LEAT_ASSIGN_OR_RETURN(const BundleEntry entry, reader.Find(name));
  return BytesInFiles(reader, name, entry);
}

// Returns how the tensor `name`, which is in both checkpoints, differs between
// them. Returns null if it does not differ.
absl::StatusOr<Json> DiffTensor(const std::string& name, const BundleReader& a,
                                const BundleReader& b) {
  LEAT_ASSIGN_OR_RETURN(const BundleEntry in_a, a.Find(name));
  LEAT_ASSIGN_OR_RETURN(const BundleEntry in_b, b.Find(name));
  if (in_a.dtype != in_b.dtype || in_a.shape != in_b.shape) {
    return Json{{"name", name},
                {"dtypes", {Name(in_a.dtype), Name(in_b.dtype)}},
                {"shapes",
                 Json::array({ShapeJson(in_a.shape), ShapeJson(in_b.shape)})}};
  }
  LEAT_ASSIGN_OR_RETURN(const Tensor value_a, a.Read(name, HostAllocator()));
  LEAT_ASSIGN_OR_RETURN(const Tensor value_b, b.Read(name, HostAllocator()));
  const TensorDifference difference = Compare(value_a, value_b);
  if (difference.num_different == 0) return Json();
  Json json = {{"name", name},
               {"different", difference.num_different},
               {"elements", value_a.num_elements()}};
  if (difference.greatest.has_value()) {
    json["greatest"] = NumberJson(*difference.greatest);
  }
  return json;
}

}  // namespace

Json VerifyCheckpoint(const FileAccess& files, const std::string& prefix) {
  int64_t num_tensors = 0;
  int64_t sum = 0;
  Json errors = Json::array();
  const auto reader = BundleReader::Open(files, prefix);
  if (!reader.ok()) {
    errors.push_back(std::string(reader.status().message()));
  } else {
    for (const std::string& name : (*reader)->Names()) {
      ++num_tensors;
      const absl::StatusOr<int64_t> bytes = VerifyTensor(**reader, name);
      if (bytes.ok()) {
        sum = SaturatingAdd(sum, *bytes);
      } else {
        errors.push_back(std::string(bytes.status().message()));
      }
    }
  }
  return {{"prefix", prefix},
          {"tensors", num_tensors},
          {"bytes", sum},
          {"errors", std::move(errors)}};
}

absl::StatusOr<Json> DiffCheckpoints(const FileAccess& files,
                                     const std::string& a,
                                     const std::string& b) {
  LEAT_ASSIGN_OR_RETURN(const auto in_a, BundleReader::Open(files, a));
  LEAT_ASSIGN_OR_RETURN(const auto in_b, BundleReader::Open(files, b));
  std::set<std::string> names;
  for (const auto* const reader : {in_a.get(), in_b.get()}) {
    for (std::string& name : reader->Names()) names.insert(std::move(name));
  }
  Json list = Json::array();
  for (const std::string& name : names) {
    if (!in_a->Contains(name) || !in_b->Contains(name)) {
      list.push_back(
          {{"name", name}, {"only_in", in_a->Contains(name) ? a : b}});
      continue;
    }
    LEAT_ASSIGN_OR_RETURN(Json difference, DiffTensor(name, *in_a, *in_b));
    if (!difference.is_null()) list.push_back(std::move(difference));
  }
  return list;
}

}  // namespace leat
