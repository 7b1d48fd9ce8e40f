// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/train/batches.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "leat/core/check.h"

namespace leat {
namespace {

// Returns the given rows of a tensor, in the order of `rows`. The dtype must be
// one whose elements are plain bytes.
Tensor Gather(const Tensor& from, absl::Span<const int64_t> rows) {
  Dims dims(from.shape().dims().begin(), from.shape().dims().end());
  dims[0] = static_cast<int64_t>(rows.size());
  auto to = Tensor::Allocate(HostAllocator(), from.dtype(),
                             Shape::Create(dims).value());
  LEAT_CHECK(to.ok());
  const int64_t row_bytes =
      from.dim(0) == 0 ? 0 : from.num_bytes() / from.dim(0);
  for (size_t i = 0; i < rows.size(); ++i) {
    std::memcpy(to->mutable_raw_data() + i * row_bytes,
                from.raw_data() + rows[i] * row_bytes, row_bytes);
  }
  return *std::move(to);
}

}  // namespace

absl::StatusOr<Batches> Batches::Create(LabeledImages data,
                                        BatchOptions options) {
  if (options.size < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("batch size ", options.size, " is below 1"));
  }
  if (data.images.rank() < 1 || data.labels.rank() != 1 ||
      data.images.dim(0) != data.labels.dim(0) ||
      !IsPlainBytes(data.images.dtype()) ||
      !IsPlainBytes(data.labels.dtype())) {
    return absl::InvalidArgumentError(absl::StrCat(
        "images ", data.images.shape().DebugString(), " and labels ",
        data.labels.shape().DebugString(), " do not have the same rows"));
  }
  Batches batches(std::move(data), options);
  if (batches.num_batches() == 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        batches.order_.size(), " rows make no batch of ", options.size,
        options.drop_remainder ? ", and smaller ones are left out" : ""));
  }
  return batches;
}

Batches::Batches(LabeledImages data, BatchOptions options)
    : data_(std::move(data)),
      options_(options),
      order_(data_.labels.num_elements()) {
  std::iota(order_.begin(), order_.end(), int64_t{0});
  StartEpoch();
}

int64_t Batches::num_batches() const {
  const auto rows = static_cast<int64_t>(order_.size());
  const bool has_rest = rows % options_.size != 0 && !options_.drop_remainder;
  return rows / options_.size + (has_rest ? 1 : 0);
}

void Batches::StartEpoch() {
  next_ = 0;
  if (!options_.shuffle_seed.has_value()) return;
  std::mt19937_64 random(*options_.shuffle_seed + epoch_++);
  std::shuffle(order_.begin(), order_.end(), random);
}

std::optional<LabeledImages> Batches::Next() {
  if (next_ >= num_batches()) return std::nullopt;
  const auto rows = absl::MakeConstSpan(order_).subspan(next_++ * options_.size,
                                                        options_.size);
  return LabeledImages{.images = Gather(data_.images, rows),
                       .labels = Gather(data_.labels, rows)};
}

}  // namespace leat
