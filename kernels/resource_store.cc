// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/resource_store.h"

#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"

namespace leat {

absl::Status ResourceStore::NotFound(absl::string_view container,
                                     absl::string_view type,
                                     absl::string_view name) const {
  const bool has_others = absl::c_any_of(resources_, [&](const auto& entry) {
    return std::get<0>(entry.first) == container;
  });
  if (!has_others) {
    return absl::NotFoundError(absl::StrCat(
        "Container ", container, " does not exist. (Could not find resource: ",
        container, "/", name, ")"));
  }
  return absl::NotFoundError(absl::StrCat("Resource ", container, "/", name,
                                          "/", type, " does not exist."));
}

std::string ResourceStore::PrivateName(absl::string_view node) {
  MutexLock lock(mutex_);
  return absl::StrCat("_", private_names_++, "_", node);
}

absl::StatusOr<std::shared_ptr<Resource>> ResourceStore::FindAny(
    absl::string_view container, absl::string_view type,
    absl::string_view name) const {
  container = OrDefault(container);
  MutexLock lock(mutex_);
  const auto found = resources_.find(KeyView(container, type, name));
  if (found == resources_.end()) return NotFound(container, type, name);
  return found->second;
}

absl::StatusOr<std::shared_ptr<Resource>> ResourceStore::FindOrMakeAny(
    absl::string_view container, absl::string_view type, absl::string_view name,
    absl::FunctionRef<absl::StatusOr<std::shared_ptr<Resource>>()> make) {
  container = OrDefault(container);
  MutexLock lock(mutex_);
  const auto found = resources_.find(KeyView(container, type, name));
  if (found != resources_.end()) return found->second;
  auto made = make();
  if (!made.ok()) return made.status();
  resources_.emplace(
      Key(std::string(container), std::string(type), std::string(name)), *made);
  return made;
}

absl::Status ResourceStore::Delete(absl::string_view container,
                                   absl::string_view type,
                                   absl::string_view name) {
  container = OrDefault(container);
  // Is declared before the lock, so that the resource, which may be large, is
  // destroyed after the lock is released.
  std::shared_ptr<Resource> removed;
  MutexLock lock(mutex_);
  const auto found = resources_.find(KeyView(container, type, name));
  if (found == resources_.end()) return NotFound(container, "<unknown>", name);
  removed = std::move(found->second);
  resources_.erase(found);
  return absl::OkStatus();
}

void ResourceStore::ClearContainer(absl::string_view container) {
  container = OrDefault(container);
  std::vector<std::shared_ptr<Resource>> removed;
  MutexLock lock(mutex_);
  for (auto it = resources_.begin(); it != resources_.end();) {
    const auto current = it++;
    if (std::get<0>(current->first) != container) continue;
    removed.push_back(std::move(current->second));
    resources_.erase(current);
  }
}

void ResourceStore::Clear() {
  Resources removed;
  MutexLock lock(mutex_);
  removed.swap(resources_);
}

size_t ResourceStore::size() const {
  MutexLock lock(mutex_);
  return resources_.size();
}

absl::Status CheckHandle(const ResourceHandle& handle, absl::string_view type,
                         absl::string_view device) {
  if (handle.device != device) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Trying to access resource ", handle.name, " located in device ",
        handle.device, " from device ", device));
  }
  if (handle.maybe_type_name != type) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Trying to access a handle's resource using the wrong type. The "
        "handle points to a resource (name '",
        handle.name, "') of type '", handle.maybe_type_name,
        "' but you are trying to access the resource as type '", type, "'"));
  }
  return absl::OkStatus();
}

}  // namespace leat
