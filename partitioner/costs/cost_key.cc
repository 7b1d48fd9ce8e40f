// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/partitioner/costs/cost_key.h"

#include <type_traits>
#include <variant>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "leat/core/hash64.h"

namespace leat {
namespace {

// These attrs do not change how long a kernel takes, but they differ from node
// to node or from process to process.
constexpr absl::string_view kIgnored[] = {"index", "seed", "seed2",
                                          "send_device_incarnation"};
// Most texts are names. If the op lists the allowed texts of an attr, or if the
// attr is one of these, the time depends on it.
constexpr absl::string_view kDecisiveTexts[] = {
    "compression_type", "dct_method", "equation", "fused_ops"};

bool IsTextThatMatters(const AttrDef& attr) {
  return !attr.allowed_strings.empty() ||
         absl::c_linear_search(kDecisiveTexts, attr.name);
}

std::string SpecText(const Tensor& tensor) {
  return tensor.IsValid()
             ? absl::StrCat(Name(tensor.dtype()), tensor.shape().DebugString())
             : "";
}

// Returns the text of an attr's value, or "" if the time of a kernel does not
// depend on the value. No text has the value of a tensor.
std::string ValueText(const AttrDef& attr, const AttrValue& value) {
  return std::visit(
      [&](const auto& v) -> std::string {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, Tensor>) {
          return SpecText(v);
        } else if constexpr (std::is_same_v<T, std::vector<Tensor>>) {
          return absl::StrJoin(v, ",", [](std::string* out, const Tensor& t) {
            absl::StrAppend(out, SpecText(t));
          });
        } else if constexpr (std::is_same_v<T, std::string>) {
          return IsTextThatMatters(attr) ? v : "";
        } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
          return IsTextThatMatters(attr) ? absl::StrJoin(v, "+") : "";
        } else if constexpr (std::is_same_v<T, int64_t> ||
                             std::is_same_v<T, bool> ||
                             std::is_same_v<T, DType> ||
                             std::is_same_v<T, PartialShape> ||
                             std::is_same_v<T, std::vector<int64_t>> ||
                             std::is_same_v<T, std::vector<bool>> ||
                             std::is_same_v<T, std::vector<DType>> ||
                             std::is_same_v<T, std::vector<PartialShape>>) {
          return DebugString(value);
        } else {
          return "";
        }
      },
      value);
}

}  // namespace

std::string CostKey(const NodeDef& node, absl::Span<const TensorSpec> inputs) {
  std::string key = absl::StrCat(
      node.op->name, "(",
      absl::StrJoin(inputs, ", ",
                    [](std::string* out, const TensorSpec& input) {
                      absl::StrAppend(out, Name(BaseOf(input.dtype)),
                                      input.shape.DebugString());
                    }),
      "){");
  const char* separator = "";
  for (const auto& [name, value] : node.attrs) {
    const AttrDef* const attr = node.op->FindAttr(name);
    if (attr == nullptr || absl::c_linear_search(kIgnored, name)) continue;
    const std::string text = ValueText(*attr, value);
    if (text.empty()) continue;
    absl::StrAppend(&key, separator, name, "=", text);
    separator = ", ";
  }
  key = absl::CHexEscape(absl::StrCat(key, "}"));
  if (key.size() <= kMaxCostKey) return key;
  const std::string hash = absl::StrFormat("#%016x", Hash64(key));
  return key.substr(0, kMaxCostKey - hash.size()) + hash;
}

}  // namespace leat
