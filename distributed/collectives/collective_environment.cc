// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/collectives/collective_environment.h"

#include "absl/status/statusor.h"
#include "leat/core/status_payloads.h"
#include "leat/core/utf8.h"
#include "leat/distributed/wire/messages.h"
#include "leat/distributed/wire/methods.h"
#include "leat/protos/leat_worker.pb.h"

namespace leat {
namespace {

// A notice holds at most this many bytes of the error's message.
constexpr size_t kMaxMessageBytes = 4096;

}  // namespace

void TellOthers(const CollectiveEnvironment& environment,
                const AbortNotice& notice) {
  pb::AbortCollectivesRequest request;
  request.set_step_id(notice.failed_step_id);
  request.set_code(static_cast<int>(notice.why.code()));
  const absl::Status named = WithTask(notice.why, environment.task);
  request.set_message(
      std::string(Utf8Prefix(named.message(), kMaxMessageBytes)));
  if (notice.lost_group != nullptr) {
    request.set_group_key(notice.lost_group->key);
    request.set_lost_communicator_key(notice.lost_group->id);
  }
  for (const std::string& task : environment.others) {
    // A task of TensorFlow does not know the method. It learns of the failure
    // when it asks for a buffer.
    environment.tasks->Call(task, methods::kAbortCollectives,
                            ToPayload(request), environment.tasks->ShortCall(),
                            [](const absl::StatusOr<Payload>&) {});
  }
}

}  // namespace leat
