// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// RecvBundles: the bundles of a registered graph, that is which tensors it
// receives together (partitioner/bundles.h). BundledRecvs: the Recvs of one
// step that wait until all tensors of their bundle have been asked for.
#ifndef LEAT_DISTRIBUTED_EXCHANGE_RECV_BUNDLES_H_
#define LEAT_DISTRIBUTED_EXCHANGE_RECV_BUNDLES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "leat/core/devices/rendezvous.h"
#include "leat/core/threads/mutex.h"
#include "leat/distributed/exchange/tensor_receiver.h"
#include "leat/distributed/wire/recv_tensor.h"
#include "leat/graph/graph.h"
#include "leat/partitioner/bundle_limits.h"

namespace leat {

// The limits of the bundles that a master plans. One request may not ask for
// more tensors, and more bytes cost hardly more in several messages than in
// one.
inline constexpr BundleLimits kBundleLimits{.max_tensors = kMaxRecvKeys,
                                            .max_bytes = int64_t{1} << 20};

// The bundles of a graph. Immutable, thread-safe.
class RecvBundles {
 public:
  // The position of a key: which bundle, and where in it.
  struct Place {
    size_t bundle = 0;
    size_t index = 0;
  };

  // Reads the bundles that the master has marked in `graph` (kBundleAttr). What
  // cannot be a bundle is ignored: a _Recv in a loop or behind another node,
  // which may be asked for late or never; tensors of several tasks or for
  // several devices; a key that came before; and bundles with too many or too
  // long keys for one request.
  explicit RecvBundles(const Graph& graph);
  RecvBundles(const RecvBundles&) = delete;
  RecvBundles& operator=(const RecvBundles&) = delete;

  // The keys of each bundle.
  const std::vector<RecvKeys::Shared>& bundles() const { return bundles_; }
  // Returns null for a key that is in no bundle. Valid as long as this.
  const Place* Find(const ParsedKey& key) const;

 private:
  std::vector<RecvKeys::Shared> bundles_;
  absl::flat_hash_map<std::string, Place> places_;
};

// The Recvs of one step. Thread-safe. Shares the ownership of the bundles.
class BundledRecvs {
 public:
  // REQUIRES: `bundles` is not null.
  explicit BundledRecvs(std::shared_ptr<const RecvBundles> bundles);

  // Moves from `done` and returns true, unless the key is in no bundle, was
  // asked for before, or End was called. If the key was the last one of its
  // bundle, sets `keys` to the bundle's keys and `all` to their callbacks, in
  // the same order.
  bool Add(const ParsedKey& key, Rendezvous::Done& done, RecvKeys::Shared& keys,
           RecvDones& all);

  // Returns the callbacks that still wait, which the caller has to call. From
  // now on Add returns false.
  std::vector<Rendezvous::Done> End();

 private:
  // The callbacks of one bundle.
  struct Waiting {
    RecvDones dones = {};  // by key; null until asked for
    // The number of callbacks that are still to come. 0 once the bundle was
    // pulled.
    size_t missing = 0;
  };

  const std::shared_ptr<const RecvBundles> bundles_;
  Mutex mutex_;
  bool has_ended_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<Waiting> waiting_ ABSL_GUARDED_BY(mutex_);  // by bundle
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_EXCHANGE_RECV_BUNDLES_H_
