// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/analysis/missing_kernel.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace leat {
namespace {

constexpr size_t kMaxNearest = 3;
constexpr size_t kMaxTypesText = 500;

// Returns the number of characters to insert, remove or replace in order to
// turn `a` into `b`, without regard to case (the Levenshtein distance).
size_t EditDistance(absl::string_view a, absl::string_view b) {
  // distance[j] is the distance between the first i characters of `a` and the
  // first j characters of `b`.
  std::vector<size_t> distance(b.size() + 1);
  std::iota(distance.begin(), distance.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(distance[0], i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const bool differ =
          absl::ascii_tolower(a[i - 1]) != absl::ascii_tolower(b[j - 1]);
      const size_t replaced = diagonal + (differ ? 1 : 0);
      diagonal = distance[j];
      distance[j] = std::min({replaced, distance[j] + 1, distance[j - 1] + 1});
    }
  }
  return distance[b.size()];
}

bool HasKernelFor(const OpRegistry& ops, const NodeDef& node,
                  absl::string_view device_type) {
  return absl::c_any_of(ops.Signatures(node.op->name),
                        [&](const KernelSignature& kernel) {
                          return kernel.device_type == device_type;
                        });
}

}  // namespace

bool HasKernel(const OpRegistry& ops, const NodeDef& node) {
  return absl::c_any_of(ops.Signatures(node.op->name),
                        [&](const KernelSignature& kernel) {
                          return Accepts(kernel, node.attrs);
                        });
}

absl::Status MissingKernelError(const OpRegistry& ops, const NodeDef& node,
                                absl::string_view device_type) {
  const std::string& op = node.op->name;
  std::string message = absl::StrCat("node '", node.name, "' cannot run: op ",
                                     op, " has no kernel for ", device_type);
  const std::string types = TypesText(node);
  if (!types.empty()) absl::StrAppend(&message, " with ", types);
  if (HasKernelFor(ops, node, device_type)) {
    absl::StrAppend(&message, " (leat ops ", op, " shows for which types)");
  } else if (const auto nearest = NearestOps(ops, op); !nearest.empty()) {
    absl::StrAppend(&message, "; similar ops that have kernels: ",
                    absl::StrJoin(nearest, ", "));
  }
  return absl::UnimplementedError(
      absl::StrCat(message, " [[{{node ", node.name, "}}]]"));
}

std::string TypesText(const NodeDef& node) {
  std::vector<std::string> texts;
  for (const AttrDef& attr : node.op->attrs) {
    if (attr.type != "type" && attr.type != "list(type)") continue;
    const AttrValue* value = node.attrs.Find(attr.name);
    if (value == nullptr) continue;
    texts.push_back(absl::StrCat(attr.name, "=", DebugString(*value)));
  }
  std::string text = absl::StrJoin(texts, ", ");
  if (text.size() > kMaxTypesText) {
    text.resize(kMaxTypesText);
    text += "...";
  }
  return text;
}

std::vector<std::string> NearestOps(const OpRegistry& ops,
                                    absl::string_view name) {
  const size_t max_distance = std::max<size_t>(2, name.size() / 4);
  std::vector<std::pair<size_t, std::string>> near;
  for (const OpDef* op : ops.Ops()) {
    if (op->name[0] == '_' || ops.Signatures(op->name).empty()) continue;
    const size_t distance = EditDistance(name, op->name);
    if (distance > 0 && distance <= max_distance) {
      near.emplace_back(distance, op->name);
    }
  }
  absl::c_sort(near);
  std::vector<std::string> names;
  for (auto& [distance, op] : near) {
    if (names.size() < kMaxNearest) names.push_back(std::move(op));
  }
  return names;
}

}  // namespace leat
