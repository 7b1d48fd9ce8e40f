// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of FlatMapDataset, InterleaveDataset and
// ParallelInterleaveDatasetV4. They call a function on each element of their
// input. It returns a dataset, whose elements become elements of the result.
#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/pipeline/background_stage.h"
#include "leat/kernels/pipeline/dataset_kernel.h"
#include "leat/kernels/pipeline/element_checks.h"
#include "leat/kernels/pipeline/parallel_calls.h"

namespace leat::kernels::datasets::interleave {
namespace {

// Says how the elements of the datasets are mixed.
struct Mix {
  int64_t cycle_length = 1;  // datasets that are open at the same time
  int64_t block_length = 1;  // elements that come from one of them in a row
  // Is set if the datasets work ahead, each on its own. All of them do,
  // whatever the number of calls is: the threads of the compute pool are the
  // limit.
  std::optional<ParallelCalls> parallel = {};
  int64_t buffer_size = 1;  // elements that each of them holds, if so
};

class InterleaveStage final : public Stage {
 public:
  // Is what each dataset of the cycle needs.
  static constexpr int64_t kSlotBytes = 64;

  // `dataset` is the dataset of the stage. `memory` counts the memory of the
  // cycle.
  InterleaveStage(std::unique_ptr<Stage> input, const DatasetFunction& function,
                  const Mix& mix, DatasetPtr dataset,
                  const StageContext& context, BufferRef memory)
      : memory_(std::move(memory)),
        input_(std::move(input)),
        function_(function),
        mix_(mix),
        dataset_(std::move(dataset)),
        context_(context),
        slots_(static_cast<size_t>(mix.cycle_length)) {}

  absl::StatusOr<Progress> Next(Element& element) override {
    if (mix_.parallel.has_value()) OpenAll();
    // The loop ends when all slots in a row have done nothing.
    size_t num_idle = 0;
    Rounds rounds(context_);
    while (num_idle < slots_.size()) {
      Slot& slot = slots_[current_];
      const absl::StatusOr<Turn> turn = TakeTurn(slot, element);
      if (!turn.ok()) {
        // An error counts as an element of its slot if the datasets work ahead.
        // Otherwise the slot is tried again. TensorFlow does the same.
        if (mix_.parallel.has_value()) CountElement();
        return turn.status();
      }
      switch (*turn) {
        case Turn::kElement:
          CountElement();
          return Progress::kElement;
        case Turn::kEnded:
          num_idle = 0;
          GoToNextSlot();
          if (rounds.AreUsedUp()) return Progress::kWaiting;
          break;
        case Turn::kWaiting:
          if (KeepsOrder()) return Progress::kWaiting;
          ++num_idle;
          GoToNextSlot();
          break;
        case Turn::kUnused:
          ++num_idle;
          GoToNextSlot();
          break;
      }
    }
    const bool is_over =
        has_ended_ && std::all_of(slots_.begin(), slots_.end(),
                                  [](const Slot& s) { return s.IsUnused(); });
    return is_over ? Progress::kEnd : Progress::kWaiting;
  }

 private:
  // Is a place for one dataset. The function that makes the dataset is called
  // first. Then its stage produces elements.
  struct Slot {
    FunctionRun run = {};
    std::unique_ptr<Stage> stage = {};
    // Is an error that was found before the turn of the slot.
    absl::Status error = absl::OkStatus();
    // Is set if the slot has failed to open, which counts as a dataset with
    // nothing but an error.
    bool has_failed = false;

    bool IsUnused() const {
      return !run.IsActive() && stage == nullptr && error.ok() && !has_failed;
    }
  };
  // Says what a turn of a slot has done.
  enum class Turn { kElement, kEnded, kWaiting, kUnused };

  bool KeepsOrder() const {
    return !mix_.parallel.has_value() || mix_.parallel->in_order;
  }

  void CountElement() {
    if (++in_block_ == mix_.block_length) GoToNextSlot();
  }

  void GoToNextSlot() {
    in_block_ = 0;
    current_ = (current_ + 1) % slots_.size();
  }

  absl::StatusOr<Turn> TakeTurn(Slot& slot, Element& element) {
    if (std::exchange(slot.has_failed, false)) return End(slot);
    const absl::StatusOr<std::optional<Turn>> ended = OpenForTurn(slot);
    if (!ended.ok()) {
      slot.has_failed = mix_.parallel.has_value();
      return ended.status();
    }
    if (ended->has_value()) return **ended;
    LEAT_ASSIGN_OR_RETURN(const Progress progress, slot.stage->Next(element));
    if (progress == Progress::kWaiting) return Turn::kWaiting;
    if (progress == Progress::kElement) return Turn::kElement;
    return End(slot);
  }

