// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// The messages of methods::kRecvTensor, as who asks and who answers write and
// read them. Stateless, thread-safe.
#ifndef LEAT_DISTRIBUTED_RECV_TENSOR_H_
#define LEAT_DISTRIBUTED_RECV_TENSOR_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/tensor.h"
#include "leat/distributed/payload.h"

namespace leat {

struct RecvTensorRequest {
  int64_t step_id = 0;
  std::string key = {};  // RendezvousKey, not yet checked
  int64_t request_id = 0;
};

Payload EncodeRecvTensorRequest(int64_t step_id, absl::string_view key,
                                int64_t request_id);
// INVALID_ARGUMENT for a header that is not such a message.
absl::StatusOr<RecvTensorRequest> DecodeRecvTensorRequest(
    absl::string_view header);

// A dead tensor travels as TensorFlow's do: an empty float[0], whatever the
// type of the edge. REQUIRES: host memory.
Payload EncodeRecvTensorResponse(Tensor tensor, bool is_dead);
// Whether the tensor of the response is dead; its tensor then means nothing.
// INVALID_ARGUMENT for a header that is not such a message.
absl::StatusOr<bool> DecodeRecvTensorResponse(absl::string_view header);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_RECV_TENSOR_H_
