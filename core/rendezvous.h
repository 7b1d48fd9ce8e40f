// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Rendezvous: where the producer of a tensor on one device meets its consumer
// on another, once per key and step (OSDI'16 paper, section 3.3). The local one
// is a table; the remote one pulls keys that other tasks produce.
#ifndef LEAT_CORE_RENDEZVOUS_H_
#define LEAT_CORE_RENDEZVOUS_H_

#include <cstdint>
#include <string>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/tensor.h"

namespace leat {

// "send_device;incarnation;recv_device;tensor_name;frame:iteration", byte for
// byte TensorFlow's, so that its workers and ours find each other's tensors.
struct RendezvousKey {
  std::string send_device;
  uint64_t send_incarnation = 0;
  std::string recv_device;
  std::string tensor_name;
  uint64_t frame = 0;
  int64_t iteration = 0;

  std::string ToString() const;
  // INVALID_ARGUMENT unless there are exactly five well-formed parts.
  static absl::StatusOr<RendezvousKey> Parse(absl::string_view text);
};

// Thread-safe.
class Rendezvous {
 public:
  // OK with the tensor and whether it is dead (the branch not taken), or the
  // error that ended the step.
  using Done =
      absl::AnyInvocable<void(const absl::Status&, Tensor, bool is_dead) &&>;

  virtual ~Rendezvous() = default;

  // Hands over a tensor; never blocks. ALREADY_EXISTS for a key sent before.
  virtual absl::Status Send(absl::string_view key, Tensor tensor,
                            bool is_dead) = 0;

  // Calls `done` exactly once, at once if the tensor is there, outside any
  // lock. `done` must not block.
  virtual void RecvAsync(absl::string_view key, Done done) = 0;

  // Ends the step: all waiting and later calls get `reason` (not OK). The first
  // reason wins. Does not wait.
  virtual void StartAbort(const absl::Status& reason) = 0;
};

}  // namespace leat

#endif  // LEAT_CORE_RENDEZVOUS_H_
