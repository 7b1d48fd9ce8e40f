// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ResourceStore: (container, type, name) -> resource. One per device, or per
// isolated session; a second one per step and device for what ends with it.
// The container "" is the default one everywhere. Thread-safe; resources are
// shared with whoever uses them.
#ifndef LEAT_KERNELS_RESOURCE_STORE_H_
#define LEAT_KERNELS_RESOURCE_STORE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/hash/hash.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/mutex.h"
#include "leat/core/resource_handle.h"

namespace leat {

// Of a local session. In a cluster it is the task's job, as in TensorFlow.
inline constexpr char kDefaultContainer[] = "localhost";

// Thread-safe. `kTypeName` of the derived class is the type in the key.
class Resource {
 public:
  virtual ~Resource() = default;
  virtual std::string DebugString() const = 0;
};

// Of single resources.
struct ResourceLimits {
  // Of a queue: tensors of its elements, whatever its capacity: those of no
  // bytes need memory too.
  int64_t max_queue_elements = int64_t{1} << 22;
};

class ResourceStore {
 public:
  explicit ResourceStore(std::string default_container = kDefaultContainer,
                         const ResourceLimits& limits = {})
      : default_container_(std::move(default_container)), limits_(limits) {}
  ResourceStore(const ResourceStore&) = delete;
  ResourceStore& operator=(const ResourceStore&) = delete;

  // What resource handles say for a node that names no container.
  const std::string& default_container() const { return default_container_; }
  const ResourceLimits& limits() const { return limits_; }

  // NOT_FOUND naming container, type and name.
  template <class T>
  absl::StatusOr<std::shared_ptr<T>> Find(absl::string_view container,
                                          absl::string_view name) const {
    auto found = FindAny(container, T::kTypeName, name);
    if (!found.ok()) return found.status();
    return std::static_pointer_cast<T>(*std::move(found));
  }

  // The one that is there, or else what `make` returns, called once, under the
  // lock: it must not use this store.
  template <class T>
  absl::StatusOr<std::shared_ptr<T>> FindOrMake(
      absl::string_view container, absl::string_view name,
      absl::FunctionRef<absl::StatusOr<std::shared_ptr<T>>()> make) {
    auto found = FindOrMakeAny(
        container, T::kTypeName, name,
        [&]() -> absl::StatusOr<std::shared_ptr<Resource>> {
          auto made = make();
          if (!made.ok()) return made.status();
          return std::static_pointer_cast<Resource>(*std::move(made));
        });
    if (!found.ok()) return found.status();
    return std::static_pointer_cast<T>(*std::move(found));
  }

  // NOT_FOUND when there is none. Holders keep theirs.
  absl::Status Delete(absl::string_view container, absl::string_view type,
                      absl::string_view name);
  void ClearContainer(absl::string_view container);
  void Clear();
  size_t size() const;

 private:
  using Key = std::tuple<std::string, std::string, std::string>;
  using KeyView =
      std::tuple<absl::string_view, absl::string_view, absl::string_view>;
  // Lookups by views, so that they need no memory.
  struct KeyHash {
    using is_transparent = void;
    size_t operator()(const KeyView& key) const {
      return absl::Hash<KeyView>()(key);
    }
  };
  struct KeyEqual {
    using is_transparent = void;
    bool operator()(const KeyView& a, const KeyView& b) const { return a == b; }
  };
  using Resources =
      absl::flat_hash_map<Key, std::shared_ptr<Resource>, KeyHash, KeyEqual>;

  absl::StatusOr<std::shared_ptr<Resource>> FindAny(
      absl::string_view container, absl::string_view type,
      absl::string_view name) const;
  absl::StatusOr<std::shared_ptr<Resource>> FindOrMakeAny(
      absl::string_view container, absl::string_view type,
      absl::string_view name,
      absl::FunctionRef<absl::StatusOr<std::shared_ptr<Resource>>()> make);

  absl::string_view OrDefault(absl::string_view container) const {
    return container.empty() ? default_container_ : container;
  }

  const std::string default_container_;
  const ResourceLimits limits_;
  mutable Mutex mutex_;
  Resources resources_ ABSL_GUARDED_BY(mutex_);
};

// The resource that a handle names: checks that the handle is of this device
// and type. INVALID_ARGUMENT or NOT_FOUND otherwise.
template <class T>
absl::StatusOr<std::shared_ptr<T>> LookupHandle(ResourceStore& store,
                                                const ResourceHandle& handle,
                                                absl::string_view device);
absl::Status CheckHandle(const ResourceHandle& handle, absl::string_view type,
                         absl::string_view device);

template <class T>
absl::StatusOr<std::shared_ptr<T>> LookupHandle(ResourceStore& store,
                                                const ResourceHandle& handle,
                                                absl::string_view device) {
  absl::Status status = CheckHandle(handle, T::kTypeName, device);
  if (!status.ok()) return status;
  return store.Find<T>(handle.container, handle.name);
}

}  // namespace leat

#endif  // LEAT_KERNELS_RESOURCE_STORE_H_
