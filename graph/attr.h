// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// AttrValue and AttrMap: the constants that parametrise a node (TensorFlow's
// AttrValue). Value types; a map in a graph is immutable and shared by threads.
#ifndef LEAT_GRAPH_ATTR_H_
#define LEAT_GRAPH_ATTR_H_

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "leat/core/dtype.h"
#include "leat/core/partial_shape.h"
#include "leat/core/tensor.h"

namespace leat {

class AttrMap;

// A function by name, with the attrs that instantiate it (NameAttrList).
struct FunctionRef {
  std::string name = {};
  std::shared_ptr<const AttrMap> attrs = {};  // null when there are none

  friend bool operator==(const FunctionRef& a, const FunctionRef& b);
};

// An attr of a function body that its caller supplies ("$T").
struct AttrPlaceholder {
  std::string name = {};
  friend bool operator==(const AttrPlaceholder&,
                         const AttrPlaceholder&) = default;
};

// `list {}` on the wire, where the element type is not told.
struct EmptyList {
  friend bool operator==(const EmptyList&, const EmptyList&) = default;
};

bool operator==(const Tensor& a, const Tensor& b);

using AttrValue =
    std::variant<std::monostate, std::string, int64_t, float, bool, DType,
                 PartialShape, Tensor, FunctionRef, AttrPlaceholder, EmptyList,
                 std::vector<std::string>, std::vector<int64_t>,
                 std::vector<float>, std::vector<bool>, std::vector<DType>,
                 std::vector<PartialShape>, std::vector<Tensor>,
                 std::vector<FunctionRef>>;

// The AttrValue alternative's name in an op definition: "int", "list(type)",
// "func", ...; "none" for the monostate.
absl::string_view AttrTypeName(const AttrValue& value);

// For messages, dumps and keys: equal values have equal text. Tensors above
// `max_elements` values are cut, with "..." .
std::string DebugString(const AttrValue& value, int max_elements = 6);

// Sorted by name. Nodes have few attrs, so a vector beats a hash map.
class AttrMap {
 public:
  using Entry = std::pair<std::string, AttrValue>;

  AttrMap() = default;
  AttrMap(std::initializer_list<Entry> entries);

  // Null when absent.
  const AttrValue* Find(absl::string_view name) const;
  bool Has(absl::string_view name) const { return Find(name) != nullptr; }

  // Replaces or adds.
  void Set(absl::string_view name, AttrValue value);
  void Erase(absl::string_view name);

  // INVALID_ARGUMENT naming the attr when it is absent or of another type. An
  // EmptyList reads as an empty list of any type.
  template <class T>
  absl::StatusOr<T> Get(absl::string_view name) const;
  // `fallback` when absent; still an error when of another type.
  template <class T>
  absl::StatusOr<T> GetOr(absl::string_view name, T fallback) const;

  size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }

  friend bool operator==(const AttrMap&, const AttrMap&) = default;

 private:
  absl::Status MissingError(absl::string_view name) const;
  absl::Status TypeError(absl::string_view name, const AttrValue& value) const;

  std::vector<Entry> entries_;
};

// ---------------------------------------------------------------------------

namespace internal {
template <class T>
inline constexpr bool kIsVector = false;
template <class T>
inline constexpr bool kIsVector<std::vector<T>> = true;
}  // namespace internal

template <class T>
absl::StatusOr<T> AttrMap::Get(absl::string_view name) const {
  const AttrValue* value = Find(name);
  if (value == nullptr) return MissingError(name);
  if (const T* typed = std::get_if<T>(value)) return *typed;
  if constexpr (internal::kIsVector<T>) {
    if (std::holds_alternative<EmptyList>(*value)) return T{};
  }
  return TypeError(name, *value);
}

template <class T>
absl::StatusOr<T> AttrMap::GetOr(absl::string_view name, T fallback) const {
  if (!Has(name)) return fallback;
  return Get<T>(name);
}

}  // namespace leat

#endif  // LEAT_GRAPH_ATTR_H_
