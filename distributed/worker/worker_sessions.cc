// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/worker/worker_sessions.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "leat/core/hash64.h"
#include "leat/core/quoted_text.h"
#include "leat/core/status_macros.h"
#include "leat/core/status_payloads.h"
#include "leat/distributed/shown_status.h"
#include "leat/distributed/step_counts.h"
#include "leat/protos/status.pb.h"

namespace leat {
namespace {

// A session handle and the name of a task may each have at most this many
// bytes. Real handles and names are much shorter.
constexpr size_t kMaxNameBytes = 1024;
constexpr size_t kMaxTombstones = 10'000;
constexpr size_t kMaxShownTaskBytes = 200;

absl::Status CheckName(absl::string_view what, absl::string_view name) {
  if (name.size() <= kMaxNameBytes) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(what, " ", QuotedText(name), " has ", name.size(),
                   " bytes, more than ", kMaxNameBytes));
}

}  // namespace

WorkerSessions::WorkerSessions(std::string task, DeviceSet& devices,
                               const KernelRegistry& kernels,
                               const ServerLimits& limits,
                               const FunctionPlanning& functions, Clock& clock)
    : task_(std::move(task)),
      devices_(devices),
      kernels_(kernels),
      limits_(limits),
      functions_(functions),
      clock_(clock),
      default_session_(std::make_shared<WorkerSession>(
          WorkerSessionOptions{.max_graphs = limits.max_graphs,
                               .max_bytes = limits.max_session_bytes,
                               .functions = functions},
          devices, kernels, clock)),
      start_ticket_(absl::ToUnixMicros(absl::Now())),
      last_ticket_(start_ticket_) {}

absl::Status WorkerSessions::Create(WorkerSessionOptions options,
                                    Ended* ended) {
  if (options.handle.empty()) {
    return absl::InvalidArgumentError("Session must be non-empty.");
  }
  LEAT_RETURN_IF_ERROR(CheckName("Session handle", options.handle));
  LEAT_RETURN_IF_ERROR(CheckName("Master task", options.master.task));
  options.max_graphs = limits_.max_graphs;
  options.max_bytes = limits_.max_session_bytes;
  options.functions = functions_;
  MutexLock lock(mutex_);
  // A ticket above `last_ticket_` does not come from NewTicket. With such a
  // ticket, this task would refuse all later processes of the master for ever.
  // So the ticket is reduced.
  options.ticket = std::min(options.ticket, last_ticket_);
  if (options.ticket > 0 && options.ticket <= start_ticket_) {
    return absl::AbortedError(
        absl::StrCat("Session ", ShownHandle(options.handle),
                     " comes too late: ", task_, " has been restarted since"));
  }
  LEAT_RETURN_IF_ERROR(RemoveFormer(options, ended));
  if (sessions_.contains(options.handle)) return absl::OkStatus();
  if (removed_.contains(Hash64(options.handle))) {
    return absl::AbortedError(absl::StrCat("Session ", options.handle,
                                           " has been deleted by its master"));
  }
  if (sessions_.size() >= limits_.max_worker_sessions) {
    return absl::ResourceExhaustedError(absl::StrCat(
        task_, " has ", sessions_.size(),
        " sessions, the most that it keeps (--max-worker-sessions): "
        "close one"));
  }
  std::string handle = options.handle;
  sessions_.emplace(std::move(handle),
                    std::make_shared<WorkerSession>(
                        std::move(options), devices_, kernels_, clock_));
  return absl::OkStatus();
}

absl::Status WorkerSessions::RemoveFormer(const WorkerSessionOptions& options,
                                          Ended* ended) {
  if (options.master.task.empty()) return absl::OkStatus();
  const auto is_of_another = [&options](const WorkerSession& session) {
    return session.master().task == options.master.task &&
           session.master().incarnation != options.master.incarnation;
  };
  for (const auto& [handle, session] : sessions_) {
    if (is_of_another(*session) && options.ticket > 0 &&
        session->ticket() > options.ticket) {
      return absl::AbortedError(absl::StrCat(
          "Session ", ShownHandle(options.handle),
          " comes too late: its master ", QuotedText(options.master.task),
          " has been restarted since"));
    }
  }
  absl::erase_if(sessions_, [&](const auto& entry) {
    if (!is_of_another(*entry.second)) return false;
    ended->push_back(entry.second);
    return true;
  });
  return absl::OkStatus();
}

