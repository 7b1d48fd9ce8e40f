// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/cluster/cluster.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "leat/core/codec/json.h"
#include "leat/core/quoted_text.h"
#include "leat/core/status_macros.h"
#include "leat/distributed/cluster/address.h"

namespace leat {
namespace {

// Limits the number of keys that KeysText shows.
constexpr size_t kShownTasks = 8;

std::string ShortName(const TaskId& task) {
  return absl::StrCat("/job:", task.job, "/task:", task.index);
}

// Returns the keys of `map` for messages, such as "3, 5". Only the first
// kShownTasks are shown, followed by "... (100 in all)".
template <class Map>
std::string KeysText(const Map& map) {
  std::string text;
  size_t count = 0;
  for (const auto& [key, value] : map) {
    if (count == kShownTasks) {
      absl::StrAppend(&text, ", ... (", map.size(), " in all)");
      break;
    }
    absl::StrAppend(&text, count++ == 0 ? "" : ", ", key);
  }
  return text;
}

absl::Status CheckJobName(absl::string_view name) {
  const bool is_name = !name.empty() && absl::ascii_isalpha(name[0]) &&
                       std::all_of(name.begin(), name.end(), [](char c) {
                         return absl::ascii_isalnum(c) || c == '_';
                       });
  if (is_name) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the job's name ", QuotedText(name),
                   " is not of the form [a-zA-Z][_a-zA-Z0-9]*"));
}

absl::Status CheckIndex(int64_t index, absl::string_view job) {
  if (index >= 0 && index <= kMaxTaskIndex) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("task index ", index, " of job '", job, "' is not in [0, ",
                   kMaxTaskIndex, "]"));
}

// Checks the addresses of tasks. Refuses an address that another task has,
// unless its port is 0.
class AddressBook {
 public:
  absl::Status Add(const TaskId& task, const std::string& address) {
    if (const absl::Status status = CheckAddress(address); !status.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat(ShortName(task), ": ", status.message()));
    }
    if (HasFreePort(address)) return absl::OkStatus();
    const auto [at, is_new] = tasks_.emplace(CanonicalAddress(address), task);
    if (is_new) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat(
        "address ", QuotedText(address), " is given to ", ShortName(at->second),
        " and to ", ShortName(task), "; each task needs its own"));
  }

 private:
  absl::flat_hash_map<std::string, TaskId> tasks_;
};

absl::StatusOr<std::string> AddressIn(const JsonValue& value,
                                      absl::string_view job, int64_t index) {
  if (value.kind == JsonValue::Kind::kString) return value.text;
  return absl::InvalidArgumentError(
      absl::StrCat("the address of task ", index, " of job ", QuotedText(job),
                   " is ", value.KindText(), ", not a string"));
}

// Parses `key`, which is the index of a task in an object such as {"1": "h:p"}.
// `job` is the job of the task.
absl::StatusOr<int> IndexIn(absl::string_view key, const std::string& job) {
  int64_t index = 0;
  const bool is_number =
      !key.empty() && std::all_of(key.begin(), key.end(), absl::ascii_isdigit);
  if (!is_number || !absl::SimpleAtoi(key, &index)) {
    return absl::InvalidArgumentError(
        absl::StrCat("job '", job, "' has ", QuotedText(key),
                     " where the index of a task should be"));
  }
  LEAT_RETURN_IF_ERROR(CheckIndex(index, job));
  return static_cast<int>(index);
}

absl::StatusOr<std::map<int, std::string>> TasksIn(const JsonValue& value,
                                                   const std::string& job) {
  std::map<int, std::string> tasks;
  if (!value.is_object() && value.kind != JsonValue::Kind::kArray) {
    return absl::InvalidArgumentError(
        absl::StrCat("job '", job, "' is ", value.KindText(),
                     ", neither an array of addresses nor an object from task "
                     "index to address"));
  }
  for (size_t i = 0; i < value.values.size(); ++i) {
    int index = static_cast<int>(i);
    if (value.is_object()) {
      LEAT_ASSIGN_OR_RETURN(index, IndexIn(value.keys[i], job));
    }
    LEAT_ASSIGN_OR_RETURN(std::string address,
                          AddressIn(value.values[i], job, index));
    // "1" and "01" are different keys of the same task.
    if (!tasks.emplace(index, std::move(address)).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("task ", index, " of job '", job, "' is listed twice"));
    }
  }
  return tasks;
}

}  // namespace

std::string TaskId::ToString() const {
  return absl::StrCat("/job:", job, "/replica:0/task:", index);
}

absl::StatusOr<ClusterSpec> ClusterSpec::Create(Jobs jobs) {
  size_t num_tasks = 0;
  AddressBook book;
  for (const auto& [job, tasks] : jobs) {
    LEAT_RETURN_IF_ERROR(CheckJobName(job));
    num_tasks += tasks.size();
    if (num_tasks > kMaxTasks) {
      return absl::InvalidArgumentError(
          absl::StrCat("the cluster has more than ", kMaxTasks, " tasks"));
    }
    for (const auto& [index, address] : tasks) {
      LEAT_RETURN_IF_ERROR(CheckIndex(index, job));
      LEAT_RETURN_IF_ERROR(book.Add({job, index}, address));
    }
  }
  std::erase_if(jobs, [](const auto& job) { return job.second.empty(); });
  return ClusterSpec(std::move(jobs));
}

absl::StatusOr<ClusterSpec> ClusterSpec::FromJson(absl::string_view text) {
  LEAT_ASSIGN_OR_RETURN(const JsonValue value, ParseJson(text));
  for (const char* key : {"cluster", "sparseCluster"}) {
    const JsonValue* jobs = value.Find(key);
    // If `jobs` is an array, `key` is the name of a job and the array has its
    // tasks.
    if (jobs != nullptr && jobs->is_object()) return FromJsonValue(*jobs);
  }
  return FromJsonValue(value);
}

absl::StatusOr<ClusterSpec> ClusterSpec::FromJsonValue(const JsonValue& jobs) {
  if (!jobs.is_object()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the cluster is ", jobs.KindText(), ", not an object of jobs"));
  }
  Jobs result;
  for (size_t i = 0; i < jobs.keys.size(); ++i) {
    LEAT_RETURN_IF_ERROR(CheckJobName(jobs.keys[i]));
    LEAT_ASSIGN_OR_RETURN(result[jobs.keys[i]],
                          TasksIn(jobs.values[i], jobs.keys[i]));
  }
  return Create(std::move(result));
}

std::vector<TaskId> ClusterSpec::Tasks() const {
  std::vector<TaskId> ids;
  for (const auto& [job, tasks] : jobs_) {
    for (const auto& [index, address] : tasks) ids.push_back({job, index});
  }
  return ids;
}

absl::StatusOr<std::string> ClusterSpec::AddressOf(const TaskId& task) const {
  const auto job = jobs_.find(task.job);
  if (job == jobs_.end()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "there is no job ", QuotedText(task.job), "; the cluster has ",
        jobs_.empty() ? "none" : KeysText(jobs_)));
  }
  const auto found = job->second.find(task.index);
  if (found != job->second.end()) return found->second;
  return absl::InvalidArgumentError(absl::StrCat(
      "task ", task.index, " is not in job '", task.job, "', which has the ",
      job->second.size() == 1 ? "task " : "tasks ", KeysText(job->second)));
}

}  // namespace leat
