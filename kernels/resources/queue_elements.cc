// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/resources/queue_elements.h"

#include <deque>
#include <utility>

#include "leat/core/check.h"
#include "leat/kernels/philox.h"

namespace leat::kernels {
namespace {

class FifoElements final : public QueueElements {
 public:
  int64_t size() const final { return static_cast<int64_t>(elements_.size()); }

  void Push(QueueElement element) final {
    elements_.push_back(std::move(element));
  }

  QueueElement Pop() final {
    LEAT_CHECK(!elements_.empty());
    QueueElement first = std::move(elements_.front());
    elements_.pop_front();
    return first;
  }

  void Return(std::vector<QueueElement> taken) final {
    while (!taken.empty()) {
      elements_.push_front(std::move(taken.back()));
      taken.pop_back();
    }
  }

 private:
  std::deque<QueueElement> elements_;
};

class ShuffledElements final : public QueueElements {
 public:
  ShuffledElements(int64_t seed, int64_t seed2)
      : words_(SharedPhilox(seed, seed2).Reserve(0)) {}

  int64_t size() const final { return static_cast<int64_t>(elements_.size()); }

  void Push(QueueElement element) final {
    elements_.push_back(std::move(element));
  }

  QueueElement Pop() final {
    LEAT_CHECK(!elements_.empty());
    const size_t picked = words_.Next() % elements_.size();
    QueueElement element = std::move(elements_[picked]);
    if (picked + 1 != elements_.size()) {
      elements_[picked] = std::move(elements_.back());
    }
    elements_.pop_back();
    return element;
  }

  // Appends the elements in reverse order, as TensorFlow does.
  void Return(std::vector<QueueElement> taken) final {
    while (!taken.empty()) {
      elements_.push_back(std::move(taken.back()));
      taken.pop_back();
    }
  }

 private:
  std::vector<QueueElement> elements_;
  PhiloxWords words_;
};

}  // namespace

std::unique_ptr<QueueElements> NewFifoElements() {
  return std::make_unique<FifoElements>();
}

std::unique_ptr<QueueElements> NewShuffledElements(int64_t seed,
                                                   int64_t seed2) {
  return std::make_unique<ShuffledElements>(seed, seed2);
}

}  // namespace leat::kernels
