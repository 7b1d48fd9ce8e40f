// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Numbers among the arguments of ops: decides which dtype each gets and
// converts it.
#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/graph/builder/builder_state.h"

namespace leat {
namespace {

double AsDouble(const Tensor& number) {
  switch (number.dtype()) {
    case DType::kBool:
      return number.scalar<bool>() ? 1 : 0;
    case DType::kInt64:
      return static_cast<double>(number.scalar<int64_t>());
    default:
      return number.scalar<double>();
  }
}

// True if T can hold the value of `number` exactly.
template <class T>
bool FitsInteger(const Tensor& number) {
  if (number.dtype() == DType::kInt64) {
    const int64_t value = number.scalar<int64_t>();
    if constexpr (std::is_unsigned_v<T>) {
      return value >= 0 &&
             static_cast<uint64_t>(value) <= std::numeric_limits<T>::max();
    } else {
      return value >= std::numeric_limits<T>::min() &&
             value <= std::numeric_limits<T>::max();
    }
  }
  const double value = AsDouble(number);
  return std::floor(value) == value && std::fabs(value) < 0x1p53 &&
         value >= static_cast<double>(std::numeric_limits<T>::min()) &&
         value <= static_cast<double>(std::numeric_limits<T>::max());
}

DType DefaultDType(const Tensor& number) {
  switch (number.dtype()) {
    case DType::kBool:
      return DType::kBool;
    case DType::kInt64:
      return DType::kInt32;
    default:
      return DType::kFloat;
  }
}

// Returns the dtype of a number if no other input decides it. `attr` is the
// attr that holds the dtype; null if there is none.
DType FreeDType(const AttrDef* attr, const Tensor& number) {
  if (attr == nullptr) return DefaultDType(number);
  if (attr->default_value.has_value()) {
    const DType* type = std::get_if<DType>(&*attr->default_value);
    if (type != nullptr && ConvertNumber(number, *type).ok()) return *type;
  }
  const DType wanted = DefaultDType(number);
  const std::vector<DType>& allowed = attr->allowed_types;
  const auto is_allowed = [&](DType type) {
    return allowed.empty() || std::count(allowed.begin(), allowed.end(), type);
  };
  if (!is_allowed(wanted) && wanted == DType::kInt32 &&
      is_allowed(DType::kFloat)) {
    return DType::kFloat;
  }
  return wanted;
}

// Does the work of ResolveAttrs: it first reads the types of all inputs that
// have one, and then decides those of the numbers.
class Resolver {
 public:
  Resolver(const OpDef& op, OpArgs& args,
           std::vector<std::vector<DType>>& dtypes)
      : op_(op), args_(args), dtypes_(dtypes) {}

  absl::Status Run() {
    if (args_.inputs.size() != op_.inputs.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat("takes ", op_.inputs.size(), " arguments, got ",
                       args_.inputs.size()));
    }
    dtypes_.resize(op_.inputs.size());
    for (size_t i = 0; i < op_.inputs.size(); ++i) {
      LEAT_RETURN_IF_ERROR(ReadTypes(i));
    }
    for (size_t i = 0; i < op_.inputs.size(); ++i) {
      LEAT_RETURN_IF_ERROR(FillNumbers(i));
    }
    return absl::OkStatus();
  }

 private:
  static bool IsList(const ArgDef& arg) {
    return !arg.number_attr.empty() || !arg.type_list_attr.empty();
  }

