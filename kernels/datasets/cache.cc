// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of CacheDataset and CacheDatasetV2, which keep the
// elements of another dataset in memory or in files.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "leat/core/status_macros.h"
#include "leat/core/threads/mutex.h"
#include "leat/kernels/pipeline/dataset_kernel.h"
#include "leat/kernels/pipeline/element_charge.h"
#include "leat/kernels/pipeline/element_list.h"
#include "leat/kernels/pipeline/file_cache.h"

namespace leat::kernels::datasets::cache {
namespace {

// Holds the elements, once a pass over the input has been complete. Is
// thread-safe.
class MemoryCache {
 public:
  // Returns a dataset of the elements, or null.
  DatasetPtr Get() const {
    MutexLock lock(mutex_);
    return elements_;
  }
  // Keeps the elements of the first pass that is complete.
  void Set(DatasetPtr elements) {
    MutexLock lock(mutex_);
    if (elements_ == nullptr) elements_ = std::move(elements);
  }

 private:
  mutable Mutex mutex_;
  DatasetPtr elements_ ABSL_GUARDED_BY(mutex_);
};

class FillingStage final : public Stage {
 public:
  // `spec` is the spec of the elements.
  FillingStage(std::unique_ptr<Stage> input, std::shared_ptr<MemoryCache> cache,
               const ElementSpec& spec, const StageContext& context)
      : input_(std::move(input)),
        cache_(std::move(cache)),
        spec_(spec),
        pipeline_(context.pipeline),
        charge_(context.pipeline) {}

  absl::StatusOr<Progress> Next(Element& element) override {
    if (has_ended_) return Progress::kEnd;
    LEAT_ASSIGN_OR_RETURN(const Progress progress, input_->Next(element));
    if (progress == Progress::kElement) {
      if (absl::Status charged = charge_.Add(element); !charged.ok()) {
        // A cache without this element would be wrong.
        is_broken_ = true;
        elements_.clear();
        charge_.Clear();
        return charged;
      }
      if (!is_broken_) elements_.push_back(element);
    }
    if (progress != Progress::kEnd) return progress;
    has_ended_ = true;
    if (is_broken_) return progress;
    charge_.Clear();
    LEAT_ASSIGN_OR_RETURN(
        DatasetPtr elements,
        NewListDataset(spec_, std::move(elements_), pipeline_->allocator()));
    cache_->Set(std::move(elements));
    return progress;
  }

 private:
  const std::unique_ptr<Stage> input_;
  const std::shared_ptr<MemoryCache> cache_;
  const ElementSpec spec_;
  const std::shared_ptr<const Pipeline> pipeline_;
  ElementCharge charge_;
  std::vector<Element> elements_;
  bool has_ended_ = false;
  bool is_broken_ = false;
};

class CacheDataset final : public Dataset {
 public:
  explicit CacheDataset(DatasetPtr input)
      : Dataset(input->spec()), input_(std::move(input)) {}

  absl::StatusOr<std::unique_ptr<Stage>> NewStage(
      const StageContext& context) const override {
    const DatasetPtr elements = cache_->Get();
    if (elements != nullptr) return MakeStage(*elements, context);
    LEAT_ASSIGN_OR_RETURN(std::unique_ptr<Stage> input,
                          MakeStage(*input_, context));
    return std::make_unique<FillingStage>(std::move(input), cache_, spec(),
                                          context);
  }
  int64_t ComputeCardinality() const override { return input_->Cardinality(); }

 private:
  const DatasetPtr input_;
  const std::shared_ptr<MemoryCache> cache_ = std::make_shared<MemoryCache>();
};

// The handle of a cache names no cache in a graph (DummyMemoryCache), so the
// dataset has a cache of its own.
absl::StatusOr<DatasetPtr> MakeCache(KernelContext& context) {
  LEAT_ASSIGN_OR_RETURN(DatasetPtr input, InputDataset(context));
  LEAT_ASSIGN_OR_RETURN(const std::string filename,
                        ScalarArgument<std::string>(context, 1, "filename"));
  if (!filename.empty()) {
    return NewFileCacheDataset(std::move(input), filename);
  }
  return std::make_shared<const CacheDataset>(std::move(input));
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("CacheDataset", kCpu, &MakeDatasetKernel<&MakeCache>);
  registry.Add("CacheDatasetV2", kCpu, &MakeDatasetKernel<&MakeCache>);
}

}  // namespace leat::kernels::datasets::cache
