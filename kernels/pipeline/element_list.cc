// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/pipeline/element_list.h"

#include <utility>

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
  ListDataset(ElementSpec spec, std::vector<Element> elements)
      : Dataset(std::move(spec)),
        elements_(
            std::make_shared<const std::vector<Element>>(std::move(elements))) {
  }

  absl::StatusOr<std::unique_ptr<Stage>> NewStage(
      const StageContext&) const override {
    return NewListStage(elements_);
  }
  int64_t Cardinality() const override {
    return static_cast<int64_t>(elements_->size());
  }

 private:
  const Elements elements_;
};

}  // namespace

std::unique_ptr<Stage> NewListStage(Elements elements) {
  return std::make_unique<ListStage>(std::move(elements));
}

DatasetPtr NewListDataset(ElementSpec spec, std::vector<Element> elements) {
  return std::make_shared<const ListDataset>(std::move(spec),
                                             std::move(elements));
}

}  // namespace leat::kernels
