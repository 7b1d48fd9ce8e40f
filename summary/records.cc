// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/summary/records.h"

#include <cstring>

#include "leat/core/check.h"
#include "leat/core/crc32c.h"

namespace leat {
namespace {

template <class T>
void AppendNumber(T number, std::string& to) {
  to.append(reinterpret_cast<const char*>(&number), sizeof(number));
}

}  // namespace

void AppendRecord(absl::string_view bytes, std::string& to) {
  LEAT_CHECK(bytes.size() <= static_cast<size_t>(kMaxRecordBytes));
  const uint64_t length = bytes.size();
  const absl::string_view header(reinterpret_cast<const char*>(&length),
                                 sizeof(length));
  to.append(header.data(), header.size());
  AppendNumber(Mask(Crc32c(header)), to);
  to.append(bytes.data(), bytes.size());
  AppendNumber(Mask(Crc32c(bytes)), to);
}

}  // namespace leat
