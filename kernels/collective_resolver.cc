// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/collective_resolver.h"

namespace leat {

std::optional<int> CollectiveGroup::RankOf(absl::string_view device) const {
  for (int rank = 0; rank < size(); ++rank) {
    if (members[static_cast<size_t>(rank)].device.name == device) return rank;
  }
  return std::nullopt;
}

int CollectiveGroup::num_tasks() const {
  int count = 0;
  for (size_t i = 0; i < members.size(); ++i) {
    if (i == 0 || members[i].task != members[i - 1].task) ++count;
  }
  return count;
}

std::string TaskOfMember(absl::string_view device) {
  return std::string(device.substr(0, device.rfind("/device:")));
}

}  // namespace leat
