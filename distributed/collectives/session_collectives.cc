// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/collectives/session_collectives.h"

#include <utility>

#include "leat/distributed/collectives/collective_messages.h"
#include "leat/distributed/wire/messages.h"
#include "leat/protos/worker.pb.h"

namespace leat {

void SessionCollectives::JoinGroup(GroupJoin join,
                                   std::shared_ptr<Cancellation> cancellation,
                                   GroupTable::Joined done) {
  environment_.tasks->Call(
      environment_.leader, methods::kCompleteGroup, EncodeJoin(join),
      {.cancellation = std::move(cancellation)},
      [key = join.key,
       done = std::move(done)](const absl::StatusOr<Payload>& reply) mutable {
        if (!reply.ok()) return std::move(done)(reply.status());
        std::move(done)(DecodeGroup(reply->header, key));
      });
}

void SessionCollectives::ClaimInstance(
    const CollectiveRequest& request, const CollectiveGroup& group,
    std::shared_ptr<Cancellation> cancellation, InstanceTable::Done done) {
  static_cast<void>(group);
  environment_.tasks->Call(
      environment_.leader, methods::kCompleteInstance, EncodeClaim(request),
      {.cancellation = std::move(cancellation)},
      [done = std::move(done)](const absl::StatusOr<Payload>& reply) mutable {
        if (!reply.ok()) return std::move(done)(reply.status());
        pb::CompleteInstanceResponse response;
        const absl::Status parsed = ParseSmall(reply->header, response);
        if (!parsed.ok()) return std::move(done)(parsed);
        std::move(done)(response.source_rank());
      });
}

std::shared_ptr<void> SessionCollectives::Watch(
    std::shared_ptr<const CollectiveGroup> group,
    absl::AnyInvocable<void(const absl::Status&) &&> on_lost) {
  if (group->num_tasks() == 1) return nullptr;
  return WatchOf(group)->Add(std::move(on_lost));
}

std::shared_ptr<MemberWatch> SessionCollectives::WatchOf(const Group& group) {
  MutexLock lock(watch_mutex_);
  std::shared_ptr<MemberWatch>& watch = watches_[group->id];
  if (watch == nullptr) {
    const std::weak_ptr<CachingResolver> weak = weak_from_this();
    watch = std::make_shared<MemberWatch>(
        group, environment_.task, environment_.ask_members, *environment_.tasks,
        *environment_.timers, [weak, group](const absl::Status& why) {
          const auto self =
              std::static_pointer_cast<SessionCollectives>(weak.lock());
          if (self != nullptr) self->Lose(group, why);
        });
  }
  return watch;
}

void SessionCollectives::Lose(const Group& group, const absl::Status& why) {
  Forget(group, why);
  TellOthers(environment_, {.lost_group = group.get(), .why = why});
}

void SessionCollectives::Forget(const Group& group, const absl::Status& why) {
  ForgetLost(*group, why);
  ForgetInstances();
  MutexLock lock(watch_mutex_);
  watches_.erase(group->id);
}

void SessionCollectives::GroupIsLost(int32_t key, const std::string& id,
                                     const absl::Status& why) {
  for (const Group& group : Groups()) {
    if (group->key == key && group->id == id) Forget(group, why);
  }
}

void SessionCollectives::AskMembers() {
  for (const Group& group : Groups()) {
    if (group->num_tasks() > 1) WatchOf(group)->Ask();
  }
}

}  // namespace leat
