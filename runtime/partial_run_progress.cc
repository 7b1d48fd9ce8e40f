// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/partial_run_progress.h"

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"

namespace leat {
namespace {

// Returns the position of an _Arg or _Retval in the signature.
int64_t IndexOf(const Node& node) {
  return node.attrs().GetOr<int64_t>("index", -1).value_or(-1);
}

// Returns `name` with the output index that it stands for, such as "x:0" for
// "x".
std::string WithOutput(const std::string& name) {
  const absl::StatusOr<TensorId> id = TensorId::Parse(name);
  return id.ok() ? absl::StrCat(id->node, ":", id->index) : name;
}

}  // namespace

PartialRunProgress::PartialRunProgress(const FeedSpec& feeds,
                                       const std::vector<std::string>& fetches,
                                       const Graph& whole)
    : spec_(feeds),
      whole_(whole),
      returns_(fetches.size(), kNoNode),
      is_given_(static_cast<size_t>(whole.num_ids())),
      feeds_(UsesOf(feeds.names)),
      fetches_(UsesOf(fetches)),
      num_left_(feeds_.size() + fetches_.size()) {
  for (const NodeId id : whole_.NodeIds()) {
    const Node& node = whole_.node(id);
    if (node.op() != "_Retval") continue;
    const auto index = static_cast<size_t>(IndexOf(node));
    if (index < returns_.size()) returns_[index] = id;
  }
}

absl::Status PartialRunProgress::Over() {
  return absl::InvalidArgumentError(
      "Must run PartialRunSetup before performing partial runs");
}

PartialRunProgress::Uses PartialRunProgress::UsesOf(
    const std::vector<std::string>& names) {
  Uses uses;
  for (size_t i = 0; i < names.size(); ++i) {
    uses.emplace(names[i], Use{.position = i});
  }
  return uses;
}

absl::StatusOr<size_t> PartialRunProgress::Find(const Uses& uses,
                                                absl::string_view kind,
                                                const std::string& name) {
  const auto found = uses.find(name);
  if (found == uses.end()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "The ", kind, " ", name, " was not specified in partial_run_setup."));
  }
  if (found->second.is_used) {
    return absl::InvalidArgumentError(
        absl::StrCat("The ", kind, " ", name, " has already been ",
                     kind == "feed" ? "fed." : "fetched."));
  }
  return found->second.position;
}

absl::StatusOr<PartialRunCall> PartialRunProgress::Begin(
    std::vector<std::pair<std::string, Tensor>> feeds,
    const std::vector<std::string>& fetches) {
  PartialRunCall call{.feeds = std::vector<Tensor>(spec_.names.size())};
  MutexLock lock(mutex_);
  if (has_last_) return Over();
  for (auto& [name, tensor] : feeds) {
    LEAT_ASSIGN_OR_RETURN(const size_t i, Find(feeds_, "feed", name));
    if (call.feeds[i].IsValid()) {
      return absl::InvalidArgumentError(
          absl::StrCat("Duplicated feeds: ", name));
    }
    LEAT_RETURN_IF_ERROR(CheckFeed(spec_, i, tensor));
    call.feeds[i] = std::move(tensor);
  }
  for (const std::string& name : fetches) {
    LEAT_ASSIGN_OR_RETURN(const size_t i, Find(fetches_, "fetch", name));
    call.fetches.push_back(i);
  }
  if (!fetches.empty()) LEAT_RETURN_IF_ERROR(CheckFetches(call));
  for (auto& [name, feed] : feeds_) {
    if (!call.feeds[feed.position].IsValid()) continue;
    feed.is_used = true;
    --num_left_;
  }
  for (const std::string& name : fetches) {
    if (std::exchange(fetches_.at(name).is_used, true)) continue;
    --num_left_;
  }
  call.is_last = has_last_ = num_left_ == 0;
  return call;
}

absl::Status PartialRunProgress::CheckFetches(const PartialRunCall& call) {
  std::vector<NodeId> marked;
  for (const size_t i : call.fetches) {
    const NodeId missing = Mark(returns_[i], call, marked);
    if (missing == kNoNode) continue;
    for (const NodeId id : marked) is_given_[static_cast<size_t>(id)] = false;
    const auto index = static_cast<size_t>(IndexOf(whole_.node(missing)));
    return absl::InvalidArgumentError(absl::StrCat(
        "Fetch ", WithOutput(spec_.names[index]),
        " can't be computed from the feeds that have been fed so far."));
  }
  return absl::OkStatus();
}

NodeId PartialRunProgress::Mark(NodeId id, const PartialRunCall& call,
                                std::vector<NodeId>& marked) {
  std::vector<NodeId> stack = {id};
  while (!stack.empty()) {
    const NodeId next = stack.back();
    stack.pop_back();
    if (next == kNoNode || is_given_[static_cast<size_t>(next)]) continue;
    is_given_[static_cast<size_t>(next)] = true;
    marked.push_back(next);
    const Node& node = whole_.node(next);
    if (node.op() == "_Arg") {
      const auto i = static_cast<size_t>(IndexOf(node));
      const Use& use = feeds_.at(spec_.names[i]);
      if (!use.is_used && !call.feeds[use.position].IsValid()) return next;
    }
    for (const Endpoint& input : node.inputs) stack.push_back(input.node);
    for (const NodeId control : node.controls) stack.push_back(control);
  }
  return kNoNode;
}

}  // namespace leat
