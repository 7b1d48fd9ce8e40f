// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ResourceStore holds the resources that kernels share (variables, queues,
// accumulators), each under a key (container, type, name). A device has one
// store, and an isolated session has a store of its own for each device. Each
// step has another store for each device, for resources that are deleted when
// the step ends. The container "" always stands for the store's default
// container.
//
//   auto queue = store.Find<Queue>("", "input_queue");
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
#include "leat/core/resource_handle.h"
#include "leat/core/threads/mutex.h"

namespace leat {

// Is the default container of a local session. In a cluster the default
// container is the name of the task's job, as in TensorFlow.
inline constexpr char kDefaultContainer[] = "localhost";

// Is the base class of resources. Derived classes are thread-safe and live in
// shared_ptrs. They have a static member `kTypeName`, which is the type in the
// key. TensorFlow's handles and messages have the same name for the type.
class Resource {
 public:
  virtual ~Resource() = default;
  // Returns a description of the resource in one line, for people to read.
  virtual std::string DebugString() const = 0;
};

// Limits each single resource.
struct ResourceLimits {
  // Limits the number of tensors in one queue, counted over all elements and
  // all components. The limit applies whatever the queue's capacity is, because
  // even a tensor without bytes needs memory.
  int64_t max_queue_elements = int64_t{1} << 22;
};

// Is thread-safe. The store shares each resource with the kernels that use it.
// A deleted resource lives until the last of these kernels drops it.
class ResourceStore {
 public:
  // Makes an empty store.
  explicit ResourceStore(std::string default_container = kDefaultContainer,
                         const ResourceLimits& limits = {})
      : default_container_(std::move(default_container)), limits_(limits) {}
  ResourceStore(const ResourceStore&) = delete;
  ResourceStore& operator=(const ResourceStore&) = delete;

  // Returns the name of the container that "" stands for. The handles of nodes
  // that name no container have this name.
  const std::string& default_container() const { return default_container_; }
  // Returns the limits that a kernel must respect when it makes a resource.
  const ResourceLimits& limits() const { return limits_; }

  // Returns the resource of type T under this name. Returns NOT_FOUND, with
  // TensorFlow's text, if there is none.
  template <class T>
  absl::StatusOr<std::shared_ptr<T>> Find(absl::string_view container,
                                          absl::string_view name) const {
    // The type in the key makes the cast safe.
    auto found = FindAny(container, T::kTypeName, name);
    if (!found.ok()) return found.status();
    return std::static_pointer_cast<T>(*std::move(found));
  }

  // Returns the resource under this name if there is one. Otherwise calls
  // `make` once. Stores and returns the resource that `make` returns, or
  // returns the error of `make`. `make` runs while the store is locked, so it
  // must not use this store.
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

  // Returns a name for a resource that belongs to one kernel, in TensorFlow's
  // form: "_0_queue" is the first such name, for a node "queue". Each call
  // returns another name.
  std::string PrivateName(absl::string_view node);

  // Removes one resource. Kernels that hold it keep it alive. Returns NOT_FOUND
  // if there is none under this key. The removed resource is destroyed after
  // the store's lock is released, so its destructor may take long.
  absl::Status Delete(absl::string_view container, absl::string_view type,
                      absl::string_view name);
  // Removes all resources of one container; "" is the default one. Kernels keep
  // alive the resources that they hold.
  void ClearContainer(absl::string_view container);
  // Removes all resources of all containers.
  void Clear();
  // Returns the number of resources in all containers.
  size_t size() const;

 private:
  // (container, type, name). The container is never "" here.
  using Key = std::tuple<std::string, std::string, std::string>;
  using KeyView =
      std::tuple<absl::string_view, absl::string_view, absl::string_view>;
  // The hash and the comparison take views, so that a lookup copies no strings.
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

  // These functions implement Find and FindOrMake for resources of any class.
  absl::StatusOr<std::shared_ptr<Resource>> FindAny(
      absl::string_view container, absl::string_view type,
      absl::string_view name) const;
  absl::StatusOr<std::shared_ptr<Resource>> FindOrMakeAny(
      absl::string_view container, absl::string_view type,
      absl::string_view name,
      absl::FunctionRef<absl::StatusOr<std::shared_ptr<Resource>>()> make);

  // Returns NOT_FOUND, in TensorFlow's words, for a key that has no resource.
  absl::Status NotFound(absl::string_view container, absl::string_view type,
                        absl::string_view name) const
      ABSL_SHARED_LOCKS_REQUIRED(mutex_);

  // Replaces "" by the name of the default container.
  absl::string_view OrDefault(absl::string_view container) const {
    return container.empty() ? default_container_ : container;
  }

  const std::string default_container_;
  const ResourceLimits limits_;
  mutable Mutex mutex_;
  Resources resources_ ABSL_GUARDED_BY(mutex_);
  // The number of private names that were handed out.
  int64_t private_names_ ABSL_GUARDED_BY(mutex_) = 0;
};

// Returns the resource of type T that `handle` names. Returns INVALID_ARGUMENT
// if the handle names another device than `device` or another type than T.
// Returns NOT_FOUND if there is no such resource. CheckHandle checks only the
// device and the type.
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
