// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions make the rendezvous keys under which the members of a
// collective exchange their buffers. The name of a buffer in a key is the
// buf_rendezvous_key that tasks of TensorFlow use for it. The functions are
// stateless.
#ifndef LEAT_KERNELS_COLLECTIVES_COLLECTIVE_KEY_H_
#define LEAT_KERNELS_COLLECTIVES_COLLECTIVE_KEY_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "leat/core/devices/rendezvous.h"

namespace leat {

// Returns the part of buffers' names that one run of a collective has for
// itself: "<group>:<instance>:<frame>:<iteration>". The frame and the iteration
// are those of the loop in which the kernel runs.
std::string RunOfCollective(int32_t group_key, int32_t instance_key,
                            uint64_t frame, int64_t iteration);

// Returns the key of the buffer that `sender` posts for `receiver`. These are
// full names of devices. `buffer` begins with the result of RunOfCollective.
// The key of another name is malformed. A key may be used again when the buffer
// was received.
ParsedKey BufferKey(absl::string_view sender, uint64_t incarnation,
                    absl::string_view receiver, absl::string_view buffer);

// Returns true if BufferKey may have made the key.
bool IsBufferKey(const ParsedKey& key);

// Returns the name of the buffer. REQUIRES: IsBufferKey(key).
absl::string_view BufferOf(const ParsedKey& key);

}  // namespace leat

#endif  // LEAT_KERNELS_COLLECTIVES_COLLECTIVE_KEY_H_
