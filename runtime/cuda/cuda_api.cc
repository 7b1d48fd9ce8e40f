// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/cuda/cuda_api.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"

namespace leat {
namespace {

constexpr char kSticky[] = "leat/sticky_cuda_error";

constexpr int kOutOfMemory = 2;

// The sticky errors. CUDA's documentation says of them that any further work
// returns the same error.
constexpr int kStickyCodes[] = {
    4,    // the driver is shutting down
    214,  // uncorrectable ECC error
    220,  // uncorrectable NVLink error
    226,  // contained error
    700,  // illegal address
    702,  // a kernel took too long
    709,  // the context is destroyed
    710,  // a kernel's assert failed
    714,  // hardware stack error
    715,  // illegal instruction
    716,  // misaligned address
    717,  // invalid address space
    718,  // invalid program counter
    719,  // launch failure
    721,  // tensor memory leak
    810,  // the MPS client was terminated
    911,  // error of an external device
    999,  // unknown
};

}  // namespace

absl::Status CudaError(absl::string_view call, int code, absl::string_view name,
                       absl::string_view text) {
  const absl::StatusCode status_code =
      code == kOutOfMemory ? absl::StatusCode::kResourceExhausted
                           : absl::StatusCode::kInternal;
  absl::Status status(status_code,
                      absl::StrCat(call, ": ", text, " (", name, ")"));
  if (std::find(std::begin(kStickyCodes), std::end(kStickyCodes), code) !=
      std::end(kStickyCodes)) {
    status.SetPayload(kSticky, absl::Cord());
  }
  return status;
}

std::string CudaVersionText(int version) {
  return absl::StrCat(version / 1000, ".", version % 1000 / 10);
}

bool IsSticky(const absl::Status& status) {
  return status.GetPayload(kSticky).has_value();
}

}  // namespace leat
