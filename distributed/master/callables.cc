// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/master/callables.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/runtime/signature_key.h"

namespace leat {

absl::StatusOr<std::shared_ptr<const CallableStep>> ReadCallable(
    const pb::CallableOptions& options) {
  if (options.feed_devices_size() > 0 || options.fetch_devices_size() > 0) {
    // The message has TensorFlow's words.
    return absl::UnimplementedError(
        "CallableOptions::feed_devices and CallableOptions::fetch_devices to "
        "configure feeding/fetching tensors to/from device memory is not yet "
        "supported when using a remote session.");
  }
  auto step = std::make_shared<CallableStep>();
  step->signature = {
      .feeds = {options.feed().begin(), options.feed().end()},
      .fetches = {options.fetch().begin(), options.fetch().end()},
      .targets = {options.target().begin(), options.target().end()}};
  for (const pb::TensorConnection& connection : options.tensor_connection()) {
    step->signature.connections.push_back(
        {.from = connection.from_tensor(), .to = connection.to_tensor()});
  }
  step->key = SignatureKey(step->signature);
  step->options = options.run_options();
  return step;
}

absl::StatusOr<int64_t> Callables::Add(
    std::shared_ptr<const CallableStep> callable) {
  MutexLock lock(mutex_);
  if (table_.size() >= kMaxCallables) {
    return absl::ResourceExhaustedError(
        absl::StrCat("a session has at most ", kMaxCallables, " callables"));
  }
  table_.emplace(next_handle_, std::move(callable));
  return next_handle_++;
}

absl::StatusOr<std::shared_ptr<const CallableStep>> Callables::Find(
    int64_t handle) const {
  MutexLock lock(mutex_);
  const auto found = table_.find(handle);
  if (found != table_.end()) return found->second;
  const bool existed = handle >= 0 && handle < next_handle_;
  return absl::InvalidArgumentError(absl::StrCat(
      existed ? "Attempted to run callable after handle was released: "
              : "No such callable handle: ",
      handle));
}

absl::Status Callables::Release(int64_t handle) {
  std::shared_ptr<const CallableStep> released;  // outlives the lock
  MutexLock lock(mutex_);
  if (handle < 0 || handle >= next_handle_) {
    return absl::InvalidArgumentError(
        absl::StrCat("No such callable handle: ", handle));
  }
  const auto found = table_.find(handle);
  if (found == table_.end()) return absl::OkStatus();
  released = std::move(found->second);
  table_.erase(found);
  return absl::OkStatus();
}

void Callables::Clear() {
  Table cleared;  // outlives the lock
  MutexLock lock(mutex_);
  cleared.swap(table_);
}

}  // namespace leat
