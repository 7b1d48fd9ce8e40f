// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/codec/attr_codec.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "leat/core/buffer.h"
#include "leat/core/codec/tensor_codec.h"
#include "leat/core/status_macros.h"
#include "leat/protos/attr_value.pb.h"

namespace leat {
namespace {

// Limits the depth to which functions may nest in the attrs of other functions.
// There is a limit because decoding recurses into such functions.
constexpr int kMaxFunctionDepth = 32;

absl::StatusOr<AttrMap> MapFromProto(const AttrProtoMap& protos,
                                     AttrBudget& budget, int depth);

absl::StatusOr<DType> TypeFromProto(int number) {
  const std::optional<DType> type = DTypeFromWire(number);
  if (type.has_value()) return *type;
  return absl::InvalidArgumentError(
      absl::StrCat("the type number ", number, " is unknown"));
}

absl::StatusOr<Tensor> TensorAttrFromProto(const pb::TensorProto& proto,
                                           AttrBudget& budget) {
  const int64_t limit = std::min(budget.max_tensor_bytes, budget.remaining);
  int64_t bytes = 0;
  absl::StatusOr<Tensor> tensor =
      DecodeTensor(proto, HostAllocator(), limit, budget.variants, &bytes);
  if (bytes > limit) {
    return absl::ResourceExhaustedError(
        absl::StrCat(tensor.status().message(),
                     limit < budget.max_tensor_bytes
                         ? " (what is left of max_total_attr_bytes)"
                         : " (max_attr_bytes)"));
  }
  if (tensor.ok()) budget.remaining -= bytes;
  return tensor;
}

absl::StatusOr<FunctionRef> FunctionRefFromProto(const pb::NameAttrList& proto,
                                                 AttrBudget& budget,
                                                 int depth) {
  if (depth >= kMaxFunctionDepth) {
    return absl::InvalidArgumentError(
        absl::StrCat("function '", proto.name(), "' is nested ", depth,
                     " deep in the attrs of other functions; the limit is ",
                     kMaxFunctionDepth - 1));
  }
  FunctionRef result;
  result.name = proto.name();
  if (proto.attr().empty()) return result;
  LEAT_ASSIGN_OR_RETURN(AttrMap attrs,
                        MapFromProto(proto.attr(), budget, depth + 1));
  result.attrs = std::make_shared<const AttrMap>(std::move(attrs));
  return result;
}

// Converts each element of `protos` with `convert`, and returns the list of the
// results. An error names the index of the element.
template <class T, class Protos, class Convert>
absl::StatusOr<AttrValue> Converted(const Protos& protos, Convert convert) {
  std::vector<T> result;
  result.reserve(protos.size());
  for (const auto& proto : protos) {
    absl::StatusOr<T> value = convert(proto);
    if (!value.ok()) {
      return absl::Status(value.status().code(),
                          absl::StrCat("element ", result.size(), ": ",
                                       value.status().message()));
    }
    result.push_back(*std::move(value));
  }
  return AttrValue(std::move(result));
}

template <class T, class Protos>
AttrValue Copied(const Protos& protos) {
  return AttrValue(std::vector<T>(protos.begin(), protos.end()));
}

absl::StatusOr<AttrValue> ListFromProto(const pb::AttrValue::ListValue& list,
                                        AttrBudget& budget, int depth) {
  const int kinds = (list.s_size() > 0) + (list.i_size() > 0) +
                    (list.f_size() > 0) + (list.b_size() > 0) +
                    (list.type_size() > 0) + (list.shape_size() > 0) +
                    (list.tensor_size() > 0) + (list.func_size() > 0);
  if (kinds > 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the list has elements of ", kinds, " types, but may have only one"));
  }
  if (list.s_size() > 0) return Copied<std::string>(list.s());
  if (list.i_size() > 0) return Copied<int64_t>(list.i());
  if (list.f_size() > 0) return Copied<float>(list.f());
  if (list.b_size() > 0) return Copied<bool>(list.b());
  if (list.type_size() > 0) {
    return Converted<DType>(list.type(), TypeFromProto);
  }
  if (list.shape_size() > 0) {
    return Converted<PartialShape>(list.shape(), DecodeShape);
  }
  if (list.tensor_size() > 0) {
    return Converted<Tensor>(list.tensor(), [&](const pb::TensorProto& proto) {
      return TensorAttrFromProto(proto, budget);
    });
  }
  if (list.func_size() > 0) {
    return Converted<FunctionRef>(
        list.func(), [&](const pb::NameAttrList& proto) {
          return FunctionRefFromProto(proto, budget, depth);
        });
  }
  return AttrValue(EmptyList());
}

absl::StatusOr<AttrValue> ValueFromProto(const pb::AttrValue& proto,
                                         AttrBudget& budget, int depth) {
  switch (proto.value_case()) {
    case pb::AttrValue::kS:
      return AttrValue(proto.s());
    case pb::AttrValue::kI:
      return AttrValue(static_cast<int64_t>(proto.i()));
    case pb::AttrValue::kF:
      return AttrValue(proto.f());
    case pb::AttrValue::kB:
      return AttrValue(proto.b());
    case pb::AttrValue::kType:
      return TypeFromProto(proto.type());
    case pb::AttrValue::kShape:
      return DecodeShape(proto.shape());
    case pb::AttrValue::kTensor:
      return TensorAttrFromProto(proto.tensor(), budget);
    case pb::AttrValue::kList:
      return ListFromProto(proto.list(), budget, depth);
    case pb::AttrValue::kFunc:
      return FunctionRefFromProto(proto.func(), budget, depth);
    case pb::AttrValue::kPlaceholder:
      return AttrValue(AttrPlaceholder{proto.placeholder()});
    case pb::AttrValue::VALUE_NOT_SET:
      break;
  }
  return AttrValue();
}

void ForgetSymbols(pb::TensorShapeProto& shape) {
  for (pb::TensorShapeProto::Dim& dim : *shape.mutable_dim()) {
    if (dim.size() < PartialShape::kUnknown) {
      dim.set_size(PartialShape::kUnknown);
    }
  }
}

// Decodes an attr that Grappler added to a node, such as "_input_shapes". In
// its shapes, extents below -1 become -1. Grappler writes a number below -1 for
// an unknown extent. Unknown extents with the same number are equal.
absl::StatusOr<AttrValue> AnnotationFromProto(const pb::AttrValue& proto,
                                              AttrBudget& budget, int depth) {
  if (!proto.has_shape() && proto.list().shape_size() == 0) {
    return ValueFromProto(proto, budget, depth);
  }
  pb::AttrValue known = proto;
  if (known.has_shape()) {
    ForgetSymbols(*known.mutable_shape());
  } else {
    for (pb::TensorShapeProto& shape : *known.mutable_list()->mutable_shape()) {
      ForgetSymbols(shape);
    }
  }
  return ValueFromProto(known, budget, depth);
}

absl::StatusOr<AttrMap> MapFromProto(const AttrProtoMap& protos,
                                     AttrBudget& budget, int depth) {
  using Entry = AttrProtoMap::value_type;
  // Sorts by name, so that Set always appends.
  absl::InlinedVector<const Entry*, 8> entries;
  for (const Entry& entry : protos) entries.push_back(&entry);
  std::sort(entries.begin(), entries.end(),
            [](const Entry* a, const Entry* b) { return a->first < b->first; });
  AttrMap result;
  for (const Entry* entry : entries) {
    const bool is_annotation = absl::StartsWith(entry->first, "_");
    absl::StatusOr<AttrValue> value =
        is_annotation ? AnnotationFromProto(entry->second, budget, depth)
                      : ValueFromProto(entry->second, budget, depth);
    if (!value.ok()) {
      return absl::Status(value.status().code(),
                          absl::StrCat("attr '", entry->first,
                                       "': ", value.status().message()));
    }
    result.Set(entry->first, *std::move(value));
  }
  return result;
}

absl::Status FunctionRefToProto(const FunctionRef& function,
                                pb::NameAttrList& proto) {
  proto.set_name(function.name);
  if (function.attrs == nullptr) return absl::OkStatus();
  return AttrMapToProto(*function.attrs, *proto.mutable_attr());
}

// Visits an AttrValue and sets the field of `proto` that corresponds to its
// alternative.
struct Encoder {
  absl::Status operator()(std::monostate) { return absl::OkStatus(); }
  absl::Status operator()(const std::string& value) {
    proto.set_s(value);
    return absl::OkStatus();
  }
  absl::Status operator()(int64_t value) {
    proto.set_i(value);
    return absl::OkStatus();
  }
  absl::Status operator()(float value) {
    proto.set_f(value);
    return absl::OkStatus();
  }
  absl::Status operator()(bool value) {
    proto.set_b(value);
    return absl::OkStatus();
  }
  absl::Status operator()(DType value) {
    proto.set_type(static_cast<pb::DataType>(value));
    return absl::OkStatus();
  }
  absl::Status operator()(const PartialShape& value) {
    EncodeShape(value, proto.mutable_shape());
    return absl::OkStatus();
  }
  absl::Status operator()(const Tensor& value) {
    return EncodeTensor(value, proto.mutable_tensor());
  }
  absl::Status operator()(const FunctionRef& value) {
    return FunctionRefToProto(value, *proto.mutable_func());
  }
  absl::Status operator()(const AttrPlaceholder& value) {
    proto.set_placeholder(value.name);
    return absl::OkStatus();
  }
  absl::Status operator()(EmptyList) {
    proto.mutable_list();
    return absl::OkStatus();
  }
  // Sets the list even if it has no elements, so that it is read back as a
  // list.
  template <class T>
  absl::Status operator()(const std::vector<T>& values) {
    pb::AttrValue::ListValue& list = *proto.mutable_list();
    for (const auto& value : values) LEAT_RETURN_IF_ERROR(Append(list, value));
    return absl::OkStatus();
  }

