// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/pipeline/element_list.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/kernels/pipeline/element_charge.h"

namespace leat::kernels {
namespace {

using Elements = std::shared_ptr<const std::vector<Element>>;

class ListStage final : public Stage {
 public:
  explicit ListStage(Elements elements) : elements_(std::move(elements)) {}

  absl::StatusOr<Progress> Next(Element& element) override {
    if (next_ == elements_->size()) return Progress::kEnd;
    element = (*elements_)[next_++];
    return Progress::kElement;
  }

 private:
  const Elements elements_;
  size_t next_ = 0;
};

class ListDataset final : public Dataset {
 public:
  // `charge` counts the memory of the elements.
  ListDataset(ElementSpec spec, std::vector<Element> elements, BufferRef charge)
      : Dataset(std::move(spec)),
        charge_(std::move(charge)),
        elements_(
            std::make_shared<const std::vector<Element>>(std::move(elements))) {
  }

  absl::StatusOr<std::unique_ptr<Stage>> NewStage(
      const StageContext&) const override {
    return std::make_unique<ListStage>(elements_);
  }
  int64_t ComputeCardinality() const override {
    return static_cast<int64_t>(elements_->size());
  }

 private:
  const BufferRef charge_;
  const Elements elements_;
};

}  // namespace

absl::StatusOr<DatasetPtr> NewListDataset(ElementSpec spec,
                                          std::vector<Element> elements,
                                          Allocator& allocator) {
  int64_t bytes = sizeof(ListDataset);
  for (const Element& element : elements) {
    bytes += ElementCharge::BytesOf(element);
  }
  BufferRef charge = allocator.Reserve(bytes);
  if (charge == nullptr) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "there is no memory for a dataset of ", elements.size(), " elements"));
  }
  return std::make_shared<const ListDataset>(
      std::move(spec), std::move(elements), std::move(charge));
}

}  // namespace leat::kernels
