// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// GuardedReply is the Reply that a transport gives to a handler.
//
// If a handler destroys its reply without calling it, GuardedReply ends the
// call with INTERNAL and names the method. Without this, the call would never
// end.
#ifndef LEAT_DISTRIBUTED_REQUESTS_GUARDED_REPLY_H_
#define LEAT_DISTRIBUTED_REQUESTS_GUARDED_REPLY_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "leat/core/check.h"
#include "leat/distributed/wire/methods.h"

namespace leat {

// Is movable and thread-compatible. It can be converted to a Reply. It owns
// `finish`, the transport's Reply, until `finish` is called.
class GuardedReply {
 public:
  // Calls `finish` exactly once. `method` is the path of the method, for
  // messages. It is borrowed and must outlive this.
  GuardedReply(const char* method, Reply finish)
      : method_(method), finish_(std::move(finish)) {}
  GuardedReply(GuardedReply&& other) noexcept
      : method_(other.method_),
        finish_(std::exchange(other.finish_, nullptr)) {}
  GuardedReply& operator=(GuardedReply&&) = delete;
  // Ends the call if nobody has replied.
  ~GuardedReply() {
    if (finish_ == nullptr) return;
    std::exchange(finish_, nullptr)(absl::InternalError(
        absl::StrCat("the handler of ", method_, " has dropped its reply")));
  }

  // REQUIRES: the reply was not called before.
  void operator()(absl::StatusOr<Payload> response) && {
    LEAT_CHECK(finish_ != nullptr);
    std::exchange(finish_, nullptr)(std::move(response));
  }

 private:
  const char* const method_;
  Reply finish_;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_REQUESTS_GUARDED_REPLY_H_
