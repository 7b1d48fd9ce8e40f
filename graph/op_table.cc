// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/op_table.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "leat/core/check.h"
#include "leat/core/status_macros.h"
#include "leat/graph/op_spec.h"
#include "leat/graph/op_table_text.h"

namespace leat {
namespace {

constexpr absl::string_view kOpLine = "op ";

// Removes the first line of `text`, with its end, and returns it without its
// end.
absl::string_view TakeLine(absl::string_view& text) {
  const absl::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(text.size(), line.size() + 1));
  return line;
}

// Adds the declaration or flag in `line` to `spec`. Returns false if the line
// has none of the known forms.
bool AddLine(absl::string_view line, OpSpec& spec) {
  if (absl::ConsumePrefix(&line, "input ")) {
    spec.inputs.emplace_back(line);
  } else if (absl::ConsumePrefix(&line, "output ")) {
    spec.outputs.emplace_back(line);
  } else if (absl::ConsumePrefix(&line, "attr ")) {
    spec.attrs.emplace_back(line);
  } else if (line == "is_stateful") {
    spec.stateful = true;
  } else if (line == "is_commutative") {
    spec.commutative = true;
  } else if (line == "is_aggregate") {
    spec.aggregate = true;
  } else if (line == "allows_uninitialized_input") {
    spec.allows_uninitialized_input = true;
  } else {
    return false;
  }
  return true;
}

absl::StatusOr<OpDef> ParseBlock(absl::string_view name,
                                 absl::string_view block) {
  OpSpec spec;
  spec.name = std::string(name);
  while (!block.empty()) {
    const absl::string_view line = TakeLine(block);
    if (absl::StartsWith(line, "#")) continue;
    if (!AddLine(absl::StripPrefix(line, "  "), spec)) {
      return absl::InvalidArgumentError(
          absl::StrCat("op '", name, "' has the unknown line '", line, "'"));
    }
  }
  return ParseOpSpec(spec);
}

}  // namespace

OpTable::OpTable(absl::string_view text) {
  absl::string_view name;
  while (!text.empty()) {
    absl::string_view line = TakeLine(text);
    if (absl::ConsumePrefix(&line, kOpLine)) {
      name = line;
      LEAT_CHECK(blocks_.try_emplace(name, text.substr(0, 0)).second);
    } else if (!name.empty()) {
      absl::string_view& block = blocks_[name];
      block = absl::string_view(
          block.data(), static_cast<size_t>(text.data() - block.data()));
    } else {
      LEAT_CHECK(absl::StartsWith(line, "#"));
    }
  }
}

const OpDef* OpTable::Find(absl::string_view name) const {
  const auto block = blocks_.find(name);
  if (block == blocks_.end()) return nullptr;
  MutexLock lock(mutex_);
  std::unique_ptr<const OpDef>& op = parsed_[name];
  if (op == nullptr) {
    absl::StatusOr<OpDef> parsed = ParseBlock(name, block->second);
    if (!parsed.ok()) {
      internal::CheckFailed(__FILE__, __LINE__,
                            parsed.status().ToString().c_str());
    }
    op = std::make_unique<const OpDef>(*std::move(parsed));
  }
  return op.get();
}

std::vector<absl::string_view> OpTable::Names() const {
  std::vector<absl::string_view> names;
  names.reserve(blocks_.size());
  for (const auto& [name, block] : blocks_) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

const OpTable& TensorFlowOps() {
  static const OpTable* const table = new OpTable(kTensorFlowOpsText);
  return *table;
}

}  // namespace leat
