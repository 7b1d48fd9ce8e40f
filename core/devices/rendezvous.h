// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// A Rendezvous passes tensors from their producers on one device to their
// consumers on another device (OSDI'16 paper, section 3.3). Each tensor has a
// key, which is used only once in a step outside of loops. The local rendezvous
// is a table (runtime/local_rendezvous.h). The remote one asks other tasks for
// the tensors that they produce (distributed/exchange/remote_rendezvous.h).
#ifndef LEAT_CORE_DEVICES_RENDEZVOUS_H_
#define LEAT_CORE_DEVICES_RENDEZVOUS_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/tensor.h"

namespace leat {

// The parts from which a key is made. The text of the key is
// "send_device;incarnation;recv_device;tensor_name;frame:iteration", exactly as
// in TensorFlow, so that TensorFlow's workers and ours find each other's
// tensors. A plain value.
struct RendezvousKey {
  std::string send_device;        // full name
  uint64_t send_incarnation = 0;  // incarnation of send_device
  std::string recv_device;        // full name
  std::string tensor_name;        // name of the edge, unique in the step
  uint64_t frame = 0;             // id of the loop's frame; 0 outside of loops
  int64_t iteration = 0;          // in the innermost loop; 0 outside of loops

  // Returns the text of the key.
  std::string ToString() const;
  // Parses the text of a key. Returns INVALID_ARGUMENT quoting the text if it
  // does not have exactly five well-formed parts. The names of the devices must
  // be well-formed, too.
  static absl::StatusOr<RendezvousKey> Parse(absl::string_view text);
};

// The text of a key, and where its parts begin. A key is parsed once, when it
// enters a task, and then passed on. The parts are views into the text, so they
// must not outlive the key. This class does not copy or parse the names of the
// devices. That would take too much time, because a step has a key for every
// tensor. Code that gets a key from another task must check the names. A plain
// value.
class ParsedKey {
 public:
  // Makes a malformed key without parts.
  ParsedKey() = default;
  // Parses the text. If it is malformed, the parts are the texts between its
  // semicolons, and the numbers have no meaning.
  explicit ParsedKey(std::string text);

  const std::string& text() const { return text_; }
  // Returns true if the key has exactly five parts, no part is empty, and
  // incarnation, frame and iteration are valid numbers.
  bool is_well_formed() const { return is_well_formed_; }
  absl::string_view send_device() const { return Part(0); }
  uint64_t send_incarnation() const { return send_incarnation_; }
  absl::string_view recv_device() const { return Part(2); }
  absl::string_view tensor_name() const { return Part(3); }
  // Returns copies of the parts.
  RendezvousKey Parts() const;
  // Returns true if the key belongs to a loop.
  bool is_in_loop() const { return frame_ != 0 || iteration_ != 0; }

  // Returns the key of the same tensor in iteration `iteration` of the loop
  // `frame`.
  ParsedKey InLoop(uint64_t frame, int64_t iteration) const;

 private:
  // Returns part `i`: the text between the semicolons `i` - 1 and `i`.
  absl::string_view Part(size_t i) const {
    const size_t begin =
        i == 0 ? 0 : std::min(semicolons_[i - 1] + 1, text_.size());
    return absl::string_view(text_).substr(begin, semicolons_[i] - begin);
  }

  std::string text_;
  // The positions of the first four semicolons. If the text has fewer, the
  // other positions are the size of the text.
  std::array<size_t, 4> semicolons_ = {};
  bool is_well_formed_ = false;
  uint64_t send_incarnation_ = 0;
  uint64_t frame_ = 0;
  int64_t iteration_ = 0;
};

// The rendezvous of one step. Thread-safe. It owns the tensors that have been
// sent but not received, and the callbacks that wait for a tensor.
class Rendezvous {
 public:
  // Receives OK and the tensor, or the error that ended the step. `is_dead` is
  // true if the tensor is dead because its branch was not taken.
  using Done =
      absl::AnyInvocable<void(const absl::Status&, Tensor, bool is_dead) &&>;

  virtual ~Rendezvous() = default;

  // Hands over a tensor under `key`. Never blocks. Returns ALREADY_EXISTS if a
  // tensor has been sent under this key before, and the reason of the abort if
  // the step has been aborted.
  virtual absl::Status Send(const ParsedKey& key, Tensor tensor,
                            bool is_dead) = 0;

  // Calls `done` exactly once, outside of any lock. If the tensor has been sent
  // already, calls `done` before RecvAsync returns. Otherwise `done` is called
  // when the tensor is sent or the step is aborted. `done` must not block.
  virtual void RecvAsync(const ParsedKey& key, Done done) = 0;

  // Aborts the step: all waiting and later calls fail with `reason`. If the
  // step is aborted again, the first reason stays. Does not wait. REQUIRES:
  // !reason.ok().
  virtual void StartAbort(const absl::Status& reason) = 0;
};

}  // namespace leat

#endif  // LEAT_CORE_DEVICES_RENDEZVOUS_H_
