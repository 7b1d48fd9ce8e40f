// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of ShuffleDataset, ShuffleDatasetV3,
// ShuffleAndRepeatDataset and ShuffleAndRepeatDatasetV2, which give out the
// elements of another dataset in random order. The order for a seed is
// TensorFlow's.
#include <deque>
#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "leat/core/saturating.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/mutex.h"
#include "leat/kernels/pipeline/dataset_kernel.h"
#include "leat/kernels/pipeline/element_charge.h"
#include "leat/kernels/pipeline/seeds.h"

namespace leat::kernels::datasets::shuffle {
namespace {

struct ShuffleOptions {
  // Is the number of elements of which one is chosen. Dataset::kUnknown stands
  // for all elements of the input.
  int64_t buffer_size = 1;
  int64_t count = 1;  // passes over the input; -1: forever

  bool shuffles_all() const { return buffer_size == Dataset::kUnknown; }
};

// Holds the generators of seeds of one dataset: one for each place at which the
// dataset is read (StageContext). So its order does not depend on who reads it
// elsewhere. Is thread-safe.
class SeedGenerators {
 public:
  SeedGenerators(const Seeds& seeds, bool reshuffles)
      : seeds_(seeds), reshuffles_(reshuffles) {}

  absl::StatusOr<std::shared_ptr<SeedGenerator>> At(uint64_t place) {
    MutexLock lock(mutex_);
    const auto found = generators_.find(place);
    if (found != generators_.end()) return found->second;
    if (generators_.size() >= kMaxPlaces) {
      return absl::ResourceExhaustedError(
          absl::StrCat("a shuffled dataset is read at more than ", kMaxPlaces,
                       " places, which is the limit"));
    }
    auto generator = std::make_shared<SeedGenerator>(seeds_, reshuffles_);
    generators_.emplace(place, generator);
    return generator;
  }

 private:
  static constexpr size_t kMaxPlaces = 10'000;

  const Seeds seeds_;
  const bool reshuffles_;
  Mutex mutex_;
  absl::flat_hash_map<uint64_t, std::shared_ptr<SeedGenerator>> generators_
      ABSL_GUARDED_BY(mutex_);
};

// Keeps the elements of several passes (epochs) over the input in one buffer.
// Elements of an earlier pass come before those of a later one.
class ShuffleStage final : public Stage {
 public:
  ShuffleStage(DatasetPtr input, const ShuffleOptions& options,
               std::shared_ptr<SeedGenerator> seeds,
               const StageContext& context)
      : input_(std::move(input)),
        options_(options),
        seeds_(std::move(seeds)),
        context_(context),
        words_(seeds_->Next()),
        charge_(context.pipeline) {}

  absl::StatusOr<Progress> Next(Element& element) override {
    LEAT_ASSIGN_OR_RETURN(const bool is_filled, Fill());
    if (!is_filled) return Progress::kWaiting;
    if (size() == 0) return Progress::kEnd;
    while (epochs_.front().elements.empty()) DropFirstEpoch();
    // The chosen element changes places with the first one, which is what
    // TensorFlow does in its ring.
    std::deque<Element>& elements = epochs_.front().elements;
    const size_t chosen = words_.Next() % elements.size();
    std::swap(elements[chosen], elements.front());
    element = std::move(elements.front());
    elements.pop_front();
    charge_.Remove(element);
    --size_;
    return Progress::kElement;
  }

 private:
  // Holds the elements of one pass that are in the buffer.
  struct Epoch {
    std::deque<Element> elements = {};
    bool has_ended = false;  // there are no more elements of this pass
  };

  int64_t size() const { return size_; }

  void DropFirstEpoch() {
    epochs_.pop_front();
    words_ = RandomWords(seeds_->Next());
  }

  // Fills the buffer. Returns false if the input waits.
  absl::StatusOr<bool> Fill() {
    for (Rounds rounds(context_); WantsMore();) {
      if (rounds.AreUsedUp()) return false;
      if (stage_ == nullptr) {
        LEAT_ASSIGN_OR_RETURN(stage_, MakeStage(*input_, context_));
        epochs_.emplace_back();
        ++num_epochs_;
      }
      Element element;
      LEAT_ASSIGN_OR_RETURN(const Progress progress, stage_->Next(element));
      if (progress == Progress::kWaiting) return false;
      if (progress == Progress::kElement) {
        LEAT_RETURN_IF_ERROR(charge_.Add(element));
        epochs_.back().elements.push_back(std::move(element));
        ++size_;
        has_produced_ = true;
        continue;
      }
      epochs_.back().has_ended = true;
      stage_.reset();
      // Passes without elements leave nothing behind.
      while (size() == 0 && !epochs_.empty()) DropFirstEpoch();
      // An input without elements would be repeated without end.
      if (!has_produced_ && options_.count == -1) return true;
    }
    return true;
  }

  bool WantsMore() const {
    if (stage_ == nullptr && options_.count != -1 &&
        num_epochs_ >= options_.count) {
      return false;
    }
    // The buffer has elements of a few epochs at most.
    constexpr size_t kMaxEpochs = 3;
    if (epochs_.size() > kMaxEpochs && size() > 0) return false;
    if (options_.shuffles_all()) return !IsFirstEpochComplete();
    return size() < options_.buffer_size;
  }

