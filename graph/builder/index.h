// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Index is one item of a slice. Most items stand for one axis of the tensor.
//
//   x.Slice({0});                        // x[0], without its first axis
//   x.Slice({All(), -1});                // x[:, -1]
//   x.Slice({Range(1, 3), All(-1)});     // x[1:3, ::-1]
//   x.Slice({From(1)});                  // x[1:]
//   x.Slice({Until(-1)});                // x[:-1]
//   x.Slice({Ellipsis(), 0, NewAxis()}); // x[..., 0, None]
//   x.Slice({All(), t});                 // t is a scalar Output
//
// Numbers count from 0, and negative numbers count from the end. As in NumPy, a
// range may reach beyond the axis, but a single index may not. Axes without an
// item are taken whole.
#ifndef LEAT_GRAPH_BUILDER_INDEX_H_
#define LEAT_GRAPH_BUILDER_INDEX_H_

#include <concepts>
#include <optional>

#include "leat/core/source_location.h"
#include "leat/graph/builder/operand.h"
#include "leat/graph/builder/output.h"

namespace leat {

namespace internal {

// Is true for the integer types of C++ other than bool.
template <class T>
concept Integer = std::integral<T> && !std::same_as<T, bool>;

}  // namespace internal

// An Index is one item of a slice. An integer or a scalar Output converts to a
// single index. The functions below make the other items. Index is a value
// type.
class Index {
 public:
  template <internal::Integer T>
  Index(T i,  // NOLINT: the conversion is the purpose
        SourceLocation location = SourceLocation::Current())
      : begin_(Operand(i, location)), is_single_(true) {}
  Index(Output i,  // NOLINT
        SourceLocation location = SourceLocation::Current())
      : begin_(Operand(i, location)), is_single_(true) {}

  // begin() and end() return the bounds of a range. A bound is not set if the
  // range reaches to that end of the axis. A single index has a begin() and no
  // end().
  const std::optional<Operand>& begin() const { return begin_; }
  const std::optional<Operand>& end() const { return end_; }
  const Operand& stride() const { return stride_; }
  bool is_single() const { return is_single_; }
  bool is_ellipsis() const { return is_ellipsis_; }
  bool is_new_axis() const { return is_new_axis_; }

 private:
  Index() = default;
  friend Index All(Operand stride);
  friend Index Range(Operand begin, Operand end, Operand stride);
  friend Index From(Operand begin, Operand stride);
  friend Index Until(Operand end, Operand stride);
  friend Index Ellipsis();
  friend Index NewAxis();

  std::optional<Operand> begin_;
  std::optional<Operand> end_;
  Operand stride_ = 1;
  bool is_single_ = false;
  bool is_ellipsis_ = false;
  bool is_new_axis_ = false;
};

// All takes a whole axis, Range takes the elements [begin, end), From takes the
// elements from `begin` on, and Until takes the elements before `end`. Each
// takes every stride-th of these elements, and goes backwards if the stride is
// negative: All(-1) reverses the axis.
Index All(Operand stride = 1);
Index Range(Operand begin, Operand end, Operand stride = 1);
Index From(Operand begin, Operand stride = 1);
Index Until(Operand end, Operand stride = 1);
// Stands for all axes that the other items do not cover. A slice has at most
// one Ellipsis.
Index Ellipsis();
// Adds an axis of extent 1.
Index NewAxis();

}  // namespace leat

#endif  // LEAT_GRAPH_BUILDER_INDEX_H_
