// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/codecs/parse_examples.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/saturating.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/codecs/example_wire.h"
#include "leat/kernels/codecs/parallel_checks.h"

namespace leat {
namespace {

// An error shows at most this many bytes of a malformed Example.
constexpr size_t kMaxShownBytes = 256;

// Returns the name of a type of values in the errors of dense features.
std::string ListName(DType type) {
  return type == DType::kString ? "bytes" : std::string(Name(type));
}

}  // namespace

// Is one call of ParseBatch or ParseOne. The Examples are read twice. First,
// the values of all features are found and counted, and errors are found. This
// says how large the tensors are. Then the values are written to the tensors.
// Both times, threads share the Examples.
class ExampleParser::Run {
 public:
  Run(const ExampleParser& parser, absl::Span<const std::string> examples,
      absl::Span<const std::string> names, bool is_batch,
      const ParseResources& resources)
      : spec_(parser.spec_),
        positions_(parser.positions_),
        examples_(examples),
        names_(names),
        is_batch_(is_batch),
        resources_(resources),
        first_dense_(static_cast<int>(spec_.sparse.size())),
        first_ragged_(first_dense_ + static_cast<int>(spec_.dense.size())),
        num_features_(first_ragged_ + static_cast<int>(spec_.ragged.size())) {}

  absl::StatusOr<std::vector<Tensor>> Parse() {
    LEAT_RETURN_IF_ERROR(AllocateValues());
    LEAT_RETURN_IF_ERROR(
        ForEachExample([&](int64_t example) { return FindFeatures(example); }));
    std::vector<Tensor> outputs(num_features_ * 2 + spec_.sparse.size() -
                                spec_.dense.size());
    outputs_ = absl::MakeSpan(outputs);
    for (int feature = 0; feature < num_features_; ++feature) {
      LEAT_RETURN_IF_ERROR(AllocateFeature(feature));
    }
    LEAT_RETURN_IF_ERROR(
        ForEachExample([&](int64_t example) { return Write(example); }));
    return outputs;
  }

 private:
  int64_t batch_size() const { return static_cast<int64_t>(examples_.size()); }

  // Returns the outputs of a feature.
  Tensor& SparseIndices(int feature) { return outputs_[feature]; }
  Tensor& SparseShape(int feature) {
    return outputs_[2 * first_dense_ + feature];
  }
  Tensor& RowSplits(int feature) {
    return Values(feature + static_cast<int>(spec_.ragged.size()));
  }
  // Returns the values of a feature of any kind.
  Tensor& Values(int feature) {
    const bool is_sparse = feature < first_dense_;
    return outputs_[(is_sparse ? first_dense_ : 2 * first_dense_) + feature];
  }

  const ListFeature* List(int feature) const {
    if (feature < first_dense_) return &spec_.sparse[feature];
    if (feature < first_ragged_) return nullptr;
    return &spec_.ragged[feature - first_ragged_];
  }
  const DenseFeature& Dense(int feature) const {
    return spec_.dense[feature - first_dense_];
  }

  // Holds the values of feature f of example e at e * num_features_ + f.
  FeatureValues& Found(int64_t example, int feature) {
    return values_[example * num_features_ + feature];
  }
  // Holds how many values of a list the Examples before this one have.
  int64_t& Before(int64_t example, int feature) {
    return before_[example * num_features_ + feature];
  }

  absl::Status AllocateValues() {
    LEAT_ASSIGN_OR_RETURN(
        const int64_t count,
        CheckedMultiply(batch_size(), int64_t{num_features_}));
    constexpr auto kBytes =
        static_cast<int64_t>(sizeof(FeatureValues) + sizeof(int64_t));
    LEAT_ASSIGN_OR_RETURN(const int64_t bytes, CheckedMultiply(count, kBytes));
    LEAT_ASSIGN_OR_RETURN(
        memory_,
        Tensor::Allocate(resources_.allocator, DType::kUint8, Shape{bytes}));
    values_ = reinterpret_cast<FeatureValues*>(memory_.mutable_raw_data());
    std::uninitialized_value_construct_n(values_, count);
    before_ = reinterpret_cast<int64_t*>(values_ + count);
    return absl::OkStatus();
  }