  // Reads the dtypes of the operands that have one and sets the attrs that they
  // imply.
  absl::Status ReadTypes(size_t i) {
    const ArgDef& arg = op_.inputs[i];
    const OpInput& input = args_.inputs[i];
    if (IsList(arg) != input.is_list()) {
      return absl::InvalidArgumentError(
          absl::StrCat("input '", arg.name, "' takes ",
                       IsList(arg) ? "a list of tensors" : "one tensor"));
    }
    for (const Operand& operand : input.operands()) {
      DType type = DType::kInvalid;
      if (operand.tensor().has_value()) {
        type = operand.tensor()->dtype();
      } else if (!operand.number().has_value()) {
        type = operand.output().dtype();
      }
      dtypes_[i].push_back(type);
      if (type == DType::kInvalid || arg.type_attr.empty()) continue;
      LEAT_RETURN_IF_ERROR(Imply(arg, arg.type_attr, type));
    }
    if (!arg.number_attr.empty()) {
      return Imply(arg, arg.number_attr,
                   static_cast<int64_t>(input.operands().size()));
    }
    return absl::OkStatus();
  }

  // Decides the dtypes of the operands that are numbers.
  absl::Status FillNumbers(size_t i) {
    const ArgDef& arg = op_.inputs[i];
    absl::Span<const Operand> operands = args_.inputs[i].operands();
    for (size_t k = 0; k < operands.size(); ++k) {
      if (!operands[k].number().has_value()) continue;
      const Tensor& number = *operands[k].number();
      DType type = arg.type;
      if (!arg.type_attr.empty()) {
        auto known = args_.attrs.GetOr<DType>(arg.type_attr, DType::kInvalid);
        LEAT_RETURN_IF_ERROR(known.status());
        type = *known != DType::kInvalid
                   ? *known
                   : FreeDType(op_.FindAttr(arg.type_attr), number);
        args_.attrs.Set(arg.type_attr, type);
      } else if (type == DType::kInvalid) {
        type = DefaultDType(number);
      }
      dtypes_[i][k] = type;
    }
    if (!arg.type_list_attr.empty()) {
      return Imply(arg, arg.type_list_attr, dtypes_[i]);
    }
    return absl::OkStatus();
  }

  // Sets `attr`, or checks that it has this value already.
  absl::Status Imply(const ArgDef& arg, const std::string& attr,
                     AttrValue value) {
    const AttrValue* known = args_.attrs.Find(attr);
    if (known == nullptr) {
      args_.attrs.Set(attr, std::move(value));
      return absl::OkStatus();
    }
    if (*known == value) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("input '", arg.name, "' has ", attr, " = ",
                     DebugString(value), ", but ", attr, " = ",
                     DebugString(*known), " follows from the other arguments"));
  }

  const OpDef& op_;
  OpArgs& args_;
  std::vector<std::vector<DType>>& dtypes_;
};

}  // namespace

absl::StatusOr<Tensor> ConvertNumber(const Tensor& number, DType dtype) {
  if (dtype == DType::kBool || number.dtype() == DType::kBool) {
    if (dtype == number.dtype()) return number;
  } else if (IsFloating(dtype)) {
    Tensor result;
    VisitDType(kFloats, dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      result = Tensor::Scalar<T>(
          static_cast<T>(static_cast<float>(AsDouble(number))));
      if constexpr (std::is_same_v<T, double>) {
        result = Tensor::Scalar<double>(AsDouble(number));
      }
    });
    if (result.IsValid()) return result;
  } else if (IsComplex(dtype)) {
    const double value = AsDouble(number);
    if (dtype == DType::kComplex128) {
      return Tensor::Scalar<std::complex<double>>(value);
    }
    return Tensor::Scalar<std::complex<float>>(static_cast<float>(value));
  } else {
    Tensor result;
    VisitDType(kInts, dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      if (!FitsInteger<T>(number)) return;
      result = Tensor::Scalar<T>(number.dtype() == DType::kInt64
                                     ? static_cast<T>(number.scalar<int64_t>())
                                     : static_cast<T>(AsDouble(number)));
    });
    if (result.IsValid()) return result;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("cannot make a constant of type ", Name(dtype), " from ",
                   number.DebugString()));
}

absl::Status ResolveAttrs(const OpDef& op, OpArgs& args,
                          std::vector<std::vector<DType>>& dtypes) {
  return Resolver(op, args, dtypes).Run();
}

}  // namespace leat
