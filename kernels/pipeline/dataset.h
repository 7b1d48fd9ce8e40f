// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// A Dataset describes a sequence of elements, and a Stage produces them. A
// dataset is immutable. Each iterator makes its own stages: the stage of a
// dataset takes elements from the stages of the datasets under it.
//
//   LEAT_ASSIGN_OR_RETURN(const std::unique_ptr<Stage> stage,
//                         MakeStage(dataset, context));
//   Element element;
//   LEAT_ASSIGN_OR_RETURN(const Progress progress, stage->Next(element));
#ifndef LEAT_KERNELS_PIPELINE_DATASET_H_
#define LEAT_KERNELS_PIPELINE_DATASET_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/call_once.h"
#include "absl/status/statusor.h"
#include "leat/core/partial_shape.h"
#include "leat/core/tensor.h"
#include "leat/core/variant.h"
#include "leat/kernels/pipeline/pipeline.h"
#include "leat/kernels/pipeline/task.h"

namespace leat::kernels {

// Is one element of a dataset: a tensor for each component.
using Element = std::vector<Tensor>;

// Says what is known about all elements of a dataset.
struct ElementSpec {
  std::vector<DType> dtypes = {};
  std::vector<PartialShape> shapes = {};  // one for each dtype
};

// Says what a call of Stage::Next has done.
enum class Progress {
  kElement,  // The stage has produced an element.
  kEnd,      // There are no more elements.
  kWaiting,  // The stage waits, and wakes its task when it can go on.
};

// Is what a stage gets when it is made.
struct StageContext {
  std::shared_ptr<const Pipeline> pipeline = {};
  // Is the task that calls Next. The stage wakes it after Progress::kWaiting.
  std::weak_ptr<Task> task = {};
  // Says how many stages stand above the stage, and take its elements.
  int depth = 0;
  // Says where the stage stands among the stages of the pipeline. A dataset
  // that others read at several places has its own random numbers at each of
  // them. Is 0 for all datasets that functions return.
  uint64_t place = 1;
};

// Returns the context for input `index` of a stage with several inputs.
StageContext OfInput(const StageContext& context, size_t index);
// Returns the context for the datasets that functions return.
StageContext OfFunction(const StageContext& context);

class Dataset;

// Counts the rounds of a loop in which a stage looks for an element. Such a
// loop may have no end, for example if a filter drops everything. So that its
// task can be stopped and others get their turn, the stage gives way now and
// then.
//
//   for (Rounds rounds(context_);;) {
//     if (rounds.AreUsedUp()) return Progress::kWaiting;
//     ...
class Rounds {
 public:
  // Borrows `context`.
  explicit Rounds(const StageContext& context) : context_(context) {}

  // Counts a round. All stages of a task share what Task::UseRound allows.
  // Returns true if the stage must return kWaiting now. It then has woken the
  // task.
  bool AreUsedUp() {
    if (Task::UseRound()) return false;
    if (const std::shared_ptr<Task> task = context_.task.lock()) task->Wake();
    return true;
  }

 private:
  const StageContext& context_;
};

// A Stage produces the elements of one dataset, one after another. It is a
// state machine that never waits. A stage keeps what it has begun, so no
// element is lost if its caller does not call Next again for a while. One
// thread uses a stage at a time.
class Stage {
 public:
  Stage() = default;
  virtual ~Stage() {
    if (counted_ != nullptr) counted_->num_stages().fetch_sub(1);
  }
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  // Produces the next element. `element` is unchanged or has any value unless
  // the result is kElement. After kEnd, the result is always kEnd. After an
  // error, the next call goes on with the next element, if the stage can.
  // After kWaiting, the stage wakes its task once it can go on.
  virtual absl::StatusOr<Progress> Next(Element& element) = 0;

 private:
  friend absl::StatusOr<std::unique_ptr<Stage>> MakeStage(
      const Dataset& dataset, const StageContext& context);

  // Is the pipeline that counts the stage. MakeStage sets it.
  std::shared_ptr<const Pipeline> counted_;
};

// Is immutable and thread-safe. Shared pointers own it.
class Dataset {
 public:
  // These stand for a number of elements that is infinite, or not known.
  static constexpr int64_t kInfinite = -1;
  static constexpr int64_t kUnknown = -2;

  explicit Dataset(ElementSpec spec) : spec_(std::move(spec)) {}
  virtual ~Dataset() = default;
  Dataset(const Dataset&) = delete;
  Dataset& operator=(const Dataset&) = delete;

  const ElementSpec& spec() const { return spec_; }

  // Makes a stage at the beginning of the sequence. Other code calls MakeStage.
  virtual absl::StatusOr<std::unique_ptr<Stage>> NewStage(
      const StageContext& context) const = 0;

  // Returns the number of elements, kInfinite or kUnknown. Computes it once,
  // because many datasets may stand upon the same one.
  int64_t Cardinality() const {
    absl::call_once(once_, [this] { cardinality_ = ComputeCardinality(); });
    return cardinality_;
  }

 private:
  virtual int64_t ComputeCardinality() const { return kUnknown; }

  const ElementSpec spec_;
  mutable absl::once_flag once_;
  mutable int64_t cardinality_ = kUnknown;
};

using DatasetPtr = std::shared_ptr<const Dataset>;

// Limits how many datasets, and so stages, stand upon one another. Each of them
// needs stack.
inline constexpr int kMaxStageDepth = 1000;
// Limits how many stages a pipeline has at the same time.
inline constexpr int64_t kMaxStages = 100'000;
// Limits how many components an element has.
inline constexpr size_t kMaxComponents = 10'000;

// Makes a stage of `dataset`. `context` is the context of the stage that takes
// its elements. Returns RESOURCE_EXHAUSTED if more than kMaxStageDepth stages
// would stand upon one another, or if the pipeline would have more than
// kMaxStages.
absl::StatusOr<std::unique_ptr<Stage>> MakeStage(const Dataset& dataset,
                                                 const StageContext& context);

// Is a dataset as an element of a tensor of variants.
class DatasetValue final : public VariantValue {
 public:
  // `num_below` says how many datasets stand below `dataset`, one upon another.
  DatasetValue(DatasetPtr dataset, int num_below)
      : dataset_(std::move(dataset)), num_below_(num_below) {}

  const DatasetPtr& dataset() const { return dataset_; }
  int num_below() const { return num_below_; }

  absl::string_view type_name() const override;
  std::string DebugString() const override { return "a dataset"; }

 private:
  const DatasetPtr dataset_;
  const int num_below_;
};

// Returns a scalar that holds `dataset`. See DatasetValue for `num_below`.
Tensor TensorOf(DatasetPtr dataset, int num_below = 0);
// Returns how many datasets stand upon one another in `tensor`, at most.
// Returns 0 if it holds no dataset.
int NumDatasetsIn(const Tensor& tensor);
// Returns the dataset that `tensor` holds. Returns INVALID_ARGUMENT, with
// TensorFlow's text, if it holds none.
absl::StatusOr<DatasetPtr> DatasetOf(const Tensor& tensor);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_PIPELINE_DATASET_H_
