// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of StringToHashBucket, StringToHashBucketFast and
// StringToHashBucketStrong. Models contain such hashes, so they must be those
// of TensorFlow.
#include <farmhash.h>

#include <bit>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "leat/core/hash64.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/parallel_for.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::any::string_hash {
namespace {

// Computes SipHash-2-4, a hash that cannot be predicted without the key.
class SipHash {
 public:
  SipHash(uint64_t key0, uint64_t key1)
      : v0_(key0 ^ 0x736f6d6570736575),
        v1_(key1 ^ 0x646f72616e646f6d),
        v2_(key0 ^ 0x6c7967656e657261),
        v3_(key1 ^ 0x7465646279746573) {}

  uint64_t operator()(absl::string_view text) {
    const uint64_t size = text.size();
    for (; text.size() >= sizeof(uint64_t); text.remove_prefix(8)) {
      uint64_t word = 0;
      std::memcpy(&word, text.data(), sizeof(word));
      Add(word);
    }
    // The last word has the rest of the text, and the size in its highest byte.
    uint64_t last = 0;
    if (!text.empty()) std::memcpy(&last, text.data(), text.size());
    Add(last | size << 56);
    v2_ ^= 0xff;
    for (int i = 0; i < 4; ++i) Mix();
    return v0_ ^ v1_ ^ v2_ ^ v3_;
  }

 private:
  void Add(uint64_t word) {
    v3_ ^= word;
    Mix();
    Mix();
    v0_ ^= word;
  }
  void Mix() {
    v0_ += v1_;
    v2_ += v3_;
    v1_ = std::rotl(v1_, 13) ^ v0_;
    v3_ = std::rotl(v3_, 16) ^ v2_;
    v0_ = std::rotl(v0_, 32);
    v2_ += v1_;
    v0_ += v3_;
    v1_ = std::rotl(v1_, 17) ^ v2_;
    v3_ = std::rotl(v3_, 21) ^ v0_;
    v2_ = std::rotl(v2_, 32);
  }

  uint64_t v0_;
  uint64_t v1_;
  uint64_t v2_;
  uint64_t v3_;
};

// The hash functions are function objects, so that the loop can inline them.
struct OldHash {
  uint64_t operator()(absl::string_view text) const { return Hash64(text); }
};
struct FastHash {
  uint64_t operator()(absl::string_view text) const {
    return util::Fingerprint64(text.data(), text.size());
  }
};
struct StrongHash {
  uint64_t operator()(absl::string_view text) const {
    return SipHash(key0, key1)(text);
  }
  uint64_t key0 = 0;
  uint64_t key1 = 0;
};

template <class Hash>
class HashKernel final : public Kernel {
 public:
  HashKernel(const Hash& hash, int64_t num_buckets)
      : hash_(hash), num_buckets_(static_cast<uint64_t>(num_buckets)) {}

  absl::Status Compute(KernelContext& context) const override {
    const Tensor& input = context.input(0);
    LEAT_ASSIGN_OR_RETURN(Tensor* const output,
                          context.AllocateOutput(0, input.shape()));
    const auto from = input.data<std::string>();
    const auto to = output->mutable_data<int64_t>();
    ParallelFor(context.compute_queue(), input.num_elements(),
                /*cost_per_item=*/20, [&](int64_t begin, int64_t end) {
                  for (int64_t i = begin; i < end; ++i) {
                    to[i] = static_cast<int64_t>(hash_(from[i]) % num_buckets_);
                  }
                });
    return absl::OkStatus();
  }

 private:
  const Hash hash_;
  const uint64_t num_buckets_;
};

template <class Hash>
absl::StatusOr<std::unique_ptr<Kernel>> MakeWith(const NodeDef& node,
                                                 const Hash& hash) {
  LEAT_ASSIGN_OR_RETURN(const int64_t num_buckets,
                        node.attrs.Get<int64_t>("num_buckets"));
  if (num_buckets < 1) {
    return absl::InvalidArgumentError("num_buckets must be at least 1");
  }
  return std::unique_ptr<Kernel>(
      std::make_unique<HashKernel<Hash>>(hash, num_buckets));
}

template <class Hash>
absl::StatusOr<std::unique_ptr<Kernel>> MakeHash(const NodeDef& node) {
  return MakeWith(node, Hash());
}

absl::StatusOr<std::unique_ptr<Kernel>> MakeStrongHash(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const auto key,
                        node.attrs.Get<std::vector<int64_t>>("key"));
  if (key.size() != 2) {
    return absl::InvalidArgumentError("Key must have 2 elements");
  }
  return MakeWith(node, StrongHash{static_cast<uint64_t>(key[0]),
                                   static_cast<uint64_t>(key[1])});
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("StringToHashBucket", kCpu, &MakeHash<OldHash>);
  registry.Add("StringToHashBucketFast", kCpu, &MakeHash<FastHash>);
  registry.Add("StringToHashBucketStrong", kCpu, &MakeStrongHash);
}

}  // namespace leat::kernels::any::string_hash
