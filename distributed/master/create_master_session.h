// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// CreateMasterSession: makes a session of a master as a client asks for it.
// DeleteFromTasks: undoes what that did on the tasks.
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
// The graph is imported before this returns, so it must be called on the
// blocking queue. Cancelling `cancellation` ends the creation. `under_way` is
// kept until nothing is left of a session that failed. `answer_by` is when the
// client stops waiting. The tasks that have not answered shortly before are
// named in the error, so that the client gets to know them.
void CreateMasterSession(const MasterEnvironment& environment,
                         pb::CreateSessionRequest request,
                         std::shared_ptr<Cancellation> cancellation,
                         std::shared_ptr<void> under_way,
                         CreatedMasterSession done,
                         std::optional<Clock::time_point> answer_by = {});

// Deletes the session on its tasks. `done` is called when all have answered or
// their time is up. Those that may not have heard of it are told again later.
void DeleteFromTasks(const MasterEnvironment& environment,
                     const SessionPlans& plans,
                     absl::AnyInvocable<void() &&> done);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_MASTER_CREATE_MASTER_SESSION_H_
