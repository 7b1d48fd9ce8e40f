// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Decides which dtype the numbers among the arguments of ops get, and converts
// them.
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/graph/builder/builder_state.h"

namespace leat {
namespace {

double AsDouble(const Tensor& numbers, int64_t i) {
  const auto at = static_cast<size_t>(i);
  switch (numbers.dtype()) {
    case DType::kBool:
      return numbers.data<bool>()[at] ? 1 : 0;
    case DType::kInt64:
      return static_cast<double>(numbers.data<int64_t>()[at]);
    default:
      return numbers.data<double>()[at];
  }
}

// Returns true if T can hold the value of element i of `numbers` exactly.
template <class T>
bool FitsInteger(const Tensor& numbers, int64_t i) {
  if (numbers.dtype() == DType::kInt64) {
    const int64_t value = numbers.data<int64_t>()[static_cast<size_t>(i)];
    if constexpr (std::is_unsigned_v<T>) {
      return value >= 0 &&
             static_cast<uint64_t>(value) <= std::numeric_limits<T>::max();
    } else {
      return value >= std::numeric_limits<T>::min() &&
             value <= std::numeric_limits<T>::max();
    }
  }
  const double value = AsDouble(numbers, i);
  return std::floor(value) == value && std::fabs(value) < 0x1p53 &&
         value >= static_cast<double>(std::numeric_limits<T>::min()) &&
         value <= static_cast<double>(std::numeric_limits<T>::max());
}

// Returns element i of `numbers` as a T. REQUIRES: FitsInteger<T>(numbers, i)
// if T is an integer type.
template <class T>
T Converted(const Tensor& numbers, int64_t i) {
  if constexpr (std::is_integral_v<T>) {
    if (numbers.dtype() == DType::kInt64) {
      return static_cast<T>(numbers.data<int64_t>()[static_cast<size_t>(i)]);
    }
    return static_cast<T>(AsDouble(numbers, i));
  } else if constexpr (std::is_same_v<T, double> ||
                       std::is_same_v<T, std::complex<double>>) {
    return T(AsDouble(numbers, i));
  } else {
    return static_cast<T>(static_cast<float>(AsDouble(numbers, i)));
  }
}

// Returns the numbers as elements of type T, or an invalid tensor if one of
// them does not fit.
template <class T>
Tensor ConvertElements(const Tensor& numbers) {
  std::vector<T> values;
  for (int64_t i = 0; i < numbers.num_elements(); ++i) {
    if constexpr (std::is_integral_v<T>) {
      if (!FitsInteger<T>(numbers, i)) return Tensor();
    }
    values.push_back(Converted<T>(numbers, i));
  }
  return Tensor::FromSpan<T>(numbers.shape(), values);
}

// Appends the numbers in `operand`, including the numbers in nested lists, to
// `numbers`.
void AppendNumbers(const Operand& operand, std::vector<Tensor>& numbers) {
  if (operand.number().has_value()) numbers.push_back(*operand.number());
  for (const Operand& element : operand.list()) {
    AppendNumbers(element, numbers);
  }
}

// Returns the dtype that `operand` has regardless of the op. This is the dtype
// of the Output or tensor or, for a list, of the Outputs and tensors in the
// list. Returns kInvalid if there are only numbers. Fails with INVALID_ARGUMENT
// if the list has several dtypes.
absl::StatusOr<DType> OwnDType(const Operand& operand) {
  if (operand.is_output()) return operand.output().dtype();
  if (operand.tensor().has_value()) return operand.tensor()->dtype();
  DType found = DType::kInvalid;
  for (const Operand& element : operand.list()) {
    LEAT_ASSIGN_OR_RETURN(const DType type, OwnDType(element));
    if (type == DType::kInvalid || type == found) continue;
    if (found != DType::kInvalid) {
      return absl::InvalidArgumentError(
          absl::StrCat("its list has a tensor of ", Name(found), " and one of ",
                       Name(type)));
    }
    found = type;
  }
  return found;
}

// Returns the dtype that `numbers` get if no other input decides it. `attr` is
// the attr that holds the dtype, or null if there is none.
DType FreeDType(const AttrDef* attr, const std::vector<Tensor>& numbers) {
  const auto convert_to = [&](DType type) {
    return std::all_of(numbers.begin(), numbers.end(), [&](const Tensor& n) {
      return ConvertNumbers(n, type).ok();
    });
  };
  DType wanted = DefaultDType(numbers[0]);
  for (const Tensor& other : numbers) {
    if (DefaultDType(other) == DType::kFloat) wanted = DType::kFloat;
  }
  if (attr == nullptr) return wanted;
  if (attr->default_value.has_value()) {
    const DType* type = std::get_if<DType>(&*attr->default_value);
    if (type != nullptr && convert_to(*type)) return *type;
  }
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

// Does the work of ResolveAttrs. First reads the dtypes of all inputs that have
// one, then decides the dtypes of the numbers.
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
      const absl::StatusOr<DType> type = OwnDType(operand);
      if (!type.ok()) return InputError(arg, type.status());
      dtypes_[i].push_back(*type);
      if (*type == DType::kInvalid || arg.type_attr.empty()) continue;
      LEAT_RETURN_IF_ERROR(Imply(arg, arg.type_attr, *type));
    }
    if (!arg.number_attr.empty()) {
      return Imply(arg, arg.number_attr,
                   static_cast<int64_t>(input.operands().size()));
    }
    return absl::OkStatus();
  }