  // Calls `visit(example)` for all Examples, by several threads. Returns the
  // error of the first Example that has one.
  absl::Status ForEachExample(absl::FunctionRef<absl::Status(int64_t)> visit) {
    int64_t bytes = 0;
    for (const std::string& example : examples_) {
      bytes += static_cast<int64_t>(example.size());
    }
    const int64_t cost = bytes / std::max<int64_t>(batch_size(), 1) +
                         SaturatingMultiply(20, num_features_);
    return ParallelChecks(resources_.queue, batch_size(), cost, visit);
  }

  // Finds the values of all features of an Example.
  absl::Status FindFeatures(int64_t example) {
    // The error of the last feature that has one counts, as in TensorFlow,
    // unless the feature comes again.
    absl::flat_hash_map<int, absl::Status> errors;
    int last_error = -1;
    const auto visit = [&](absl::string_view key, absl::string_view feature) {
      const auto found = positions_.find(key);
      if (found == positions_.end()) return true;
      FeatureValues& values = Found(example, found->second);
      const FeatureStatus status = FindValues(feature, values);
      absl::Status error = Check(example, found->second, status, values);
      if (!error.ok()) {
        last_error = found->second;
        errors[found->second] = std::move(error);
      } else if (!errors.empty()) {
        errors.erase(found->second);
      }
      return true;
    };
    if (!VisitFeatures(examples_[example], visit)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Could not parse example input, value: '",
          absl::string_view(examples_[example]).substr(0, kMaxShownBytes), "'",
          is_batch_ ? absl::StrCat(", Index: ", example) : ""));
    }
    if (!errors.empty()) {
      const auto last = errors.find(last_error);
      return last != errors.end() ? last->second : errors.begin()->second;
    }
    return CheckRequired(example);
  }

  // Returns the beginning of errors, which says which feature is wrong.
  std::string Where(int64_t example, absl::string_view key) const {
    if (!is_batch_) return absl::StrCat("Key: ", key, ".  ");
    return absl::StrCat(NameOf(example), "Key: ", key, ", Index: ", example,
                        ".  ");
  }
  std::string NameOf(int64_t example) const {
    if (!is_batch_) return "";
    return absl::StrCat(
        "Name: ", names_.empty() ? "<unknown>" : names_[example], ", ");
  }

  // Checks the values of a feature that have been found.
  absl::Status Check(int64_t example, int feature, FeatureStatus status,
                     const FeatureValues& values) const {
    if (status == FeatureStatus::kUnknownType) {
      return absl::InvalidArgumentError("Unsupported datatype.");
    }
    const ListFeature* const list = List(feature);
    const std::string& key = list ? list->key : Dense(feature).key;
    const DType type = list ? list->type : Dense(feature).type;
    if (values.type != DType::kInvalid && values.type != type) {
      const std::string where = Where(example, key);
      return absl::InvalidArgumentError(
          list ? absl::StrCat(where, "Data types don't match. Expected type: ",
                              Name(type), ", Actual type: ", Name(values.type))
               : absl::StrCat(where, "Data types don't match. Data type: ",
                              Name(values.type),
                              " but expected type: ", Name(type)));
    }
    if (status == FeatureStatus::kMalformed) return Malformed(example, key);
    if (list != nullptr || values.type == DType::kInvalid) {
      return absl::OkStatus();
    }
    return CheckCount(example, Dense(feature), values.count);
  }

  absl::Status Malformed(int64_t example, absl::string_view key) const {
    return absl::InvalidArgumentError(
        absl::StrCat(Where(example, key), "Can't parse serialized Example."));
  }

  absl::Status CheckCount(int64_t example, const DenseFeature& feature,
                          int64_t count) const {
    const int64_t size = RowSize(feature);
    if (IsPadded(feature)) {
      if (count == 0 || (size > 0 && count % size == 0)) {
        return absl::OkStatus();
      }
      if (!is_batch_) return Malformed(example, feature.key);
      return absl::InvalidArgumentError(absl::StrCat(
          Where(example, feature.key), "Number of ", ListName(feature.type),
          " values is not a multiple of stride length. Saw ", count,
          " values but output shape is: ", feature.shape.DebugString()));
    }
    if (count == size) return absl::OkStatus();
    if (!is_batch_ || (feature.type == DType::kString && count > size)) {
      return Malformed(example, feature.key);
    }
    return absl::InvalidArgumentError(absl::StrCat(
        Where(example, feature.key), "Number of ", ListName(feature.type),
        " values != expected.  Values size: ", count,
        " but output shape: ", feature.shape.DebugString()));
  }

  // Returns an error if a required feature is missing.
  absl::Status CheckRequired(int64_t example) {
    for (int feature = first_dense_; feature < first_ragged_; ++feature) {
      const DenseFeature& dense = Dense(feature);
      if (Found(example, feature).type != DType::kInvalid || IsPadded(dense) ||
          dense.default_value.num_elements() > 0) {
        continue;
      }
      return absl::InvalidArgumentError(absl::StrCat(
          NameOf(example), "Feature: ", dense.key, " (data type: ",
          Name(dense.type), ") is required but could not be found."));
    }
    return absl::OkStatus();
  }

  // Describes the values of one feature in all Examples.
  struct Totals {
    int64_t count = 0;
    int64_t most = 0;  // of one Example
    int64_t held_bytes = 0;
    int64_t num_missing = 0;
  };
  Totals Count(int feature) {
    Totals totals;
    for (int64_t example = 0; example < batch_size(); ++example) {
      const FeatureValues& values = Found(example, feature);
      Before(example, feature) = totals.count;
      totals.count += values.count;
      totals.most = std::max(totals.most, values.count);
      totals.held_bytes = SaturatingAdd(totals.held_bytes, values.held_bytes);
      if (values.type == DType::kInvalid) ++totals.num_missing;
    }
    return totals;
  }

  absl::Status Allocate(DType type, const Shape& shape, Tensor& tensor,
                        int64_t held_bytes = 0) {
    LEAT_ASSIGN_OR_RETURN(tensor, Tensor::Allocate(resources_.allocator, type,
                                                   shape, held_bytes));
    return absl::OkStatus();
  }

  absl::Status AllocateFeature(int feature) {
    const Totals totals = Count(feature);
    const ListFeature* const list = List(feature);
    if (list == nullptr) return AllocateDense(feature, totals);
    LEAT_RETURN_IF_ERROR(Allocate(list->type, Shape{totals.count},
                                  Values(feature), totals.held_bytes));
    if (feature < first_dense_) return AllocateSparse(feature, totals);
    return AllocateSplits(feature, totals);
  }

  absl::Status AllocateSparse(int feature, const Totals& totals) {
    const int64_t rank = is_batch_ ? 2 : 1;
    LEAT_RETURN_IF_ERROR(Allocate(DType::kInt64, Shape{totals.count, rank},
                                  SparseIndices(feature)));
    LEAT_RETURN_IF_ERROR(
        Allocate(DType::kInt64, Shape{rank}, SparseShape(feature)));
    const auto shape = SparseShape(feature).mutable_data<int64_t>();
    shape[0] = batch_size();
    shape[rank - 1] = totals.most;
    return absl::OkStatus();
  }

  absl::Status AllocateSplits(int feature, const Totals& totals) {
    const DType type = List(feature)->splits;
    if (type == DType::kInt32 && totals.count > INT32_MAX) {
      return absl::InvalidArgumentError(
          absl::StrCat("Feature: ", List(feature)->key, " has ", totals.count,
                       " values, too many for int32 row splits"));
    }
    const int64_t size = is_batch_ ? batch_size() + 1 : 0;
    LEAT_RETURN_IF_ERROR(Allocate(type, Shape{size}, RowSplits(feature)));
    VisitDType(kIndices, type, [&](auto tag) {
      using T = typename decltype(tag)::type;
      const auto splits = RowSplits(feature).mutable_data<T>();
      for (int64_t i = 0; i + 1 < size; ++i) {
        splits[i] = static_cast<T>(Before(i, feature));
      }
      if (size > 0) splits[size - 1] = static_cast<T>(totals.count);
    });
    return absl::OkStatus();
  }

  absl::Status AllocateDense(int feature, const Totals& totals) {
    const DenseFeature& dense = Dense(feature);
    Dims dims;
    if (is_batch_) dims.push_back(batch_size());
    if (IsPadded(dense)) {
      const int64_t size = RowSize(dense);
      dims.push_back(size == 0 ? 0 : totals.most / size);
    }
    for (const int64_t extent : RowDims(dense)) dims.push_back(extent);
    LEAT_ASSIGN_OR_RETURN(const Shape shape, Shape::Create(dims));
    int64_t held_bytes = totals.held_bytes;
    if (dense.type == DType::kString) {
      // The default value stands for whole Examples, or for single elements.
      const int64_t times = IsPadded(dense)
                                ? shape.num_elements() - totals.count
                                : totals.num_missing;
      held_bytes = SaturatingAdd(
          held_bytes,
          SaturatingMultiply(times, dense.default_value.held_bytes()));
    }
    return Allocate(dense.type, shape, Values(feature), held_bytes);
  }

  // Writes the values of an Example to all outputs.
  absl::Status Write(int64_t example) {
    for (int feature = 0; feature < num_features_; ++feature) {
      const ListFeature* const list = List(feature);
      bool ok = true;
      VisitDType(kFeatureTypes, Values(feature).dtype(), [&](auto tag) {
        using T = typename decltype(tag)::type;
        ok = list != nullptr ? WriteList<T>(example, feature)
                             : WriteDense<T>(example, feature);
      });
      if (!ok) {
        return Malformed(example, list ? list->key : Dense(feature).key);
      }
      if (feature < first_dense_) WriteIndices(example, feature);
    }
    return absl::OkStatus();
  }

  template <class T>
  bool WriteList(int64_t example, int feature) {
    return WriteValues(
        Found(example, feature),
        Values(feature).mutable_data<T>().data() + Before(example, feature));
  }

  void WriteIndices(int64_t example, int feature) {
    const int64_t begin = Before(example, feature);
    const int64_t count = Found(example, feature).count;
    const auto indices = SparseIndices(feature).mutable_data<int64_t>();
    for (int64_t i = 0; i < count; ++i) {
      if (is_batch_) {
        indices[2 * (begin + i)] = example;
        indices[2 * (begin + i) + 1] = i;
      } else {
        indices[begin + i] = i;
      }
    }
  }

  template <class T>
  bool WriteDense(int64_t example, int feature) {
    const DenseFeature& dense = Dense(feature);
    const FeatureValues& values = Found(example, feature);
    auto to = Values(feature).mutable_data<T>();
    const size_t size = to.size() / examples_.size();
    to = to.subspan(static_cast<size_t>(example) * size, size);
    const auto defaults = dense.default_value.template data<T>();
    if (IsPadded(dense)) {
      std::fill(to.begin() + values.count, to.end(), defaults[0]);
    } else if (values.type == DType::kInvalid) {
      std::copy(defaults.begin(), defaults.end(), to.begin());
      return true;
    }
    return WriteValues(values, to.data());
  }

  const ExampleSpec& spec_;
  const absl::flat_hash_map<std::string, int>& positions_;
  const absl::Span<const std::string> examples_;
  const absl::Span<const std::string> names_;
  const bool is_batch_;
  const ParseResources& resources_;
  // Features are numbered through: sparse, dense, ragged.
  const int first_dense_;
  const int first_ragged_;
  const int num_features_;
  Tensor memory_;  // holds what the next two pointers point to
  FeatureValues* values_ = nullptr;
  int64_t* before_ = nullptr;
  absl::Span<Tensor> outputs_;
};

absl::StatusOr<ExampleParser> ExampleParser::Create(ExampleSpec spec) {
  LEAT_RETURN_IF_ERROR(CheckSpec(spec));
  ExampleParser parser;
  int position = 0;
  for (const auto& feature : spec.sparse) {
    parser.positions_.emplace(feature.key, position++);
  }
  for (const auto& feature : spec.dense) {
    parser.positions_.emplace(feature.key, position++);
  }
  for (const auto& feature : spec.ragged) {
    parser.positions_.emplace(feature.key, position++);
  }
  parser.spec_ = std::move(spec);
  return parser;
}

absl::StatusOr<std::vector<Tensor>> ExampleParser::ParseBatch(
    absl::Span<const std::string> examples, absl::Span<const std::string> names,
    const ParseResources& resources) const {
  return Run(*this, examples, names, /*is_batch=*/true, resources).Parse();
}

absl::StatusOr<std::vector<Tensor>> ExampleParser::ParseOne(
    const std::string& example, const ParseResources& resources) const {
  return Run(*this, absl::MakeConstSpan(&example, 1), {}, /*is_batch=*/false,
             resources)
      .Parse();
}

}  // namespace leat
