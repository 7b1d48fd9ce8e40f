// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/checkpoint/bundle_index.h"

#include "leat/checkpoint/index_table.h"

namespace leat {

absl::StatusOr<std::string> MakeIndex(const BundleEntries& entries,
                                      int num_shards) {
  pb::BundleHeaderProto header;
  header.set_num_shards(num_shards);
  header.mutable_version()->set_producer(kBundleVersion);
  IndexEntries index;
  index.reserve(entries.size() + 1);
  index.emplace_back("", header.SerializeAsString());
  for (const auto& [key, entry] : entries) {
    index.emplace_back(key, entry.SerializeAsString());
  }
  return WriteIndexTable(index);
}

}  // namespace leat
