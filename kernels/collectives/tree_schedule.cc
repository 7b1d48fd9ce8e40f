// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "absl/strings/str_cat.h"
#include "leat/kernels/collectives/collective_schedule.h"

namespace leat {
namespace {

using Kind = CollectiveAction::Kind;

// Describes a tree of some members. They have places in the tree: the member at
// place i sends to those at 2i + 1 and 2i + 2. If the source is not at place 0,
// it sends to the places 0 and 1, the member at place i sends to 2i + 2 and
// 2i + 3, and nobody sends to the source.
struct Tree {
  std::vector<int> ranks = {};  // of the members, by place
  int source = 0;               // the place of the source

  int size() const { return static_cast<int>(ranks.size()); }
};

std::optional<int> PlaceOf(const Tree& tree, int rank) {
  for (int place = 0; place < tree.size(); ++place) {
    if (tree.ranks[static_cast<size_t>(place)] == rank) return place;
  }
  return std::nullopt;
}

int ParentOf(const Tree& tree, int place) {
  if (tree.source == 0) return (place - 1) / 2;
  return place < 2 ? tree.source : place / 2 - 1;
}

std::vector<int> ChildrenOf(const Tree& tree, int place) {
  std::vector<int> children;
  const auto add = [&](int child) {
    if (child < tree.size() && child != tree.source) children.push_back(child);
  };
  if (place == tree.source && tree.source != 0) {
    add(0);
    add(1);
  }
  const int first = tree.source == 0 ? 2 * place + 1 : 2 * place + 2;
  add(first);
  add(first + 1);
  return children;
}

// Returns the trees of a broadcast. If several tasks have members, the first
// tree has the source and one member of each other task. Each of the next trees
// has the members of one task.
std::vector<Tree> TreesOf(const CollectiveGroup& group, int source_rank) {
  Tree tasks;
  std::vector<Tree> trees;
  for (int rank = 0; rank < group.size(); ++rank) {
    const CollectiveMember& member = group.members[static_cast<size_t>(rank)];
    if (rank == 0 ||
        member.task != group.members[static_cast<size_t>(rank) - 1].task) {
      tasks.ranks.push_back(rank);
      trees.emplace_back();
    }
    Tree& devices = trees.back();
    if (rank == source_rank) {
      devices.source = devices.size();
      tasks.source = tasks.size() - 1;
      tasks.ranks.back() = rank;
    }
    devices.ranks.push_back(rank);
  }
  if (trees.size() > 1) trees.insert(trees.begin(), std::move(tasks));
  return trees;
}

// Adds what the member at `place` does. `number` is the number of the tree.
void AddTree(const Tree& tree, size_t number, int place, ElementRange range,
             CollectiveLane& lane) {
  const auto add = [&](Kind kind, int peer, int from, int to) {
    lane.push_back({.kind = kind,
                    .range = range,
                    .peer = tree.ranks[static_cast<size_t>(peer)],
                    .name = absl::StrCat(number, ":", from, ":", to)});
  };
  if (place != tree.source) {
    const int parent = ParentOf(tree, place);
    add(Kind::kReceive, parent, parent, place);
  }
  for (const int child : ChildrenOf(tree, place)) {
    add(Kind::kSend, child, place, child);
  }
}

}  // namespace

CollectiveSchedule TreeBroadcast(const CollectiveGroup& group, int rank,
                                 int source_rank, int64_t elements) {
  CollectiveLane lane;
  const std::vector<Tree> trees = TreesOf(group, source_rank);
  for (size_t i = 0; i < trees.size(); ++i) {
    const std::optional<int> place = PlaceOf(trees[i], rank);
    if (place.has_value()) AddTree(trees[i], i, *place, {0, elements}, lane);
  }
  CollectiveSchedule schedule;
  schedule.lanes.push_back(std::move(lane));
  return schedule;
}

}  // namespace leat
