// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// WithReleaseNotice tells a member of a collective when a peer has taken what
// it was offered: when nobody has the tensor any more.
#ifndef LEAT_KERNELS_COLLECTIVES_RELEASE_NOTICE_H_
#define LEAT_KERNELS_COLLECTIVES_RELEASE_NOTICE_H_

#include "absl/functional/any_invocable.h"
#include "leat/core/tensor.h"

namespace leat {

// Returns a tensor that shares the bytes of `tensor`. Calls `released` once,
// when the last copy of the result is gone: on any thread, and perhaps while
// its owner holds locks. So `released` must be quick and take few locks.
// REQUIRES: `tensor` has plain bytes in memory of the host.
Tensor WithReleaseNotice(const Tensor& tensor,
                         absl::AnyInvocable<void() &&> released);

}  // namespace leat

#endif  // LEAT_KERNELS_COLLECTIVES_RELEASE_NOTICE_H_
