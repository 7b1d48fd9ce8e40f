// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/collectives/cluster_collectives.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/distributed/collectives/collective_messages.h"
#include "leat/distributed/exchange/step_table.h"
#include "leat/distributed/wire/messages.h"
#include "leat/protos/leat_worker.pb.h"
#include "leat/protos/worker.pb.h"

namespace leat {
namespace {

// Limits the graph keys in one GetStepSequence.
constexpr int kMaxGraphKeys = 1000;

// Returns the cancellation of a call, which shares the ownership of the call.
std::shared_ptr<Cancellation> CancellationOf(
    const std::shared_ptr<CallContext>& context) {
  return {context, &context->cancellation};
}

std::vector<std::string> TasksBesides(absl::string_view own_task,
                                      const ClusterSpec& cluster) {
  std::vector<std::string> others;
  for (const TaskId& task : cluster.Tasks()) {
    std::string name = task.ToString();
    if (name != own_task) others.push_back(std::move(name));
  }
  return others;
}

// Returns the error of a member, for the steps of the others.
absl::Status ErrorOfMember(const pb::AbortCollectivesRequest& request) {
  const auto code = static_cast<absl::StatusCode>(request.code());
  const bool is_known = request.code() > 0 && request.code() <= 16;
  return {is_known ? code : absl::StatusCode::kAborted,
          absl::StrCat("Collective ops is aborted by: ", request.message())};
}

}  // namespace

std::string DefaultGroupLeader(const ClusterSpec& cluster) {
  const std::vector<TaskId> tasks = cluster.Tasks();
  for (const absl::string_view job : {"chief", "master", "worker"}) {
    for (const TaskId& task : tasks) {
      if (task.job == job) return task.ToString();
    }
  }
  return tasks.empty() ? "" : tasks.front().ToString();
}

ClusterCollectives::ClusterCollectives(std::string own_task,
                                       const ClusterSpec& cluster,
                                       std::chrono::nanoseconds ask_members,
                                       TaskCaller& tasks, TimerQueue& timers,
                                       StepTable& steps)
    : environment_({.task = own_task,
                    .leader = DefaultGroupLeader(cluster),
                    .others = TasksBesides(own_task, cluster),
                    .tasks = &tasks,
                    .timers = &timers,
                    .ask_members = ask_members}),
      steps_(steps),
      sequences_(std::move(own_task), tasks) {}

void ClusterCollectives::AddMethods(MethodTable& methods) {
  methods.Add(
      methods::kCompleteGroup, [this](std::shared_ptr<CallContext> context,
                                      Payload request, Reply reply) {
        CompleteGroup(std::move(context), std::move(request), std::move(reply));
      });
  methods.Add(methods::kCompleteInstance,
              [this](std::shared_ptr<CallContext> context, Payload request,
                     Reply reply) {
                CompleteInstance(std::move(context), std::move(request),
                                 std::move(reply));
              });
  methods.Add(methods::kGetStepSequence,
              [this](const std::shared_ptr<CallContext>&,
                     const Payload& request, Reply reply) {
                std::move(reply)(GetStepSequence(request.header));
              });
  methods.Add(methods::kAbortCollectives,
              [this](const std::shared_ptr<CallContext>&,
                     const Payload& request, Reply reply) {
                std::move(reply)(AbortCollectives(request.header));
              });
}

std::shared_ptr<SessionCollectives> ClusterCollectives::NewSession(
    const std::string& leader) {
  CollectiveEnvironment environment = environment_;
  if (!leader.empty()) environment.leader = leader;
  auto session = std::make_shared<SessionCollectives>(std::move(environment));
  MutexLock lock(mutex_);
  std::erase_if(sessions_, [](const auto& weak) { return weak.expired(); });
  sessions_.push_back(session);
  return session;
}

std::vector<std::shared_ptr<SessionCollectives>>
ClusterCollectives::Sessions() {
  std::vector<std::shared_ptr<SessionCollectives>> sessions;
  MutexLock lock(mutex_);
  for (const auto& weak : sessions_) {
    if (auto session = weak.lock()) sessions.push_back(std::move(session));
  }
  return sessions;
}

void ClusterCollectives::CompleteGroup(std::shared_ptr<CallContext> context,
                                       Payload request, Reply reply) {
  absl::StatusOr<GroupJoin> join = DecodeJoin(request.header);
  if (!join.ok()) return std::move(reply)(join.status());
  groups_->Join(*std::move(join), CancellationOf(context),
                [reply = std::move(reply)](
                    absl::StatusOr<std::shared_ptr<const CollectiveGroup>>
                        group) mutable {
                  if (!group.ok()) return std::move(reply)(group.status());
                  std::move(reply)(EncodeGroup(**group));
                });
}

void ClusterCollectives::CompleteInstance(std::shared_ptr<CallContext> context,
                                          Payload request, Reply reply) {
  const absl::StatusOr<GroupClaim> claim = DecodeClaim(request.header);
  if (!claim.ok()) return std::move(reply)(claim.status());
  groups_->Claim(claim->group_key, claim->claim, CancellationOf(context),
                 [key = claim->claim.instance_key, reply = std::move(reply)](
                     absl::StatusOr<int> source_rank) mutable {
                   if (!source_rank.ok())
                     return std::move(reply)(source_rank.status());
                   pb::CompleteInstanceResponse response;
                   response.set_instance_key(key);
                   response.set_source_rank(*source_rank);
                   std::move(reply)(ToPayload(response));
                 });
}

absl::StatusOr<Payload> ClusterCollectives::GetStepSequence(
    absl::string_view header) {
  pb::GetStepSequenceRequest request;
  LEAT_RETURN_IF_ERROR(ParseSmall(header, request));
  if (request.graph_key_size() > kMaxGraphKeys) {
    return absl::InvalidArgumentError(
        absl::StrCat("GetStepSequenceRequest has ", request.graph_key_size(),
                     " graph keys, more than ", kMaxGraphKeys));
  }
  const int64_t failed = request.leat().failed_step_id();
  Abandon(failed, absl::AbortedError(
                      absl::StrCat("Collective ops is aborted by: step ",
                                   failed, " has failed at another member")));
  pb::GetStepSequenceResponse response;
  for (const int64_t graph_key : request.graph_key()) {
    pb::StepSequence& sequence = *response.add_step_sequence();
    sequence.set_graph_key(graph_key);
    sequence.set_next_step_id(sequences_.NextAtLeader(graph_key));
  }
  return ToPayload(response);
}

absl::StatusOr<Payload> ClusterCollectives::AbortCollectives(
    absl::string_view header) {
  pb::AbortCollectivesRequest request;
  LEAT_RETURN_IF_ERROR(ParseSmall(header, request));
  const absl::Status why = ErrorOfMember(request);
  if (!request.lost_communicator_key().empty()) {
    for (const auto& session : Sessions()) {
      session->GroupIsLost(request.group_key(), request.lost_communicator_key(),
                           why);
    }
  }
  if (request.step_id() != 0) {
    Abandon(request.step_id(), why);
    EndStep(request.step_id(), why);
  }
  return ToPayload(pb::AbortCollectivesResponse());
}

void ClusterCollectives::Abandon(int64_t failed_step_id,
                                 const absl::Status& why) {
  const int64_t abandoned = sequences_.HasFailed(failed_step_id);
  if (abandoned != 0) EndStep(abandoned, why);
}

bool ClusterCollectives::EndStep(int64_t step_id, const absl::Status& why) {
  const bool is_new = steps_.Explain(step_id, why);
  steps_.End(step_id, why);
  return is_new;
}

void ClusterCollectives::StepHasFailed(int64_t step_id, const absl::Status& why,
                                       SessionCollectives* session) {
  Abandon(step_id, why);
  if (EndStep(step_id, why)) {
    TellOthers(environment_, {.failed_step_id = step_id, .why = why});
  }
  if (session != nullptr) session->StepHasFailed();
  for (const auto& each : Sessions()) each->AskMembers();
}

}  // namespace leat
