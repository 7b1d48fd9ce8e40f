// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/collectives/release_notice.h"

#include <utility>

namespace leat {
namespace {

// Shares the bytes of another buffer.
class NoticedBuffer final : public Buffer {
 public:
  NoticedBuffer(BufferRef bytes, absl::AnyInvocable<void() &&> released)
      : Buffer(bytes->data(), bytes->size(), bytes->memory()),
        bytes_(std::move(bytes)),
        released_(std::move(released)) {}

 private:
  void Dispose() override {
    bytes_.reset();
    auto released = std::move(released_);
    delete this;
    std::move(released)();
  }

  BufferRef bytes_;
  absl::AnyInvocable<void() &&> released_;
};

}  // namespace

Tensor WithReleaseNotice(const Tensor& tensor,
                         absl::AnyInvocable<void() &&> released) {
  Tensor shared = tensor;
  return Tensor::FromBuffer(
      tensor.dtype(), tensor.shape(),
      BufferRef(new NoticedBuffer(tensor.buffer(), std::move(released))),
      shared.mutable_raw_data());
}

}  // namespace leat
