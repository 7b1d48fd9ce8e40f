// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/exchange/recv_bundles.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "leat/distributed/cluster/device_attributes.h"
#include "leat/distributed/wire/messages.h"
#include "leat/graph/rendezvous_attrs.h"
#include "leat/partitioner/bundles.h"

namespace leat {
namespace {

// Limits the total size, in bytes, of the keys of one request. A task parses
// the request on the thread that receives it, so the task accepts only small
// requests.
constexpr size_t kMaxKeyBytes = kMaxInlineHeaderBytes / 2;

// Holds the sending task and the receiving device of a tensor. They must be the
// same for all tensors of a bundle.
struct Ends {
  std::string send_task = {};
  std::string recv_device = {};

  friend bool operator==(const Ends&, const Ends&) = default;
};

size_t KeyBytes(const std::vector<ParsedKey>& keys) {
  size_t bytes = 0;
  for (const ParsedKey& key : keys) bytes += key.text().size();
  return bytes;
}

// Returns true if there are at least two keys and all of them fit into one
// request.
bool MayBeAsked(const std::vector<ParsedKey>& keys) {
  return keys.size() > 1 && keys.size() <= kMaxRecvKeys &&
         KeyBytes(keys) <= kMaxKeyBytes;
}

}  // namespace

RecvBundles::RecvBundles(const Graph& graph) {
  std::map<int64_t, std::pair<Ends, std::vector<ParsedKey>>> marked;
  absl::flat_hash_set<std::string> seen;
  for (const NodeId id : graph.NodeIds()) {
    const Node& node = graph.node(id);
    if (node.op() != "_Recv" || !node.controls.empty()) continue;
    const auto number = node.attrs().Get<int64_t>(kBundleAttr);
    if (!number.ok()) continue;
    const absl::StatusOr<RendezvousKey> attrs = RendezvousKeyOf(node.attrs());
    if (!attrs.ok()) continue;
    ParsedKey key(attrs->ToString());
    if (!seen.insert(key.text()).second) continue;
    const Ends ends = {
        .send_task = std::string(TaskOfDevice(attrs->send_device)),
        .recv_device = attrs->recv_device};
    auto& [of_first, keys] =
        marked.try_emplace(*number, ends, std::vector<ParsedKey>())
            .first->second;
    if (ends == of_first) keys.push_back(std::move(key));
  }
  for (auto& [number, bundle] : marked) {
    std::vector<ParsedKey>& keys = bundle.second;
    if (!MayBeAsked(keys)) continue;
    for (size_t i = 0; i < keys.size(); ++i) {
      places_.emplace(keys[i].text(),
                      Place{.bundle = bundles_.size(), .index = i});
    }
    bundles_.push_back(
        std::make_shared<const std::vector<ParsedKey>>(std::move(keys)));
  }
}

const RecvBundles::Place* RecvBundles::Find(const ParsedKey& key) const {
  const auto found = places_.find(key.text());
  return found == places_.end() ? nullptr : &found->second;
}

BundledRecvs::BundledRecvs(std::shared_ptr<const RecvBundles> bundles)
    : bundles_(std::move(bundles)), waiting_(bundles_->bundles().size()) {
  for (size_t i = 0; i < waiting_.size(); ++i) {
    waiting_[i].missing = bundles_->bundles()[i]->size();
    waiting_[i].dones.resize(waiting_[i].missing);
  }
}

bool BundledRecvs::Add(const ParsedKey& key, Rendezvous::Done& done,
                       RecvKeys::Shared& keys, RecvDones& all) {
  const RecvBundles::Place* const place = bundles_->Find(key);
  if (place == nullptr) return false;
  MutexLock lock(mutex_);
  Waiting& waiting = waiting_[place->bundle];
  if (has_ended_ || waiting.missing == 0 ||
      waiting.dones[place->index] != nullptr) {
    return false;
  }
  waiting.dones[place->index] = std::move(done);
  if (--waiting.missing > 0) return true;
  keys = bundles_->bundles()[place->bundle];
  all = std::move(waiting.dones);
  return true;
}

std::vector<Rendezvous::Done> BundledRecvs::End() {
  std::vector<Rendezvous::Done> ended;
  MutexLock lock(mutex_);
  has_ended_ = true;
  for (Waiting& waiting : waiting_) {
    for (Rendezvous::Done& done : waiting.dones) {
      if (done != nullptr) ended.push_back(std::move(done));
    }
    waiting = {};
  }
  return ended;
}

}  // namespace leat
