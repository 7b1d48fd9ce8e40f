// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/wire/methods.h"

#include <utility>

#include "leat/core/check.h"

namespace leat {

void MethodTable::Add(const Method& method, Handler handler) {
  auto entry = std::make_unique<Entry>();
  entry->method = method;
  entry->handler = std::move(handler);
  LEAT_CHECK(entries_.emplace(method.path, std::move(entry)).second);
}

void MethodTable::Wrap(const Method& method,
                       absl::FunctionRef<Handler(Handler)> around) {
  const auto found = entries_.find(method.path);
  LEAT_CHECK(found != entries_.end());
  Entry& entry = *found->second;
  entry.handler = around(std::move(entry.handler));
}

const MethodTable::Entry* MethodTable::Find(absl::string_view path) const {
  const auto found = entries_.find(path);
  return found == entries_.end() ? nullptr : found->second.get();
}

}  // namespace leat
