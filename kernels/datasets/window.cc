// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernel of WindowDataset, whose elements are datasets: each
// component is a dataset of some elements of that component.
#include <algorithm>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/core/saturating.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/pipeline/dataset_kernel.h"
#include "leat/kernels/pipeline/element_charge.h"
#include "leat/kernels/pipeline/element_list.h"

namespace leat::kernels::datasets::window {
namespace {

struct Window {
  int64_t size = 1;    // elements of a window
  int64_t shift = 1;   // elements from the begin of a window to the next begin
  int64_t stride = 1;  // elements from one element of a window to its next one
  bool drop_remainder = false;

  // Returns how many elements of the input a whole window spans.
  int64_t Span() const {
    return SaturatingAdd(SaturatingMultiply(size - 1, stride), 1);
  }
};

class WindowStage final : public Stage {
 public:
  WindowStage(std::unique_ptr<Stage> input, const Window& window,
              const ElementSpec& spec, const StageContext& context)
      : input_(std::move(input)),
        window_(window),
        spec_(spec),
        context_(context),
        charge_(context.pipeline) {}

  absl::StatusOr<Progress> Next(Element& element) override {
    LEAT_ASSIGN_OR_RETURN(const bool is_filled, Fill());
    if (!is_filled) return Progress::kWaiting;
    const auto count = static_cast<int64_t>(buffer_.size());
    if (count == 0 || (window_.drop_remainder && count < window_.Span())) {
      return Progress::kEnd;
    }
    absl::StatusOr<std::vector<Element>> elements = Elements();
    const int64_t num_dropped = std::min(count, window_.shift);
    for (int64_t i = 0; i < num_dropped; ++i) {
      charge_.RemoveBytes(BytesOf(buffer_[static_cast<size_t>(i)]));
    }
    buffer_.erase(buffer_.begin(), buffer_.begin() + num_dropped);
    num_to_skip_ = window_.shift - num_dropped;
    LEAT_RETURN_IF_ERROR(elements.status());
    LEAT_ASSIGN_OR_RETURN(element, WindowOf(*elements));
    return Progress::kElement;
  }

 private:
  // Is an element, or the error that took its place.
  using Entry = absl::StatusOr<Element>;

  static int64_t BytesOf(const Entry& entry) {
    return entry.ok() ? ElementCharge::BytesOf(*entry)
                      : static_cast<int64_t>(sizeof(Entry) +
                                             entry.status().message().size());
  }

  // Skips elements between two windows, and fills the buffer with those that
  // the next window spans. Returns false if the input waits.
  absl::StatusOr<bool> Fill() {
    for (Rounds rounds(context_);
         !has_ended_ &&
         (num_to_skip_ > 0 ||
          static_cast<int64_t>(buffer_.size()) < window_.Span());) {
      if (rounds.AreUsedUp()) return false;
      Element element;
      const absl::StatusOr<Progress> progress = input_->Next(element);
      if (progress.ok() && *progress == Progress::kWaiting) return false;
      if (progress.ok() && *progress == Progress::kEnd) {
        has_ended_ = true;
      } else if (num_to_skip_ > 0) {
        --num_to_skip_;
      } else {
        Entry entry = progress.ok() ? Entry(std::move(element))
                                    : Entry(progress.status());
        LEAT_RETURN_IF_ERROR(charge_.AddBytes(BytesOf(entry)));
        buffer_.push_back(std::move(entry));
      }
    }
    return true;
  }

  // Returns the elements of the window at the begin of the buffer.
  absl::StatusOr<std::vector<Element>> Elements() const {
    std::vector<Element> elements;
    const auto count = static_cast<int64_t>(buffer_.size());
    for (int64_t i = 0;
         i < count && static_cast<int64_t>(elements.size()) < window_.size;
         i = SaturatingAdd(i, window_.stride)) {
      const Entry& entry = buffer_[static_cast<size_t>(i)];
      if (!entry.ok()) return entry.status();
      elements.push_back(*entry);
    }
    return elements;
  }

  absl::StatusOr<Element> WindowOf(const std::vector<Element>& elements) const {
    Element window;
    for (size_t c = 0; c < spec_.dtypes.size(); ++c) {
      std::vector<Element> components;
      for (const Element& element : elements) {
        components.push_back({element[c]});
      }
      LEAT_ASSIGN_OR_RETURN(
          DatasetPtr dataset,
          NewListDataset(
              {.dtypes = {spec_.dtypes[c]}, .shapes = {spec_.shapes[c]}},
              std::move(components), context_.pipeline->allocator()));
      window.push_back(TensorOf(std::move(dataset)));
    }
    return window;
  }

  const std::unique_ptr<Stage> input_;
  const Window window_;
  const ElementSpec spec_;  // of the input
  const StageContext context_;
  ElementCharge charge_;
  std::deque<Entry> buffer_;
  int64_t num_to_skip_ = 0;
  bool has_ended_ = false;
};

class WindowDataset final : public Dataset {
 public:
  WindowDataset(ElementSpec spec, DatasetPtr input, const Window& window)
      : Dataset(std::move(spec)), input_(std::move(input)), window_(window) {}

  absl::StatusOr<std::unique_ptr<Stage>> NewStage(
      const StageContext& context) const override {
    LEAT_ASSIGN_OR_RETURN(std::unique_ptr<Stage> input,
                          MakeStage(*input_, context));
    return std::make_unique<WindowStage>(std::move(input), window_,
                                         input_->spec(), context);
  }
  int64_t ComputeCardinality() const override {
    const int64_t count = input_->Cardinality();
    if (count < 0) return count;
    if (!window_.drop_remainder) {
      return count / window_.shift + (count % window_.shift != 0 ? 1 : 0);
    }
    if (count < window_.Span()) return 0;
    return (count - window_.Span()) / window_.shift + 1;
  }

 private:
  const DatasetPtr input_;
  const Window window_;
};

absl::StatusOr<int64_t> PositiveArgument(const KernelContext& context, int i,
                                         absl::string_view name) {
  LEAT_ASSIGN_OR_RETURN(const int64_t value,
                        ScalarArgument<int64_t>(context, i, name));
  if (value > 0) return value;
  return absl::InvalidArgumentError(
      absl::StrCat("Window ", name, " must be greater than zero."));
}

absl::StatusOr<DatasetPtr> MakeWindow(KernelContext& context) {
  LEAT_ASSIGN_OR_RETURN(DatasetPtr input, InputDataset(context));
  Window window;
  LEAT_ASSIGN_OR_RETURN(window.size, PositiveArgument(context, 1, "size"));
  LEAT_ASSIGN_OR_RETURN(window.shift, PositiveArgument(context, 2, "shift"));
  LEAT_ASSIGN_OR_RETURN(window.stride, PositiveArgument(context, 3, "stride"));
  LEAT_ASSIGN_OR_RETURN(window.drop_remainder,
                        ScalarArgument<bool>(context, 4, "drop_remainder"));
  const size_t num_components = input->spec().dtypes.size();
  ElementSpec spec;
  spec.dtypes.assign(num_components, DType::kVariant);
  spec.shapes.assign(num_components, Shape{});
  return std::make_shared<const WindowDataset>(std::move(spec),
                                               std::move(input), window);
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("WindowDataset", kCpu, &MakeDatasetKernel<&MakeWindow>);
}

}  // namespace leat::kernels::datasets::window