std::vector<MasterProcess> WorkerSessions::IdleMasters(
    std::chrono::nanoseconds idle) const {
  std::map<MasterProcess, bool> are_idle;
  {
    MutexLock lock(mutex_);
    for (const auto& [handle, session] : sessions_) {
      const MasterProcess& master = session->master();
      if (master.task.empty() || master.task == task_) continue;
      bool& is_idle = are_idle.try_emplace(master, true).first->second;
      is_idle = is_idle && session->steps().idle() >= idle;
    }
  }
  std::vector<MasterProcess> masters;
  for (const auto& [master, is_idle] : are_idle) {
    if (is_idle) masters.push_back(master);
  }
  return masters;
}

WorkerSessions::Ended WorkerSessions::RemoveIdle(
    const MasterProcess& master, std::chrono::nanoseconds idle) {
  Ended ended;
  MutexLock lock(mutex_);
  for (const auto& [handle, session] : sessions_) {
    if (session->master() != master) continue;
    if (session->steps().idle() < idle) return {};
    ended.push_back(session);
  }
  for (const auto& session : ended) sessions_.erase(session->handle());
  return ended;
}

int64_t WorkerSessions::NewTicket() {
  MutexLock lock(mutex_);
  return ++last_ticket_;
}

absl::StatusOr<std::shared_ptr<WorkerSession>> WorkerSessions::Find(
    absl::string_view handle, bool created) const {
  if (!created) return default_session_;
  {
    MutexLock lock(mutex_);
    const auto found = sessions_.find(handle);
    if (found != sessions_.end()) return found->second;
  }
  return AsWorkerPossiblyRestarted(absl::AbortedError(absl::StrCat(
      "Session handle is not found: ", handle.substr(0, kMaxNameBytes),
      ". Possibly this worker (\"", task_,
      "\") just restarted. Or its master did not answer for too long "
      "(--master-silence).")));
}

std::shared_ptr<WorkerSession> WorkerSessions::Remove(
    absl::string_view handle) {
  MutexLock lock(mutex_);
  const uint64_t hash = Hash64(handle);
  if (removed_.insert(hash).second) {
    tombstones_.push_back(hash);
    if (tombstones_.size() > kMaxTombstones) {
      removed_.erase(tombstones_.front());
      tombstones_.pop_front();
    }
  }
  const auto found = sessions_.find(handle);
  if (found == sessions_.end()) return nullptr;
  std::shared_ptr<WorkerSession> session = std::move(found->second);
  sessions_.erase(found);
  return session;
}

void WorkerSessions::Report(const StatusListing& listing,
                            pb::TaskStatusResponse& status) const {
  using Used = std::pair<std::chrono::nanoseconds,  // idle
                         std::shared_ptr<WorkerSession>>;
  std::vector<Used> sessions;
  const StepCounts::Totals unnamed = default_session_->steps().totals();
  if (unnamed.running + unnamed.succeeded + unnamed.failed > 0) {
    sessions.emplace_back(0, default_session_);
  }
  {
    MutexLock lock(mutex_);
    status.set_num_worker_sessions(
        static_cast<int64_t>(sessions_.size() + sessions.size()));
    for (const auto& [handle, session] : sessions_) {
      if (sessions.size() >= kMaxReportedSessions) break;
      sessions.emplace_back(0, session);
    }
  }
  for (Used& used : sessions) used.first = used.second->steps().idle();
  KeepLastUsed(listing.max_listed, sessions);
  for (const auto& [idle, session] : sessions) {
    pb::WorkerSessionStatus& shown = *status.add_worker_sessions();
    shown.set_handle(ShownHandle(session->handle()));
    shown.set_idle_us(ToMicros(idle));
    ExportSteps(session->steps().totals(), *shown.mutable_steps());
    shown.set_num_graphs(static_cast<int64_t>(session->num_graphs()));
    shown.set_master_task(
        ShownText(session->master().task, kMaxShownTaskBytes));
    shown.set_isolated(session->isolated());
  }
}

size_t WorkerSessions::num_sessions() const {
  MutexLock lock(mutex_);
  return sessions_.size();
}

size_t WorkerSessions::num_graphs() const {
  size_t graphs = default_session_->num_graphs();
  MutexLock lock(mutex_);
  for (const auto& [handle, session] : sessions_) {
    graphs += session->num_graphs();
  }
  return graphs;
}

}  // namespace leat