  // Returns true if the pass whose elements come next is in the buffer as a
  // whole.
  bool IsFirstEpochComplete() const {
    for (const Epoch& epoch : epochs_) {
      if (!epoch.elements.empty()) return epoch.has_ended;
    }
    return false;
  }

  const DatasetPtr input_;
  const ShuffleOptions options_;
  const std::shared_ptr<SeedGenerator> seeds_;
  const StageContext context_;
  RandomWords words_;
  ElementCharge charge_;
  std::unique_ptr<Stage> stage_;  // of the last epoch, until it ends
  std::deque<Epoch> epochs_;
  int64_t size_ = 0;  // elements of all epochs
  int64_t num_epochs_ = 0;
  bool has_produced_ = false;
};

class ShuffleDataset final : public Dataset {
 public:
  ShuffleDataset(DatasetPtr input, const ShuffleOptions& options,
                 const Seeds& seeds, bool reshuffles)
      : Dataset(input->spec()),
        input_(std::move(input)),
        options_(options),
        seeds_(std::make_unique<SeedGenerators>(seeds, reshuffles)) {}

  absl::StatusOr<std::unique_ptr<Stage>> NewStage(
      const StageContext& context) const override {
    LEAT_ASSIGN_OR_RETURN(std::shared_ptr<SeedGenerator> seeds,
                          seeds_->At(context.place));
    return std::make_unique<ShuffleStage>(input_, options_, std::move(seeds),
                                          context);
  }
  int64_t ComputeCardinality() const override {
    const int64_t once = input_->Cardinality();
    if (options_.count == -1 || once == kInfinite) return kInfinite;
    if (once == kUnknown) return kUnknown;
    return SaturatingMultiply(once, options_.count);
  }

 private:
  const DatasetPtr input_;
  const ShuffleOptions options_;
  const std::unique_ptr<SeedGenerators> seeds_;
};

absl::StatusOr<Seeds> GetSeeds(const KernelContext& context) {
  Seeds seeds;
  LEAT_ASSIGN_OR_RETURN(seeds.seed,
                        ScalarArgument<int64_t>(context, 2, "seed"));
  LEAT_ASSIGN_OR_RETURN(seeds.seed2,
                        ScalarArgument<int64_t>(context, 3, "seed2"));
  return seeds;
}

// Returns true if the op has the input seed_generator, which is its last one.
bool HasSeedGenerator(const KernelContext& context) {
  return context.input(context.num_inputs() - 1).dtype() == DType::kResource;
}

absl::StatusOr<DatasetPtr> MakeShuffle(KernelContext& context, int64_t count,
                                       Seeds seeds) {
  LEAT_ASSIGN_OR_RETURN(DatasetPtr input, InputDataset(context));
  ShuffleOptions options{.count = count};
  LEAT_ASSIGN_OR_RETURN(options.buffer_size,
                        ScalarArgument<int64_t>(context, 1, "buffer_size"));
  if (options.buffer_size <= 0 && !options.shuffles_all()) {
    return absl::InvalidArgumentError(
        "buffer_size must be greater than zero or UNKNOWN_CARDINALITY");
  }
  LEAT_ASSIGN_OR_RETURN(
      const bool reshuffles,
      context.node().attrs.GetOr<bool>("reshuffle_each_iteration", true));
  // As in TensorFlow, a dataset with a seed generator draws random seeds once
  // if it does not reshuffle. Otherwise each place draws its own.
  if (HasSeedGenerator(context) && !reshuffles) seeds = OrRandom(seeds);
  return std::make_shared<const ShuffleDataset>(std::move(input), options,
                                                seeds, reshuffles);
}

// The handle of a seed generator names no generator in a graph
// (DummySeedGenerator), so the dataset has a generator of its own.
absl::StatusOr<DatasetPtr> MakeShuffleOnce(KernelContext& context) {
  LEAT_ASSIGN_OR_RETURN(const Seeds seeds, GetSeeds(context));
  return MakeShuffle(context, 1, seeds);
}

absl::StatusOr<DatasetPtr> MakeShuffleAndRepeat(KernelContext& context) {
  LEAT_ASSIGN_OR_RETURN(const Seeds seeds, GetSeeds(context));
  LEAT_ASSIGN_OR_RETURN(const int64_t count,
                        ScalarArgument<int64_t>(context, 4, "count"));
  if (count <= 0 && count != -1) {
    return absl::InvalidArgumentError(
        "count must be greater than zero or equal to -1.");
  }
  return MakeShuffle(context, count, seeds);
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("ShuffleDataset", kCpu, &MakeDatasetKernel<&MakeShuffleOnce>);
  registry.Add("ShuffleDatasetV3", kCpu, &MakeDatasetKernel<&MakeShuffleOnce>);
  registry.Add("ShuffleAndRepeatDataset", kCpu,
               &MakeDatasetKernel<&MakeShuffleAndRepeat>);
  registry.Add("ShuffleAndRepeatDatasetV2", kCpu,
               &MakeDatasetKernel<&MakeShuffleAndRepeat>);
}

}  // namespace leat::kernels::datasets::shuffle
