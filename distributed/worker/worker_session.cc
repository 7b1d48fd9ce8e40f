// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/worker/worker_session.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/random_id.h"
#include "leat/core/status_macros.h"
#include "leat/distributed/collectives/cluster_collectives.h"
#include "leat/distributed/shown_status.h"

namespace leat {
namespace {

// Returns the devices as the session sees them, or null if the memory of the
// session is not limited.
std::shared_ptr<const SessionDevices> LimitedDevices(
    const WorkerSessionOptions& options, DeviceSet& devices) {
  if (options.max_bytes == INT64_MAX) return nullptr;
  return std::make_shared<const SessionDevices>(
      devices,
      absl::StrCat("session ", ShownHandle(options.handle), ", which may have ",
                   options.max_bytes, " bytes (--max-session-bytes)"),
      options.max_bytes);
}

// Is what a session owns and what may outlive it with an iterator.
using Owned = std::pair<std::shared_ptr<DeviceResources>,
                        std::shared_ptr<const SessionDevices>>;

}  // namespace

WorkerSession::WorkerSession(WorkerSessionOptions options, DeviceSet& devices,
                             const KernelRegistry& kernels, Clock& clock)
    : options_(std::move(options)),
      own_resources_(options_.isolated
                         ? std::make_shared<DeviceResources>(
                               devices.devices(), devices.resources().limits())
                         : nullptr),
      session_devices_(LimitedDevices(options_, devices)),
      first_device_(session_devices_ == nullptr
                        ? *devices.devices().front()
                        : *session_devices_->devices().front()),
      runner_(devices,
              options_.isolated ? *own_resources_ : devices.resources(),
              kernels, session_devices_.get(), options_.functions,
              std::make_shared<const Owned>(own_resources_, session_devices_)),
      steps_(clock) {}

// Iterators among the resources share the ownership of the resources, so they
// must be removed.
WorkerSession::~WorkerSession() {
  if (own_resources_ != nullptr) own_resources_->Clear();
}

Allocator& WorkerSession::host_allocator() const {
  return first_device_.host_allocator();
}

std::shared_ptr<SessionCollectives> WorkerSession::Collectives(
    ClusterCollectives& cluster, const std::string& leader) {
  MutexLock lock(mutex_);
  if (collectives_ != nullptr) return collectives_;
  std::shared_ptr<SessionCollectives> made = cluster.NewSession(leader);
  if (closed_.ok()) collectives_ = made;
  return made;
}

absl::Status WorkerSession::CheckRoomLocked() const {
  LEAT_RETURN_IF_ERROR(closed_);
  if (graphs_.size() < options_.max_graphs) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat("Session ", ShownHandle(handle()), " has ", graphs_.size(),
                   " graphs, the most that this task keeps for one "
                   "(--max-graphs)"));
}

absl::Status WorkerSession::CheckRoom() const {
  MutexLock lock(mutex_);
  return CheckRoomLocked();
}

absl::StatusOr<std::string> WorkerSession::Add(
    std::shared_ptr<const RegisteredGraph> graph) {
  std::string handle = RandomHandle();
  MutexLock lock(mutex_);
  LEAT_RETURN_IF_ERROR(CheckRoomLocked());
  graphs_.emplace(handle, std::move(graph));
  return handle;
}

std::shared_ptr<const RegisteredGraph> WorkerSession::Find(
    absl::string_view handle) const {
  MutexLock lock(mutex_);
  const auto found = graphs_.find(handle);
  return found == graphs_.end() ? nullptr : found->second;
}

std::shared_ptr<const RegisteredGraph> WorkerSession::Remove(
    absl::string_view handle) {
  MutexLock lock(mutex_);
  const auto found = graphs_.find(handle);
  if (found == graphs_.end()) return nullptr;
  std::shared_ptr<const RegisteredGraph> graph = std::move(found->second);
  graphs_.erase(found);
  return graph;
}

size_t WorkerSession::num_graphs() const {
  MutexLock lock(mutex_);
  return graphs_.size();
}

void WorkerSession::Close() {
  // These are freed outside the lock, because this is slow.
  decltype(graphs_) forgotten;
  std::shared_ptr<SessionCollectives> collectives;
  MutexLock lock(mutex_);
  closed_ = absl::AbortedError(
      absl::StrCat("Session ", ShownHandle(handle()), " has been deleted"));
  forgotten.swap(graphs_);
  collectives.swap(collectives_);
}

absl::Status WorkerSession::CheckOpen() const {
  MutexLock lock(mutex_);
  return closed_;
}

}  // namespace leat
