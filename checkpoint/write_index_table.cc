// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/checkpoint/index_table.h"
#include "leveldb/env.h"
#include "leveldb/options.h"
#include "leveldb/table_builder.h"

namespace leat {
namespace {

// Keeps a file of LevelDB in a string.
class StringFile final : public leveldb::WritableFile {
 public:
  const std::string& content() const { return content_; }

  leveldb::Status Append(const leveldb::Slice& data) override {
    content_.append(data.data(), data.size());
    return leveldb::Status::OK();
  }
  leveldb::Status Close() override { return leveldb::Status::OK(); }
  leveldb::Status Flush() override { return leveldb::Status::OK(); }
  leveldb::Status Sync() override { return leveldb::Status::OK(); }

 private:
  std::string content_;
};

}  // namespace

absl::StatusOr<std::string> WriteIndexTable(const IndexEntries& entries) {
  leveldb::Options options;
  options.compression = leveldb::kNoCompression;
  options.block_size = 256 << 10;
  StringFile file;
  leveldb::TableBuilder builder(options, &file);
  for (size_t i = 0; i < entries.size(); ++i) {
    // LevelDB would end the process if the keys were not sorted.
    if (i > 0 && entries[i].first <= entries[i - 1].first) {
      builder.Abandon();
      return absl::InvalidArgumentError("the keys of the index are not sorted");
    }
    builder.Add(entries[i].first, entries[i].second);
  }
  const leveldb::Status status = builder.Finish();
  if (!status.ok()) return absl::InternalError(status.ToString());
  return file.content();
}

}  // namespace leat
