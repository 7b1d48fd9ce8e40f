// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// CreateMasterSession: makes a session of a master as a client asks for it.
#ifndef LEAT_DISTRIBUTED_MASTER_CREATE_MASTER_SESSION_H_
#define LEAT_DISTRIBUTED_MASTER_CREATE_MASTER_SESSION_H_

#include <chrono>
#include <memory>
#include <optional>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "leat/distributed/master/master_session.h"
#include "leat/protos/master.pb.h"

namespace leat {

// Gets the session, or why it could not be created.
using CreatedMasterSession =
    absl::AnyInvocable<void(absl::StatusOr<std::shared_ptr<MasterSession>>) &&>;

// Creates a session: asks the tasks for their devices, prepares the graph, and
// creates the session on every task that takes part. `done` is called exactly
// once, on any thread, with the first error if one of these failed.
//
// This imports the graph before it returns, so it must be called on the
// blocking queue. Cancelling `cancellation` ends the creation with the reason
// of the cancellation. `under_way` holds the session's place among the sessions
// of the master. If the creation fails, `under_way` is kept until the tasks
// have deleted what they had made. `answer_by` is when the client stops
// waiting. The wait for the devices of the tasks ends shortly before, so that
// an error with the names of the tasks that did not answer still reaches the
// client.
void CreateMasterSession(const MasterEnvironment& environment,
                         pb::CreateSessionRequest request,
                         std::shared_ptr<Cancellation> cancellation,
                         std::shared_ptr<void> under_way,
                         CreatedMasterSession done,
                         std::optional<Clock::time_point> answer_by = {});

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_MASTER_CREATE_MASTER_SESSION_H_
