// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// RecvBundles holds the bundles of a registered graph. A bundle is a group of
// tensors that the graph receives together (partitioner/bundles.h).
// BundledRecvs holds the Recvs of one run of the graph. Each Recv waits until
// all tensors of its bundle have been asked for.
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

// These are the limits of the bundles that a master plans. A request cannot ask
// for more than `max_tensors`. Beyond `max_bytes`, one message is hardly
// cheaper than several.
inline constexpr BundleLimits kBundleLimits{.max_tensors = kMaxRecvKeys,
                                            .max_bytes = int64_t{1} << 20};

// Holds the bundles of a graph. Is immutable and thread-safe.
class RecvBundles {
 public:
  // Holds the position of a key: the number of its bundle, and its index in the
  // bundle.
  struct Place {
    size_t bundle = 0;
    size_t index = 0;
  };

  // Reads the bundles that the master has marked in `graph` (kBundleAttr).
  // Ignores these nodes and bundles:
  // - a _Recv with control inputs, such as one in a loop, because it may run
  //   late or never,
  // - a _Recv whose sending task or receiving device differs from that of the
  //   first _Recv in its bundle,
  // - a second _Recv with the same key,
  // - a bundle with only one key,
  // - a bundle with more keys than fit in one request.
  explicit RecvBundles(const Graph& graph);
  RecvBundles(const RecvBundles&) = delete;
  RecvBundles& operator=(const RecvBundles&) = delete;

  // Returns the keys of each bundle.
  const std::vector<RecvKeys::Shared>& bundles() const { return bundles_; }
  // Returns the place of `key`, or null if the key is in no bundle. The result
  // points into this object.
  const Place* Find(const ParsedKey& key) const;

 private:
  std::vector<RecvKeys::Shared> bundles_;
  absl::flat_hash_map<std::string, Place> places_;
};

// Holds the Recvs of one run of a graph. Is thread-safe. Shares the ownership
// of the bundles.
class BundledRecvs {
 public:
  // REQUIRES: `bundles` is not null.
  explicit BundledRecvs(std::shared_ptr<const RecvBundles> bundles);

  // Keeps `done` and returns true. If all other keys of the bundle have been
  // asked for before, also sets `keys` to the bundle's keys and `all` to their
  // callbacks, in the same order. Returns false, without moving from `done`, if
  // the key is in no bundle or was asked for before, or if End was called.
  bool Add(const ParsedKey& key, Rendezvous::Done& done, RecvKeys::Shared& keys,
           RecvDones& all);

  // Returns the callbacks that still wait. The caller must call them. Add
  // returns false after End.
  std::vector<Rendezvous::Done> End();

 private:
  // Holds the callbacks of one bundle.
  struct Waiting {
    RecvDones dones = {};  // by index of the key; an element is null before Add
    // Is the number of keys for which Add was not called yet. It is 0 after the
    // bundle was pulled.
    size_t missing = 0;
  };

  const std::shared_ptr<const RecvBundles> bundles_;
  Mutex mutex_;
  bool has_ended_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<Waiting> waiting_ ABSL_GUARDED_BY(mutex_);  // by bundle
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_EXCHANGE_RECV_BUNDLES_H_
