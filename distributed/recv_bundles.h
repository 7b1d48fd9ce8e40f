// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// RecvBundles: which tensors a registered graph receives together
// (partitioner/bundles.h). BundledRecvs: those of a step that wait until all of
// their bundle have been asked for.
#ifndef LEAT_DISTRIBUTED_RECV_BUNDLES_H_
#define LEAT_DISTRIBUTED_RECV_BUNDLES_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "leat/core/mutex.h"
#include "leat/core/rendezvous.h"
#include "leat/graph/graph.h"

namespace leat {

// Immutable, thread-safe.
class RecvBundles {
 public:
  using Keys = std::vector<std::string>;
  using KeysRef = std::shared_ptr<const Keys>;
  // Which bundle, and where in it.
  struct Place {
    size_t bundle = 0;
    size_t index = 0;
  };

  // What a master says that cannot be a bundle is none: a _Recv in a loop or
  // behind another node, which may be asked for late or never; tensors of
  // several tasks or for several devices; a key that was there before; too
  // many, or keys that are too long, for a request.
  explicit RecvBundles(const Graph& graph);
  RecvBundles(const RecvBundles&) = delete;
  RecvBundles& operator=(const RecvBundles&) = delete;

  const std::vector<KeysRef>& bundles() const { return bundles_; }
  // Null for a key of no bundle.
  const Place* Find(absl::string_view key) const;

 private:
  std::vector<KeysRef> bundles_;
  absl::flat_hash_map<std::string, Place> places_;
};

// Thread-safe.
class BundledRecvs {
 public:
  explicit BundledRecvs(std::shared_ptr<const RecvBundles> bundles);

  // Takes `done`, unless the key is of no bundle, was asked for before, or the
  // step has ended: false. When it was the last one of its bundle, `keys` are
  // that and `all` has what was taken, in their order.
  bool Add(absl::string_view key, Rendezvous::Done& done,
           RecvBundles::KeysRef& keys, std::vector<Rendezvous::Done>& all);

  // What still waits, for the caller to end; nothing is taken from now on.
  std::vector<Rendezvous::Done> End();

 private:
  struct Waiting {
    std::vector<Rendezvous::Done> dones = {};  // by key; null: not asked for
    size_t missing = 0;
  };

  const std::shared_ptr<const RecvBundles> bundles_;
  Mutex mutex_;
  bool has_ended_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<Waiting> waiting_ ABSL_GUARDED_BY(mutex_);  // by bundle
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_RECV_BUNDLES_H_