  // Returns what the turn has done if it ends here. Returns nothing if the slot
  // is open: it has a stage, which can be asked for an element.
  absl::StatusOr<std::optional<Turn>> OpenForTurn(Slot& slot) {
    LEAT_RETURN_IF_ERROR(std::exchange(slot.error, absl::OkStatus()));
    if (slot.IsUnused()) {
      LEAT_ASSIGN_OR_RETURN(const Progress opened, Open(slot));
      if (opened == Progress::kWaiting) return Turn::kWaiting;
      if (opened == Progress::kEnd) return Turn::kUnused;
    }
    LEAT_ASSIGN_OR_RETURN(const bool is_open, FinishOpening(slot));
    if (!is_open) return Turn::kWaiting;
    return std::nullopt;
  }

  Turn End(Slot& slot) {
    slot.stage.reset();
    // The next dataset of the slot begins to work before its next turn.
    if (mix_.parallel.has_value()) slot.error = Open(slot).status();
    return Turn::kEnded;
  }

  // Calls the function for an unused slot. The result says whether the input
  // has given an element for it.
  absl::StatusOr<Progress> Open(Slot& slot) {
    if (has_ended_) return Progress::kEnd;
    Element argument;
    LEAT_ASSIGN_OR_RETURN(const Progress progress, input_->Next(argument));
    if (progress == Progress::kEnd) has_ended_ = true;
    if (progress == Progress::kElement) {
      slot.run.Start(function_, context_, std::move(argument));
    }
    return progress;
  }

  // Lets all slots begin to work, in the order of their turns. An error waits
  // for the turn of its slot.
  void OpenAll() {
    for (size_t i = 0; i < slots_.size(); ++i) {
      Slot& slot = slots_[(current_ + i) % slots_.size()];
      if (!slot.error.ok() || slot.has_failed) continue;
      if (slot.IsUnused()) {
        const absl::StatusOr<Progress> opened = Open(slot);
        slot.error = opened.status();
        if (opened.ok() && *opened != Progress::kElement) return;
      }
      if (slot.error.ok()) slot.error = FinishOpening(slot).status();
    }
  }

  // Makes the stage once the function has returned its dataset. Returns false
  // if it has not.
  absl::StatusOr<bool> FinishOpening(Slot& slot) {
    if (!slot.run.IsActive()) return true;
    if (!slot.run.IsDone()) return false;
    LEAT_ASSIGN_OR_RETURN(const Element results, slot.run.Take());
    if (results.size() != 1) {
      return absl::InvalidArgumentError(
          "`f` must return a single scalar of dtype DT_VARIANT.");
    }
    LEAT_ASSIGN_OR_RETURN(DatasetPtr dataset, DatasetOf(results[0]));
    LEAT_RETURN_IF_ERROR(CheckSpec(dataset_->spec(), dataset->spec()));
    LEAT_ASSIGN_OR_RETURN(slot.stage, StageOf(std::move(dataset)));
    return true;
  }

  absl::StatusOr<std::unique_ptr<Stage>> StageOf(DatasetPtr dataset) const {
    const StageContext of_function = OfFunction(context_);
    if (!mix_.parallel.has_value()) return MakeStage(*dataset, of_function);
    return NewBackgroundStage(of_function, mix_.buffer_size, Begins::kAtOnce,
                              [dataset](const StageContext& context) {
                                return MakeStage(*dataset, context);
                              });
  }

