// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernel of ShardDataset, which has every n-th element of another
// dataset.
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/pipeline/dataset_kernel.h"

namespace leat::kernels::datasets::shard {
namespace {

struct Shard {
  int64_t count = 1;
  int64_t index = 0;
  // Fails at the first element of a round whose other shards get no element.
  bool requires_non_empty = false;
};

class ShardStage final : public Stage {
 public:
  ShardStage(std::unique_ptr<Stage> input, const Shard& shard,
             const StageContext& context)
      : input_(std::move(input)), shard_(shard), context_(context) {}

  absl::StatusOr<Progress> Next(Element& element) override {
    for (Rounds rounds(context_);;) {
      if (rounds.AreUsedUp()) return Progress::kWaiting;
      // The first element is kept until all shards are known to have one, if
      // `requires_non_empty` is true.
      if (first_.has_value() && next_ >= shard_.count) {
        element = *std::exchange(first_, std::nullopt);
        return Progress::kElement;
      }
      Element candidate;
      LEAT_ASSIGN_OR_RETURN(const Progress progress, input_->Next(candidate));
      if (progress == Progress::kEnd && shard_.requires_non_empty &&
          next_ < shard_.count) {
        return TooFew();
      }
      if (progress != Progress::kElement) return progress;
      const bool is_mine = next_++ % shard_.count == shard_.index;
      if (!is_mine) continue;
      if (shard_.requires_non_empty && next_ < shard_.count) {
        first_ = std::move(candidate);
        continue;
      }
      element = std::move(candidate);
      return Progress::kElement;
    }
  }

 private:
  absl::Status TooFew() const {
    return absl::InvalidArgumentError(absl::StrCat(
        "Could not apply FILE based sharding: the dataset only has ", next_,
        " file(s), which is not enough for the required ", shard_.count,
        " shards/workers.If you are using datasets with distribution strategy, "
        "consider setting the auto sharding policy to either DATA or OFF using "
        "the `experimental_distribute.auto_shard_policy` option of "
        "`tf.data.Options()`. Or, split your input files into a larger number "
        "of small files such that number of files is greater than number of "
        "shards/workers."));
  }

  const std::unique_ptr<Stage> input_;
  const Shard shard_;
  const StageContext context_;
  int64_t next_ = 0;
  std::optional<Element> first_;
};

class ShardDataset final : public Dataset {
 public:
  ShardDataset(DatasetPtr input, const Shard& shard)
      : Dataset(input->spec()), input_(std::move(input)), shard_(shard) {}

  absl::StatusOr<std::unique_ptr<Stage>> NewStage(
      const StageContext& context) const override {
    LEAT_ASSIGN_OR_RETURN(std::unique_ptr<Stage> input,
                          MakeStage(*input_, context));
    return std::make_unique<ShardStage>(std::move(input), shard_, context);
  }
  int64_t ComputeCardinality() const override {
    const int64_t all = input_->Cardinality();
    if (all < 0) return all;
    return all / shard_.count + (shard_.index < all % shard_.count ? 1 : 0);
  }

 private:
  const DatasetPtr input_;
  const Shard shard_;
};

absl::StatusOr<DatasetPtr> MakeShard(KernelContext& context) {
  LEAT_ASSIGN_OR_RETURN(DatasetPtr input, InputDataset(context));
  Shard shard;
  LEAT_ASSIGN_OR_RETURN(shard.count,
                        ScalarArgument<int64_t>(context, 1, "num_shards"));
  LEAT_ASSIGN_OR_RETURN(shard.index,
                        ScalarArgument<int64_t>(context, 2, "index"));
  LEAT_ASSIGN_OR_RETURN(
      shard.requires_non_empty,
      context.node().attrs.GetOr<bool>("require_non_empty", false));
  if (shard.count <= 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("Number of shards must be greater than zero "
                     "(currently num_shards = ",
                     shard.count, ")."));
  }
  if (shard.index < 0 || shard.index >= shard.count) {
    return absl::InvalidArgumentError(
        absl::StrCat("Index must be between 0 and ", shard.count - 1,
                     " (currently index = ", shard.index, ")."));
  }
  return std::make_shared<const ShardDataset>(std::move(input), shard);
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("ShardDataset", kCpu, &MakeDatasetKernel<&MakeShard>);
}

}  // namespace leat::kernels::datasets::shard
