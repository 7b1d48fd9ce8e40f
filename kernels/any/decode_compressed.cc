// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernel of DecodeCompressed.
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "leat/core/held_bytes.h"
#include "leat/core/saturating.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/codecs/decompress.h"
#include "leat/kernels/codecs/inflater.h"
#include "leat/kernels/codecs/parallel_checks.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::any::decode_compressed {
namespace {

class DecodeCompressed final : public Kernel {
 public:
  explicit DecodeCompressed(Compression compression)
      : compression_(compression) {}

  absl::Status Compute(KernelContext& context) const override {
    const Tensor& input = context.input(0);
    const auto from = input.data<std::string>();
    Allocator& allocator = context.step().device->allocator();
    std::vector<CountedText> texts(from.size());
    LEAT_RETURN_IF_ERROR(ParallelChecks(
        context.compute_queue(), input.num_elements(), /*cost_per_item=*/10'000,
        [&](int64_t i) {
          return Decompress(from[i], compression_, allocator, texts[i]);
        }));
    int64_t held_bytes = 0;
    for (CountedText& text : texts) {
      held_bytes = SaturatingAdd(held_bytes, HeldBytes(text.text));
      text.counted.reset();  // from here on, the output counts the bytes
    }
    LEAT_ASSIGN_OR_RETURN(Tensor* const output,
                          context.AllocateOutput(0, input.shape(), held_bytes));
    const auto to = output->mutable_data<std::string>();
    for (size_t i = 0; i < texts.size(); ++i) {
      texts[i].text.shrink_to_fit();
      to[i] = std::move(texts[i].text);
    }
    return absl::OkStatus();
  }

 private:
  const Compression compression_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeDecodeCompressed(
    const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const std::string type,
                        node.attrs.Get<std::string>("compression_type"));
  const std::optional<Compression> compression = CompressionNamed(type);
  if (!compression.has_value()) {
    return absl::InvalidArgumentError(
        "Only ZLIB, GZIP or NONE are supported compressions");
  }
  return std::unique_ptr<Kernel>(
      std::make_unique<DecodeCompressed>(*compression));
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("DecodeCompressed", kCpu, &MakeDecodeCompressed);
}

}  // namespace leat::kernels::any::decode_compressed
