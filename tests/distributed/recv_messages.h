// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions make requests for tensors from plain keys, and responses to
// such requests from plain tensors.
#ifndef LEAT_TESTS_DISTRIBUTED_RECV_MESSAGES_H_
#define LEAT_TESTS_DISTRIBUTED_RECV_MESSAGES_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "leat/distributed/wire/recv_tensor.h"

namespace leat::testing {

// Parses the keys.
inline RecvKeys::Shared ParsedKeys(const std::vector<std::string>& texts) {
  auto keys = std::make_shared<std::vector<ParsedKey>>();
  for (const std::string& text : texts) keys->emplace_back(text);
  return keys;
}

// Returns the request for one tensor, for TensorFlow's method RecvTensor.
inline Payload RequestOne(int64_t step_id, const std::string& key,
                          int64_t request_id, const ChunkWish& wish = {}) {
  return EncodeRecvRequest({.step_id = step_id,
                            .keys = RecvKeys(ParsedKey(key)),
                            .request_id = request_id,
                            .wish = wish});
}

// Returns the request for several tensors.
inline Payload RequestList(int64_t step_id,
                           const std::vector<std::string>& keys,
                           int64_t request_id) {
  return EncodeRecvRequest({.form = RecvForm::kList,
                            .step_id = step_id,
                            .keys = RecvKeys(ParsedKeys(keys)),
                            .request_id = request_id});
}

// Returns the response to a request for one tensor.
inline Payload RespondOne(Tensor tensor, bool is_dead) {
  return EncodeRecvResponse(
      RecvForm::kOne, {{.tensor = std::move(tensor), .is_dead = is_dead}});
}

}  // namespace leat::testing

#endif  // LEAT_TESTS_DISTRIBUTED_RECV_MESSAGES_H_
