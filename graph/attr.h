// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// AttrValue and AttrMap hold the attrs of a node: the constants that
// parametrize what its op computes. They are TensorFlow's AttrValue messages in
// memory.
//
//   AttrMap attrs = {{"T", DType::kFloat}, {"transpose_a", false}};
//   absl::StatusOr<DType> type = attrs.Get<DType>("T");
//
// All types here are values and thread-compatible. The map of a node in a graph
// is immutable, and several threads may read it at the same time.
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

// Names a function of the graph's library and holds the attrs that instantiate
// it. This is TensorFlow's NameAttrList. Copies share the immutable `attrs`.
struct FunctionRef {
  std::string name = {};
  std::shared_ptr<const AttrMap> attrs = {};  // null when there are none

  // Returns true if name and attrs are equal. A null `attrs` equals an empty
  // map.
  friend bool operator==(const FunctionRef& a, const FunctionRef& b);
};

// Stands in the body of a function for an attr that the caller of the function
// supplies ("$T"). Instantiate (instantiate.h) replaces the placeholder by the
// value.
struct AttrPlaceholder {
  std::string name = {};  // without the "$"
  friend bool operator==(const AttrPlaceholder&,
                         const AttrPlaceholder&) = default;
};

// Describes an empty list of unknown element type. TensorFlow's message `list
// {}` does not name a type. CheckAttrs (op_def.h) replaces an EmptyList by an
// empty list of the declared type.
struct EmptyList {
  friend bool operator==(const EmptyList&, const EmptyList&) = default;
};

// Returns true if dtype, shape and elements are equal. Floats are equal if
// their bits are equal (see Identical in core/tensor.h). The comparison of two
// AttrValues uses this operator.
bool operator==(const Tensor& a, const Tensor& b);

// Is the value of one attr, with an alternative for each kind of value that
// TensorFlow's AttrValue message can hold. The attr types in op definitions map
// to C++ types: "int" to int64_t, "type" to DType, "func" to FunctionRef,
// "list(shape)" to a vector of PartialShapes, and so on. A std::string may hold
// any bytes. std::monostate stands for a message without a value.
// AttrTypeName() relies on the order of the alternatives.
using AttrValue =
    std::variant<std::monostate, std::string, int64_t, float, bool, DType,
                 PartialShape, Tensor, FunctionRef, AttrPlaceholder, EmptyList,
                 std::vector<std::string>, std::vector<int64_t>,
                 std::vector<float>, std::vector<bool>, std::vector<DType>,
                 std::vector<PartialShape>, std::vector<Tensor>,
                 std::vector<FunctionRef>>;

// Returns the type of `value` in the words of an op definition: "int",
// "list(type)", "func" and so on. It is "none" for std::monostate,
// "placeholder" for an AttrPlaceholder and "list" for an EmptyList.
absl::string_view AttrTypeName(const AttrValue& value);

// Returns text for error messages, dumps and keys. Equal values have equal
// text. A tensor shows at most `max_elements` values, then "...".
std::string DebugString(const AttrValue& value, int max_elements = 6);

// Maps the names of attrs to their values, in the order of the names. The
// entries are in a sorted vector, which is faster than a hash map because nodes
// have few attrs. An AttrMap is thread-compatible.
class AttrMap {
 public:
  using Entry = std::pair<std::string, AttrValue>;

  AttrMap() = default;
  // If several entries have the same name, the map keeps the last one.
  AttrMap(std::initializer_list<Entry> entries);

  // Returns the value of attr `name`, or null if there is none. The pointer is
  // valid until the map changes.
  const AttrValue* Find(absl::string_view name) const;
  bool Has(absl::string_view name) const { return Find(name) != nullptr; }

  // Adds attr `name`, or replaces its value.
  void Set(absl::string_view name, AttrValue value);
  // Removes attr `name`. Does nothing if there is none.
  void Erase(absl::string_view name);

  // Returns a copy of attr `name`. Fails with INVALID_ARGUMENT, naming the
  // attr, if it is absent or its type is not T. An EmptyList reads as an empty
  // list of any type.
  template <class T>
  absl::StatusOr<T> Get(absl::string_view name) const;
  // Returns a copy of attr `name`, or `fallback` if the attr is absent. Fails
  // with INVALID_ARGUMENT if its type is not T.
  template <class T>
  absl::StatusOr<T> GetOr(absl::string_view name, T fallback) const;
  // Returns attr `name`, an int that TensorFlow keeps in 32 bits. Fails with
  // INVALID_ARGUMENT as Get does, and also if the value does not fit into 32
  // bits.
  absl::StatusOr<int32_t> GetInt32(absl::string_view name) const;

  // The map is a range of Entries, sorted by name.
  size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }

  friend bool operator==(const AttrMap&, const AttrMap&) = default;

 private:
  // Return the INVALID_ARGUMENT errors of Get. MissingError is for an absent
  // attr, and TypeError is for an attr of another type.
  absl::Status MissingError(absl::string_view name) const;
  absl::Status TypeError(absl::string_view name, const AttrValue& value) const;

  std::vector<Entry> entries_;  // sorted by name, each name once
};

// ---------------------------------------------------------------------------

namespace internal {
// Is true if T is a std::vector.
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
