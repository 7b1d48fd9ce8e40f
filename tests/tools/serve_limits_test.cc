// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests the limits of a task. For each limit, one flag of `leat serve` sets
// this limit and nothing else. docs/faults.md lists each flag with its default.
#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "CLI/App.hpp"
#include "CLI/Config.hpp"
#include "CLI/Formatter.hpp"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/runtime/host_memory.h"
#include "leat/tests/testing/processes.h"
#include "leat/tools/serve.h"

namespace leat::serve_limits_test {
namespace {

using testing::ReadFile;
using ::testing::UnorderedElementsAreArray;

constexpr int64_t kSecond = 1'000'000'000;

struct Limit {
  std::string flag = {};
  std::vector<std::string> fields = {};  // keys of the map from FieldsOf
  bool is_time = false;                  // if true, the flag is in seconds
};

const std::vector<Limit>& Limits() {
  static const auto& limits = *new std::vector<Limit>{
      {"--max-message-bytes", {"max_message_bytes"}},
      {"--max-transport-bytes", {"max_transport_bytes"}},
      {"--max-connections", {"max_connections"}},
      {"--max-connections-per-address", {"max_connections_per_address"}},
      {"--handshake-timeout", {"handshake_timeout"}, true},
      {"--max-graph-nodes", {"import.max_nodes", "lower.max_nodes"}},
      {"--max-graph-edges", {"import.max_edges", "lower.max_edges"}},
      {"--max-graph-outputs", {"import.max_outputs", "lower.max_outputs"}},
      {"--max-graph-functions", {"import.max_functions"}},
      {"--max-attr-bytes", {"import.max_attr_bytes"}},
      {"--max-total-attr-bytes", {"import.max_total_attr_bytes"}},
      {"--max-nesting", {"import.max_nesting", "lower.max_nesting"}},
      {"--max-graph-bytes", {"max_graph_bytes"}},
      {"--max-sessions", {"max_sessions"}},
      {"--session-idle", {"session_idle"}, true},
      {"--session-idle-when-full", {"session_idle_when_full"}, true},
      {"--max-step-time", {"max_step_time"}, true},
      {"--setup-timeout", {"setup_timeout"}, true},
      {"--answer-timeout", {"answer_timeout"}, true},
      {"--max-worker-sessions", {"max_worker_sessions"}},
      {"--max-graphs", {"max_graphs"}},
      {"--master-silence", {"master_silence"}, true},
      {"--max-session-bytes", {"max_session_bytes"}},
      {"--max-queue-elements", {"max_queue_elements"}},
      {"--max-waiting-steps", {"max_waiting_steps"}},
      {"--waiting-step-timeout", {"waiting_step_timeout"}, true},
      {"--max-tombstones", {"max_tombstones"}},
      {"--step-linger", {"step_linger"}, true},
      {"--max-rendezvous-entries", {"max_rendezvous_entries"}},
      {"--max-request-ids", {"max_request_ids"}},
      {"--max-inline-bytes", {"chunks.inline_bytes"}},
      {"--chunk-bytes", {"chunks.chunk_bytes"}},
      {"--chunks-in-flight", {"chunks.in_flight"}},
  };
  return limits;
}

// Returns true for limits of chunks. Another section of the manual describes
// these limits.
bool IsOfChunks(const Limit& limit) {
  return absl::StartsWith(limit.fields[0], "chunks.");
}

template <class T>
int64_t Number(T value) {
  return static_cast<int64_t>(value);
}
int64_t Number(std::chrono::nanoseconds value) { return value.count(); }

using Fields = std::map<std::string, int64_t>;

// Maps the name of every field to its value. If one of the structs gets another
// field, this function does not compile.
Fields FieldsOf(const ServeOptions& options) {
  const auto& [max_message_bytes, max_transport_bytes, max_connections,
               max_per_address, handshake_timeout, imported, max_graph_bytes,
               lowered, max_sessions, session_idle, session_idle_when_full,
               max_step_time, setup_timeout, answer_timeout,
               max_worker_sessions, max_graphs, master_silence,
               max_session_bytes, max_queue_elements, max_waiting_steps,
               waiting_step_timeout, max_tombstones, step_linger,
               max_rendezvous_entries, max_request_ids] = options.limits;
  const auto& [import_nodes, import_edges, import_outputs, import_functions,
               attr_bytes, total_attr_bytes, import_nesting,
               allow_internal_names] = imported;
  const auto& [lower_nodes, lower_outputs, lower_edges, lower_nesting] =
      lowered;
  const auto& [inline_bytes, chunk_bytes, in_flight] = options.chunks;
  return {{"max_message_bytes", Number(max_message_bytes)},
          {"max_transport_bytes", Number(max_transport_bytes)},
          {"max_connections", Number(max_connections)},
          {"max_connections_per_address", Number(max_per_address)},
          {"handshake_timeout", Number(handshake_timeout)},
          {"import.max_nodes", Number(import_nodes)},
          {"import.max_edges", Number(import_edges)},
          {"import.max_outputs", Number(import_outputs)},
          {"import.max_functions", Number(import_functions)},
          {"import.max_attr_bytes", Number(attr_bytes)},
          {"import.max_total_attr_bytes", Number(total_attr_bytes)},
          {"import.max_nesting", Number(import_nesting)},
          {"import.allow_internal_names", Number(allow_internal_names)},
          {"max_graph_bytes", Number(max_graph_bytes)},
          {"lower.max_nodes", Number(lower_nodes)},
          {"lower.max_outputs", Number(lower_outputs)},
          {"lower.max_edges", Number(lower_edges)},
          {"lower.max_nesting", Number(lower_nesting)},
          {"max_sessions", Number(max_sessions)},
          {"session_idle", Number(session_idle)},
          {"session_idle_when_full", Number(session_idle_when_full)},
          {"max_step_time", Number(max_step_time)},
          {"setup_timeout", Number(setup_timeout)},
          {"answer_timeout", Number(answer_timeout)},
          {"max_worker_sessions", Number(max_worker_sessions)},
          {"max_graphs", Number(max_graphs)},
          {"master_silence", Number(master_silence)},
          {"max_session_bytes", Number(max_session_bytes)},
          {"max_queue_elements", Number(max_queue_elements)},
          {"max_waiting_steps", Number(max_waiting_steps)},
          {"waiting_step_timeout", Number(waiting_step_timeout)},
          {"max_tombstones", Number(max_tombstones)},
          {"step_linger", Number(step_linger)},
          {"max_rendezvous_entries", Number(max_rendezvous_entries)},
          {"max_request_ids", Number(max_request_ids)},
          {"chunks.inline_bytes", Number(inline_bytes)},
          {"chunks.chunk_bytes", Number(chunk_bytes)},
          {"chunks.in_flight", Number(in_flight)}};
}

ServeOptions Parse(const std::string& flags) {
  CLI::App app;
  ServeOptions options;
  AddServe(app, options);
  app.parse(absl::StrCat("serve ", flags));
  return options;
}

TEST(ServeLimitsTest, EachFlagSetsItsFieldsAndNothingElse) {
  Fields expected = FieldsOf(ServeOptions());
  std::set<std::string> fields;
  std::string flags;
  // Each flag gets a different value above 100. Such values are valid for every
  // flag, and none of them is a default.
  int64_t value = 100;
  for (const Limit& limit : Limits()) {
    ++value;
    absl::StrAppend(&flags, " ", limit.flag, " ", value);
    for (const std::string& field : limit.fields) {
      ASSERT_EQ(expected.count(field), 1u) << field;
      EXPECT_TRUE(fields.insert(field).second) << field;
      const int64_t number = limit.is_time ? value * kSecond : value;
      EXPECT_NE(expected[field], number) << field;
      expected[field] = number;
    }
  }
  // The one field without a flag is allow_internal_names.
  EXPECT_EQ(fields.size() + 1, expected.size());
  EXPECT_EQ(FieldsOf(Parse(flags)), expected);
}

TEST(ServeLimitsTest, AreAllFlagsOfTheirGroup) {
  CLI::App app;
  ServeOptions options;
  std::vector<std::string> flags, expected;
  for (const CLI::Option* option : AddServe(app, options)->get_options()) {
    if (option->get_group() == "Limits") flags.push_back(option->get_name());
  }
  for (const Limit& limit : Limits()) expected.push_back(limit.flag);
  EXPECT_THAT(flags, UnorderedElementsAreArray(expected));
}

TEST(ServeLimitsTest, TakesSizesWithUnitsAndFractionsOfSeconds) {
  const ServeOptions options =
      Parse("--max-graph-bytes 3GiB --chunk-bytes 64KiB --step-linger 0.25");
  EXPECT_EQ(options.limits.max_graph_bytes, int64_t{3} << 30);
  EXPECT_EQ(options.chunks.chunk_bytes, 64 << 10);
  EXPECT_EQ(options.limits.step_linger, std::chrono::milliseconds(250));
}

TEST(ServeLimitsTest, OfDumpedPlans) {
  EXPECT_EQ(Parse("").max_dumped_plans, 1000);
  EXPECT_EQ(Parse("--max-dumped-plans 7").max_dumped_plans, 7);
}

// Parses a default in the manual, such as "4 GiB", "2^22", "10,000" or "24 h".
// Times become nanoseconds. Returns -1 if the text has an unknown form.
int64_t DefaultOf(const std::string& text) {
  if (text == "what the devices have") return INT64_MAX;
  if (text == "half of them") return 0;
  if (text == "two tenths of the memory, at most 4 GiB") {
    return DefaultTransportBytes();
  }
  const std::vector<std::string> words =
      absl::StrSplit(absl::StrReplaceAll(text, {{",", ""}}), ' ');
  absl::string_view digits = words[0];
  const bool is_power = absl::ConsumePrefix(&digits, "2^");
  int64_t number = 0;
  if (!absl::SimpleAtoi(digits, &number) || number < 0) return -1;
  if (is_power) number = number < 63 ? int64_t{1} << number : -1;
  if (words.size() == 1) return number;
  const std::map<std::string, int64_t> units = {
      {"MiB", int64_t{1} << 20}, {"GiB", int64_t{1} << 30}, {"s", kSecond},
      {"min", 60 * kSecond},     {"h", 3600 * kSecond},
  };
  const auto unit = units.find(words[1]);
  if (words.size() > 2 || unit == units.end()) return -1;
  return number * unit->second;
}

// Finds each "`--flag` (default)" in the manual's section on limits. Maps each
// flag to its default.
std::map<std::string, std::string> DocumentedDefaults() {
  const std::string manual = ReadFile(LEAT_TESTS_DIR "/../docs/faults.md");
  absl::string_view rest = manual;
  const size_t begin = rest.find("\n## What does a task take");
  if (begin == absl::string_view::npos) return {};
  rest.remove_prefix(begin + 1);
  rest = rest.substr(0, rest.find("\n## "));
  std::map<std::string, std::string> defaults;
  for (;;) {
    const size_t quoted = rest.find("`--");
    if (quoted == absl::string_view::npos) return defaults;
    rest.remove_prefix(quoted + 1);
    const size_t end = rest.find('`');
    if (end == absl::string_view::npos) return defaults;
    const std::string flag(rest.substr(0, end));
    rest.remove_prefix(end + 1);
    if (!absl::ConsumePrefix(&rest, " (")) continue;
    defaults[flag] = std::string(rest.substr(0, rest.find(')')));
  }
}

TEST(ServeLimitsTest, TheManualSaysTheDefaults) {
  const std::map<std::string, std::string> documented = DocumentedDefaults();
  const Fields defaults = FieldsOf(ServeOptions());
  std::vector<std::string> flags, expected;
  for (const auto& [flag, text] : documented) flags.push_back(flag);
  for (const Limit& limit : Limits()) {
    if (IsOfChunks(limit)) continue;
    expected.push_back(limit.flag);
    const auto found = documented.find(limit.flag);
    if (found == documented.end()) continue;
    int64_t number = DefaultOf(found->second);
    // The manual rounds this default to 2 GiB, which is one byte more than a
    // message can have.
    constexpr int64_t kTooLarge = int64_t{1} << 31;
    if (limit.flag == "--max-message-bytes" && number == kTooLarge) --number;
    for (const std::string& field : limit.fields) {
      EXPECT_EQ(defaults.at(field), number)
          << limit.flag << " (" << found->second << ")";
    }
  }
  EXPECT_THAT(flags, UnorderedElementsAreArray(expected));
}

}  // namespace
}  // namespace leat::serve_limits_test
