// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernel of GroupByWindowDataset. It collects elements in groups by
// a key, and gives each group that is large enough to a function, which makes a
// dataset of it.
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/pipeline/dataset_kernel.h"
#include "leat/kernels/pipeline/element_charge.h"
#include "leat/kernels/pipeline/element_checks.h"
#include "leat/kernels/pipeline/element_list.h"

namespace leat::kernels::datasets::group_by_window {
namespace {

struct Functions {
  DatasetFunction key;
  DatasetFunction reduce;
  DatasetFunction window_size;
};

class GroupStage final : public Stage {
 public:
  // `input` and `dataset` are what the stage reads and what it belongs to.
  GroupStage(std::unique_ptr<Stage> input, const Functions& functions,
             const ElementSpec& input_spec, DatasetPtr dataset,
             const StageContext& context)
      : input_(std::move(input)),
        functions_(functions),
        input_spec_(input_spec),
        dataset_(std::move(dataset)),
        context_(context),
        charge_(context.pipeline) {}

  absl::StatusOr<Progress> Next(Element& element) override {
    for (Rounds rounds(context_);;) {
      if (rounds.AreUsedUp()) return Progress::kWaiting;
      if (group_ != nullptr) {
        LEAT_ASSIGN_OR_RETURN(const Progress progress, group_->Next(element));
        if (progress != Progress::kEnd) return progress;
        group_.reset();
      }
      LEAT_ASSIGN_OR_RETURN(const Progress progress, Advance());
      if (progress != Progress::kElement) return progress;
    }
  }

 private:
  // Says what the call that is under way computes.
  enum class Call { kNone, kKey, kWindowSize, kReduce };

  // Does one thing on the way to the next group. The result is kElement if it
  // was done.
  absl::StatusOr<Progress> Advance() {
    if (call_ == Call::kNone) return Begin();
    if (!run_.IsDone()) return Progress::kWaiting;
    const Call ended = std::exchange(call_, Call::kNone);
    LEAT_ASSIGN_OR_RETURN(const Element results, run_.Take());
    switch (ended) {
      case Call::kKey: {
        LEAT_ASSIGN_OR_RETURN(key_, GetNumber(results, "key_func"));
        if (sizes_.contains(key_)) return AddToGroup();
        Start(Call::kWindowSize, functions_.window_size, results);
        return Progress::kElement;
      }
      case Call::kWindowSize: {
        LEAT_ASSIGN_OR_RETURN(const int64_t size,
                              GetNumber(results, "window_size_func"));
        if (size <= 0) {
          return absl::InvalidArgumentError(absl::StrCat(
              "Window size must be greater than zero, but got ", size, "."));
        }
        // The size is kept as long as the stage lives.
        LEAT_RETURN_IF_ERROR(charge_.Add(Element()));
        sizes_[key_] = size;
        return AddToGroup();
      }
      case Call::kReduce:
        return Open(results);
      case Call::kNone:
        break;
    }
    return Progress::kElement;
  }

  // Takes an element of the input. At its end, takes the groups that are left.
  absl::StatusOr<Progress> Begin() {
    if (!has_ended_) {
      LEAT_ASSIGN_OR_RETURN(const Progress progress, input_->Next(candidate_));
      if (progress == Progress::kElement) {
        Start(Call::kKey, functions_.key, candidate_);
      }
      if (progress != Progress::kEnd) return progress;
      has_ended_ = true;
    }
    if (groups_.empty()) return Progress::kEnd;
    return Flush(groups_.begin()->first);
  }

  absl::StatusOr<Progress> AddToGroup() {
    LEAT_RETURN_IF_ERROR(charge_.Add(candidate_));
    std::vector<Element>& group = groups_[key_];
    group.push_back(std::move(candidate_));
    if (static_cast<int64_t>(group.size()) == sizes_[key_]) return Flush(key_);
    return Progress::kElement;
  }

  // Gives a group to the function that makes a dataset of it.
  absl::StatusOr<Progress> Flush(int64_t key) {
    std::vector<Element> elements = std::move(groups_.extract(key).mapped());
    for (const Element& element : elements) charge_.Remove(element);
    LEAT_ASSIGN_OR_RETURN(DatasetPtr group,
                          NewListDataset(input_spec_, std::move(elements),
                                         context_.pipeline->allocator()));
    Start(Call::kReduce, functions_.reduce,
          {Tensor::Scalar(key), TensorOf(std::move(group))});
    return Progress::kElement;
  }