  // Decides the dtypes of the operands for which ReadTypes found none.
  absl::Status FillNumbers(size_t i) {
    const ArgDef& arg = op_.inputs[i];
    absl::Span<const Operand> operands = args_.inputs[i].operands();
    for (size_t k = 0; k < operands.size(); ++k) {
      if (dtypes_[i][k] != DType::kInvalid) continue;
      if (!arg.type_attr.empty()) {
        LEAT_ASSIGN_OR_RETURN(dtypes_[i][k], DecideAttr(arg));
      } else if (arg.type != DType::kInvalid) {
        dtypes_[i][k] = arg.type;
      } else {
        std::vector<Tensor> numbers;
        AppendNumbers(operands[k], numbers);
        if (!numbers.empty()) dtypes_[i][k] = FreeDType(nullptr, numbers);
      }
    }
    if (!arg.type_list_attr.empty()) {
      return Imply(arg, arg.type_list_attr, dtypes_[i]);
    }
    return absl::OkStatus();
  }

  // Returns the value of the attr that holds the type of `arg`. If the attr has
  // no value yet, the value follows from all numbers in the arguments that
  // share the attr.
  absl::StatusOr<DType> DecideAttr(const ArgDef& arg) {
    LEAT_ASSIGN_OR_RETURN(
        const DType known,
        args_.attrs.GetOr<DType>(arg.type_attr, DType::kInvalid));
    if (known != DType::kInvalid) return known;
    std::vector<Tensor> numbers;
    for (size_t i = 0; i < op_.inputs.size(); ++i) {
      if (op_.inputs[i].type_attr != arg.type_attr) continue;
      for (const Operand& operand : args_.inputs[i].operands()) {
        AppendNumbers(operand, numbers);
      }
    }
    const AttrDef* attr = op_.FindAttr(arg.type_attr);
    if (numbers.empty()) return DType::kInvalid;
    const DType type = FreeDType(attr, numbers);
    LEAT_RETURN_IF_ERROR(Imply(arg, arg.type_attr, type));
    return type;
  }

  static absl::Status InputError(const ArgDef& arg, const absl::Status& error) {
    return Annotate(error, absl::StrCat("input '", arg.name, "': "));
  }

  // Sets `attr` to `value`, or checks that it has this value already.
  absl::Status Imply(const ArgDef& arg, const std::string& attr,
                     AttrValue value) {
    const AttrValue* known = args_.attrs.Find(attr);
    if (known == nullptr) {
      if (const AttrDef* def = op_.FindAttr(attr)) {
        const absl::Status allowed = CheckAttrValue(*def, value);
        if (!allowed.ok()) return InputError(arg, allowed);
      }
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

DType DefaultDType(const Tensor& numbers) {
  switch (numbers.dtype()) {
    case DType::kBool:
      return DType::kBool;
    case DType::kInt64:
      return DType::kInt32;
    default:
      return DType::kFloat;
  }
}

absl::StatusOr<Tensor> ConvertNumbers(const Tensor& numbers, DType dtype) {
  Tensor result;
  const auto convert = [&](auto tag) {
    using T = typename decltype(tag)::type;
    result = ConvertElements<T>(numbers);
  };
  if (dtype == DType::kBool || numbers.dtype() == DType::kBool) {
    if (dtype == numbers.dtype()) return numbers;
  } else if (dtype == DType::kComplex64) {
    result = ConvertElements<std::complex<float>>(numbers);
  } else if (dtype == DType::kComplex128) {
    result = ConvertElements<std::complex<double>>(numbers);
  } else if (IsFloating(dtype)) {
    VisitDType(kFloats, dtype, convert);
  } else {
    VisitDType(kInts, dtype, convert);
  }
  if (result.IsValid()) return result;
  return absl::InvalidArgumentError(
      absl::StrCat("cannot make a constant of type ", Name(dtype), " from ",
                   numbers.DebugString()));
}

absl::Status ResolveAttrs(const OpDef& op, OpArgs& args,
                          std::vector<std::vector<DType>>& dtypes) {
  return Resolver(op, args, dtypes).Run();
}

}  // namespace leat
