// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernel of DecodeCSV.
#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/held_bytes.h"
#include "leat/core/status_macros.h"
#include "leat/core/status_payloads.h"
#include "leat/kernels/codecs/csv_fields.h"
#include "leat/kernels/codecs/parallel_checks.h"
#include "leat/kernels/codecs/text_numbers.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::any::decode_csv {
namespace {

constexpr auto kTypes = kFloat32And64 + kIndices + kStringOnly;

class DecodeCsv final : public Kernel {
 public:
  DecodeCsv(CsvFormat format, std::string na_value)
      : format_(std::move(format)), na_value_(std::move(na_value)) {}

  absl::Status Compute(KernelContext& context) const override {
    const Tensor& records = context.input(0);
    const auto lines = records.data<std::string>();
    LEAT_RETURN_IF_ERROR(CheckDefaults(context));
    LEAT_ASSIGN_OR_RETURN(const std::vector<int64_t> held_bytes,
                          HeldByColumns(lines, context));
    std::vector<Tensor*> columns;
    for (int i = 0; i < context.num_outputs(); ++i) {
      LEAT_ASSIGN_OR_RETURN(
          columns.emplace_back(),
          context.AllocateOutput(i, records.shape(), held_bytes[i]));
    }
    return ForEachLine(
        lines, context, [&](int64_t line, const CsvFields& fields) {
          for (int i = 0; i < context.num_outputs(); ++i) {
            LEAT_RETURN_IF_ERROR(SetField(context.input(i + 1), line, i,
                                          fields[i], *columns[i]));
          }
          return absl::OkStatus();
        });
  }

 private:
  static absl::Status CheckDefaults(const KernelContext& context) {
    for (int i = 0; i < context.num_outputs(); ++i) {
      const Tensor& value = context.input(i + 1);
      if (value.rank() > 1) {
        return absl::InvalidArgumentError(
            "Each record default should be at most rank 1");
      }
      if (value.num_elements() > 1) {
        return absl::InvalidArgumentError(
            absl::StrCat("There should only be 1 default per field but field ",
                         i, " has ", value.num_elements()));
      }
    }
    return absl::OkStatus();
  }

  // Calls `visit` with the number of each line and its fields, by several
  // threads.
  template <class Visit>
  absl::Status ForEachLine(absl::Span<const std::string> lines,
                           KernelContext& context, Visit visit) const {
    const auto count = static_cast<int64_t>(lines.size());
    const int64_t cost =
        100 + 5 * TextBytes(lines) / std::max<int64_t>(count, 1);
    return ParallelChecks(
        context.compute_queue(), count, cost,
        [&](int64_t line) -> absl::Status {
          CsvFields fields;
          const absl::Status split = SplitCsv(lines[line], format_, fields);
          if (!split.ok()) {
            return WithMessage(
                split, absl::StrCat(split.message(), ", in record ", line));
          }
          if (static_cast<int>(fields.size()) != context.num_outputs()) {
            return absl::InvalidArgumentError(absl::StrCat(
                "Expect ", context.num_outputs(), " fields but have ",
                fields.size(), " in record ", line));
          }
          return visit(line, fields);
        });
  }

  // Returns how many bytes the strings of each column hold. If there are
  // columns of strings, splits all lines for that.
  absl::StatusOr<std::vector<int64_t>> HeldByColumns(
      absl::Span<const std::string> lines, KernelContext& context) const {
    const auto num_columns = static_cast<size_t>(context.num_outputs());
    if (!HasStrings(context)) return std::vector<int64_t>(num_columns);
    std::vector<std::atomic<int64_t>> held(num_columns);
    LEAT_RETURN_IF_ERROR(
        ForEachLine(lines, context, [&](int64_t, const CsvFields& fields) {
          for (size_t i = 0; i < num_columns; ++i) {
            const Tensor& value = context.input(static_cast<int>(i) + 1);
            if (value.dtype() != DType::kString) continue;
            held[i].fetch_add(IsMissing(fields[i])
                                  ? value.held_bytes()
                                  : HeldBytesOfText(fields[i].size()),
                              std::memory_order_relaxed);
          }
          return absl::OkStatus();
        }));
    return std::vector<int64_t>(held.begin(), held.end());
  }
  static bool HasStrings(const KernelContext& context) {
    for (int i = 1; i < context.num_inputs(); ++i) {
      if (context.input(i).dtype() == DType::kString) return true;
    }
    return false;
  }

  bool IsMissing(const CsvField& field) const {
    if (field.size() == 0) return true;
    return field.size() == na_value_.size() && field.text() == na_value_;
  }

  // Sets element `line` of a column.
  absl::Status SetField(const Tensor& default_value, int64_t line, int i,
                        const CsvField& field, Tensor& column) const {
    absl::Status status;
    VisitDType(kTypes, column.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      T& element = column.mutable_data<T>()[line];
      if (IsMissing(field)) {
        if (default_value.num_elements() == 0) {
          status = absl::InvalidArgumentError(absl::StrCat(
              "Field ", i, " is required but missing in record ", line, "!"));
        } else {
          element = default_value.scalar<T>();
        }
      } else if constexpr (std::is_same_v<T, std::string>) {
        element = field.text();
      } else if (!ParseNumber(field.raw, element)) {
        status = absl::InvalidArgumentError(
            absl::StrCat("Field ", i, " in record ", line, " is not a valid ",
                         Name(column.dtype()), ": ", field.text()));
      }
    });
    return status;
  }

  const CsvFormat format_;
  const std::string na_value_;
};

absl::Status CheckColumns(const std::vector<int64_t>& columns,
                          size_t num_outputs) {
  if (columns.empty()) return absl::OkStatus();
  if (columns.size() != num_outputs) {
    return absl::InvalidArgumentError("select_cols should match output size");
  }
  for (size_t i = 0; i < columns.size(); ++i) {
    if (columns[i] < 0) {
      return absl::InvalidArgumentError(
          "select_cols should be non-negative indices");
    }
    if (i > 0 && columns[i] <= columns[i - 1]) {
      return absl::InvalidArgumentError(
          "select_cols should be strictly increasing indices");
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<Kernel>> MakeDecodeCsv(const NodeDef& node) {
  CsvFormat format;
  LEAT_ASSIGN_OR_RETURN(const std::string delimiter,
                        node.attrs.Get<std::string>("field_delim"));
  LEAT_ASSIGN_OR_RETURN(format.has_quotes,
                        node.attrs.Get<bool>("use_quote_delim"));
  LEAT_ASSIGN_OR_RETURN(std::string na_value,
                        node.attrs.Get<std::string>("na_value"));
  LEAT_ASSIGN_OR_RETURN(format.columns,
                        node.attrs.Get<std::vector<int64_t>>("select_cols"));
  if (delimiter.size() != 1) {
    return absl::InvalidArgumentError("field_delim should be only 1 char");
  }
  format.delimiter = delimiter[0];
  LEAT_RETURN_IF_ERROR(CheckColumns(format.columns, node.output_types.size()));
  return std::unique_ptr<Kernel>(
      std::make_unique<DecodeCsv>(std::move(format), std::move(na_value)));
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("DecodeCSV", kCpu, &MakeDecodeCsv);
}

}  // namespace leat::kernels::any::decode_csv
