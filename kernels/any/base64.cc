// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of EncodeBase64 and DecodeBase64. The alphabet is the
// web-safe one, with "-" and "_" for the last two digits.
#include <array>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/escaping.h"
#include "leat/core/held_bytes.h"
#include "leat/core/saturating.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/codecs/parallel_checks.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::any::base64 {
namespace {

constexpr int8_t kNoDigit = -1;

// Returns the value of each character as a digit, or kNoDigit.
constexpr std::array<int8_t, 256> MakeDigits() {
  constexpr absl::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::array<int8_t, 256> digits = {};
  for (int8_t& digit : digits) digit = kNoDigit;
  for (size_t i = 0; i < kAlphabet.size(); ++i) {
    digits[static_cast<unsigned char>(kAlphabet[i])] = static_cast<int8_t>(i);
  }
  return digits;
}
constexpr std::array<int8_t, 256> kDigits = MakeDigits();

// Appends the bytes of as many digits as possible. Returns false if a character
// is no digit. Bits of the last digit that do not make a byte are ignored.
bool AppendBytes(absl::string_view digits, std::string& bytes) {
  uint32_t bits = 0;
  int num_bits = 0;
  for (const char c : digits) {
    const int8_t digit = kDigits[static_cast<unsigned char>(c)];
    if (digit == kNoDigit) return false;
    bits = bits << 6 | static_cast<uint32_t>(digit);
    num_bits += 6;
    if (num_bits >= 8) {
      num_bits -= 8;
      bytes.push_back(static_cast<char>(bits >> num_bits));
    }
  }
  return true;
}

// Decodes `text`. One or two "=" may fill the last four characters up.
absl::Status Decode(absl::string_view text, std::string& bytes) {
  bytes.reserve(text.size() * 3 / 4);
  const size_t last = text.empty() ? 0 : (text.size() - 1) / 4 * 4;
  absl::string_view tail = text.substr(last);
  if (tail.size() == 4 && tail[3] == '=') {
    tail.remove_suffix(tail[2] == '=' ? 2 : 1);
  }
  bool ok = AppendBytes(text.substr(0, last), bytes);
  if (ok && tail.size() == 1) {
    return absl::InvalidArgumentError(
        "Base64 string length cannot be 1 modulo 4.");
  }
  ok = ok && AppendBytes(tail, bytes);
  if (ok) return absl::OkStatus();
  return absl::InvalidArgumentError("Invalid character found in base64.");
}

class EncodeBase64 final : public Kernel {
 public:
  explicit EncodeBase64(bool pads) : pads_(pads) {}

  absl::Status Compute(KernelContext& context) const override {
    const Tensor& input = context.input(0);
    const auto from = input.data<std::string>();
    const int64_t n = input.num_elements();
    // Three bytes become four characters.
    const int64_t most = SaturatingAdd(
        SaturatingMultiply(TextBytes(from) / 3, 4), SaturatingMultiply(n, 4));
    LEAT_ASSIGN_OR_RETURN(
        Tensor* const output,
        context.AllocateOutput(0, input.shape(), MostHeldBytes(n, most)));
    const auto to = output->mutable_data<std::string>();
    for (size_t i = 0; i < from.size(); ++i) {
      absl::WebSafeBase64Escape(from[i], &to[i]);
      if (pads_) to[i].append((4 - to[i].size() % 4) % 4, '=');
    }
    return absl::OkStatus();
  }

 private:
  const bool pads_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeEncodeBase64(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const bool pads, node.attrs.Get<bool>("pad"));
  return std::unique_ptr<Kernel>(std::make_unique<EncodeBase64>(pads));
}

absl::Status DecodeBase64(KernelContext& context) {
  const Tensor& input = context.input(0);
  const auto from = input.data<std::string>();
  LEAT_ASSIGN_OR_RETURN(
      Tensor* const output,
      context.AllocateOutput(0, input.shape(), input.held_bytes()));
  const auto to = output->mutable_data<std::string>();
  return ParallelChecks(context.compute_queue(), input.num_elements(),
                        /*cost_per_item=*/50,
                        [&](int64_t i) { return Decode(from[i], to[i]); });
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("EncodeBase64", kCpu, &MakeEncodeBase64);
  registry.Add("DecodeBase64", kCpu, &MakeFunction<&DecodeBase64>);
}

}  // namespace leat::kernels::any::base64
