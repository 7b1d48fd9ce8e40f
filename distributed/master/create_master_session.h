// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// CreateMasterSession creates a master's session at the request of a client.
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

// Is called with the session, or with the reason why it could not be created.
using CreatedMasterSession =
    absl::AnyInvocable<void(absl::StatusOr<std::shared_ptr<MasterSession>>) &&>;

// Creates a session: asks the tasks for their devices, prepares the graph, and
// creates the session on every task that takes part. `done` is called exactly
// once, on any thread, with the session or the first error.
//
// This function imports the graph before it returns, so it must be called on
// the blocking queue. Cancelling `cancellation` ends the creation with the
// reason of the cancellation. As long as `under_way` exists, the session counts
// against the master's limit of sessions. If the creation fails, `under_way` is
// kept until the tasks have deleted their parts of the session. `answer_by` is
// the time at which the client stops waiting. The wait for the devices of the
// tasks ends shortly before `answer_by`. So the client still gets an error with
// the names of the tasks that did not answer.
void CreateMasterSession(const MasterEnvironment& environment,
                         pb::CreateSessionRequest request,
                         std::shared_ptr<Cancellation> cancellation,
                         std::shared_ptr<void> under_way,
                         CreatedMasterSession done,
                         std::optional<Clock::time_point> answer_by = {});

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_MASTER_CREATE_MASTER_SESSION_H_