  const BufferRef memory_;
  const std::unique_ptr<Stage> input_;
  const DatasetFunction function_;
  const Mix mix_;
  const DatasetPtr dataset_;
  const StageContext context_;
  std::vector<Slot> slots_;
  size_t current_ = 0;
  int64_t in_block_ = 0;  // elements of this block that have come
  bool has_ended_ = false;
};

class InterleaveDataset final
    : public Dataset,
      public std::enable_shared_from_this<InterleaveDataset> {
 public:
  InterleaveDataset(ElementSpec spec, DatasetPtr input,
                    DatasetFunction function, const Mix& mix)
      : Dataset(std::move(spec)),
        input_(std::move(input)),
        function_(std::move(function)),
        mix_(mix) {}

  absl::StatusOr<std::unique_ptr<Stage>> NewStage(
      const StageContext& context) const override {
    LEAT_ASSIGN_OR_RETURN(std::unique_ptr<Stage> input,
                          MakeStage(*input_, context));
    const int64_t slots_bytes = mix_.cycle_length * InterleaveStage::kSlotBytes;
    BufferRef memory = context.pipeline->allocator().Reserve(slots_bytes);
    if (memory == nullptr) {
      return absl::ResourceExhaustedError(
          absl::StrCat("there is no memory for a cycle of ", mix_.cycle_length,
                       " datasets"));
    }
    return std::make_unique<InterleaveStage>(std::move(input), function_, mix_,
                                             shared_from_this(), context,
                                             std::move(memory));
  }

 private:
  const DatasetPtr input_;
  const DatasetFunction function_;
  const Mix mix_;
};

void Start(KernelContext& context, const absl::StatusOr<Mix>& mix,
           DatasetDone done) {
  if (!mix.ok()) return std::move(done)(mix.status());
  absl::StatusOr<ElementSpec> spec = OutputSpec(context.node());
  if (!spec.ok()) return std::move(done)(spec.status());
  StartWithFunction(
      context,
      {.attr = "f",
       .return_types = {DType::kVariant},
       .first_captured = 1,
       .captured_types = "Targuments"},
      std::move(done),
      [spec = *std::move(spec), mix = *mix](
          DatasetPtr input,
          DatasetFunction function) mutable -> absl::StatusOr<DatasetPtr> {
        return std::make_shared<const InterleaveDataset>(
            std::move(spec), std::move(input), std::move(function), mix);
      });
}

void StartFlatMap(KernelContext& context, DatasetDone done) {
  Start(context, Mix(), std::move(done));
}

// Limits how many datasets are open at the same time.
constexpr int64_t kMaxCycleLength = 100'000;

// Reads the inputs cycle_length and block_length, the first of which is input
// `i`.
absl::StatusOr<Mix> GetMix(const KernelContext& context, int i) {
  Mix mix;
  LEAT_ASSIGN_OR_RETURN(mix.cycle_length,
                        ScalarArgument<int64_t>(context, i, "cycle_length"));
  if (mix.cycle_length == -1) {
    mix.cycle_length = context.step().device->compute_queue().num_threads();
  }
  if (mix.cycle_length < 1) {
    return absl::InvalidArgumentError(
        "cycle_length must be greater than zero.");
  }
  if (mix.cycle_length > kMaxCycleLength) {
    return absl::InvalidArgumentError(
        absl::StrCat("cycle_length is ", mix.cycle_length,
                     ", but may be at most ", kMaxCycleLength));
  }
  LEAT_ASSIGN_OR_RETURN(mix.block_length, ScalarArgument<int64_t>(
                                              context, i + 1, "block_length"));
  if (mix.block_length < 1) {
    return absl::InvalidArgumentError(
        "block_length must be greater than zero.");
  }
  return mix;
}

void StartInterleave(KernelContext& context, DatasetDone done) {
  Start(context, GetMix(context, context.num_inputs() - 2), std::move(done));
}

// The inputs after the captured ones are cycle_length, block_length,
// buffer_output_elements, prefetch_input_elements and num_parallel_calls.
absl::StatusOr<Mix> GetParallelMix(const KernelContext& context) {
  const int first = context.num_inputs() - 5;
  LEAT_ASSIGN_OR_RETURN(Mix mix, GetMix(context, first));
  LEAT_ASSIGN_OR_RETURN(
      mix.buffer_size,
      ScalarArgument<int64_t>(context, first + 2, "buffer_output_elements"));
  if (mix.buffer_size < 1 && mix.buffer_size != -1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "`buffer_output_elements` must be -1 or greater than zero, but is ",
        mix.buffer_size));
  }
  constexpr int64_t kDefaultBufferSize = 16;
  if (mix.buffer_size == -1) mix.buffer_size = kDefaultBufferSize;
  LEAT_ASSIGN_OR_RETURN(mix.parallel, GetParallelCalls(context, first + 4));
  return mix;
}

void StartParallelInterleave(KernelContext& context, DatasetDone done) {
  Start(context, GetParallelMix(context), std::move(done));
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("FlatMapDataset", kCpu, &StartDatasetKernel<&StartFlatMap>);
  registry.Add("InterleaveDataset", kCpu,
               &StartDatasetKernel<&StartInterleave>);
  registry.Add("ParallelInterleaveDatasetV4", kCpu,
               &StartDatasetKernel<&StartParallelInterleave>);
}

}  // namespace leat::kernels::datasets::interleave