  absl::StatusOr<Progress> Open(const Element& results) {
    if (results.size() != 1) {
      return absl::InvalidArgumentError(
          "`reduce_func` must return a single scalar of dtype DT_VARIANT.");
    }
    LEAT_ASSIGN_OR_RETURN(const DatasetPtr dataset, DatasetOf(results[0]));
    LEAT_RETURN_IF_ERROR(CheckSpec(dataset_->spec(), dataset->spec()));
    LEAT_ASSIGN_OR_RETURN(group_, MakeStage(*dataset, OfFunction(context_)));
    return Progress::kElement;
  }

  void Start(Call call, const DatasetFunction& function, Element args) {
    call_ = call;
    run_.Start(function, context_, std::move(args));
  }

  static absl::StatusOr<int64_t> GetNumber(const Element& results,
                                           absl::string_view function) {
    if (results.size() != 1 || results[0].dtype() != DType::kInt64 ||
        results[0].num_elements() != 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("`", function, "` must return a scalar int64."));
    }
    return results[0].scalar<int64_t>();
  }

  const std::unique_ptr<Stage> input_;
  const Functions functions_;
  const ElementSpec input_spec_;
  const DatasetPtr dataset_;
  const StageContext context_;
  ElementCharge charge_;  // of the elements in groups
  Call call_ = Call::kNone;
  FunctionRun run_;
  Element candidate_;  // the element whose key is computed
  int64_t key_ = 0;    // of the candidate
  std::map<int64_t, std::vector<Element>> groups_;  // by key
  absl::flat_hash_map<int64_t, int64_t> sizes_;     // of the groups, by key
  std::unique_ptr<Stage> group_;  // gives out the elements of a group
  bool has_ended_ = false;
};

class GroupDataset final : public Dataset,
                           public std::enable_shared_from_this<GroupDataset> {
 public:
  GroupDataset(ElementSpec spec, DatasetPtr input, Functions functions)
      : Dataset(std::move(spec)),
        input_(std::move(input)),
        functions_(std::move(functions)) {}

  absl::StatusOr<std::unique_ptr<Stage>> NewStage(
      const StageContext& context) const override {
    LEAT_ASSIGN_OR_RETURN(std::unique_ptr<Stage> input,
                          MakeStage(*input_, context));
    return std::make_unique<GroupStage>(std::move(input), functions_,
                                        input_->spec(), shared_from_this(),
                                        context);
  }

 private:
  const DatasetPtr input_;
  const Functions functions_;
};

absl::StatusOr<std::vector<DatasetFunctionRequest>> Requests(
    const KernelContext& context, const Dataset& input) {
  const NodeDef& node = context.node();
  LEAT_ASSIGN_OR_RETURN(const int num_key,
                        CountOf(node, "Tkey_func_other_arguments"));
  LEAT_ASSIGN_OR_RETURN(const int num_reduce,
                        CountOf(node, "Treduce_func_other_arguments"));
  return std::vector<DatasetFunctionRequest>{
      {.attr = "key_func",
       .arg_types = input.spec().dtypes,
       .return_types = {DType::kInt64},
       .first_captured = 1,
       .captured_types = "Tkey_func_other_arguments"},
      {.attr = "reduce_func",
       .arg_types = {DType::kInt64, DType::kVariant},
       .return_types = {DType::kVariant},
       .first_captured = 1 + num_key,
       .captured_types = "Treduce_func_other_arguments"},
      {.attr = "window_size_func",
       .arg_types = {DType::kInt64},
       .return_types = {DType::kInt64},
       .first_captured = 1 + num_key + num_reduce,
       .captured_types = "Twindow_size_func_other_arguments"}};
}

void StartGroups(KernelContext& context, DatasetDone done) {
  absl::StatusOr<ElementSpec> spec = OutputSpec(context.node());
  if (!spec.ok()) return std::move(done)(spec.status());
  absl::StatusOr<DatasetPtr> input = InputDataset(context);
  if (!input.ok()) return std::move(done)(input.status());
  auto requests = Requests(context, **input);
  if (!requests.ok()) return std::move(done)(requests.status());
  FindFunctions(
      context, *std::move(requests),
      [spec = *std::move(spec), input = *std::move(input),
       done = std::move(done)](
          absl::StatusOr<std::vector<DatasetFunction>> found) mutable {
        if (!found.ok()) return std::move(done)(found.status());
        std::move(done)(std::make_shared<const GroupDataset>(
            std::move(spec), std::move(input),
            Functions{(*found)[0], (*found)[1], (*found)[2]}));
      });
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("GroupByWindowDataset", kCpu, &StartDatasetKernel<&StartGroups>);
}

}  // namespace leat::kernels::datasets::group_by_window