  static absl::Status Append(pb::AttrValue::ListValue& list,
                             const std::string& value) {
    list.add_s(value);
    return absl::OkStatus();
  }
  static absl::Status Append(pb::AttrValue::ListValue& list, int64_t value) {
    list.add_i(value);
    return absl::OkStatus();
  }
  static absl::Status Append(pb::AttrValue::ListValue& list, float value) {
    list.add_f(value);
    return absl::OkStatus();
  }
  static absl::Status Append(pb::AttrValue::ListValue& list, bool value) {
    list.add_b(value);
    return absl::OkStatus();
  }
  static absl::Status Append(pb::AttrValue::ListValue& list, DType value) {
    list.add_type(static_cast<pb::DataType>(value));
    return absl::OkStatus();
  }
  static absl::Status Append(pb::AttrValue::ListValue& list,
                             const PartialShape& value) {
    EncodeShape(value, list.add_shape());
    return absl::OkStatus();
  }
  static absl::Status Append(pb::AttrValue::ListValue& list,
                             const Tensor& value) {
    return EncodeTensor(value, list.add_tensor());
  }
  static absl::Status Append(pb::AttrValue::ListValue& list,
                             const FunctionRef& value) {
    return FunctionRefToProto(value, *list.add_func());
  }

  pb::AttrValue& proto;
};

}  // namespace

absl::StatusOr<AttrValue> AttrValueFromProto(const pb::AttrValue& proto,
                                             AttrBudget& budget) {
  return ValueFromProto(proto, budget, 0);
}

absl::StatusOr<AttrMap> AttrMapFromProto(const AttrProtoMap& protos,
                                         AttrBudget& budget) {
  return MapFromProto(protos, budget, 0);
}

absl::Status AttrValueToProto(const AttrValue& value, pb::AttrValue& proto) {
  proto.Clear();
  return std::visit(Encoder{proto}, value);
}

absl::Status AttrMapToProto(const AttrMap& attrs, AttrProtoMap& protos) {
  protos.clear();
  for (const auto& [name, value] : attrs) {
    const absl::Status status = AttrValueToProto(value, protos[name]);
    if (!status.ok()) {
      return absl::Status(
          status.code(), absl::StrCat("attr '", name, "': ", status.message()));
    }
  }
  return absl::OkStatus();
}

}  // namespace leat
