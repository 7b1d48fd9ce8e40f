// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Reads a ClusterModel from JSON.
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "leat/core/codec/json.h"
#include "leat/core/quoted_text.h"
#include "leat/core/status_macros.h"
#include "leat/partitioner/costs/cluster_model.h"
#include "leat/partitioner/costs/cluster_model_fields.h"
#include "leat/partitioner/costs/json_fields.h"

namespace leat {
namespace {

constexpr NumberRange kCores = {1, 65536};

bool IsJobName(absl::string_view name) {
  if (name.empty() || !absl::ascii_isalpha(name[0])) return false;
  for (const char c : name) {
    if (!absl::ascii_isalnum(c) && c != '_') return false;
  }
  return true;
}

std::string At(absl::string_view path, size_t i) {
  return absl::StrCat(path, "[", i, "]");
}

}  // namespace

// Fills a ClusterModel from a JSON text. It lives for one text.
class ClusterModelReader {
 public:
  absl::StatusOr<ClusterModel> Read(const JsonValue& root) {
    LEAT_ASSIGN_OR_RETURN(
        const JsonFields fields,
        JsonFields::Open(root, "", {"note", "kinds", "hosts", "links"}));
    LEAT_RETURN_IF_ERROR(ReadKinds(fields));
    LEAT_ASSIGN_OR_RETURN(const auto* hosts, fields.Array("hosts"));
    for (size_t i = 0; i < hosts->size(); ++i) {
      LEAT_RETURN_IF_ERROR(ReadHosts((*hosts)[i], At("hosts", i)));
    }
    if (model_.devices_.empty()) {
      return absl::InvalidArgumentError("hosts has no host with a device");
    }
    const size_t n = model_.hosts_.size();
    model_.host_links_.resize(n);
    model_.pair_links_.assign(n * n, ClusterModel::kNoLink);
    if (fields.Find("links") != nullptr) {
      LEAT_ASSIGN_OR_RETURN(const auto* links, fields.Array("links"));
      for (size_t i = 0; i < links->size(); ++i) {
        LEAT_RETURN_IF_ERROR(AddLink((*links)[i], At("links", i)));
      }
    }
    LEAT_RETURN_IF_ERROR(CheckLinks());
    return std::move(model_);
  }

 private:
  absl::Status ReadKinds(const JsonFields& root) {
    LEAT_ASSIGN_OR_RETURN(const JsonValue* const kinds, root.Object("kinds"));
    for (size_t i = 0; i < kinds->keys.size(); ++i) {
      const std::string& name = kinds->keys[i];
      LEAT_ASSIGN_OR_RETURN(
          kinds_[name],
          ReadDeviceKind(kinds->values[i],
                         absl::StrCat("kinds[", QuotedText(name), "]")));
    }
    return absl::OkStatus();
  }

  // Adds the hosts that an element of "hosts" stands for.
  absl::Status ReadHosts(const JsonValue& value, const std::string& path) {
    LEAT_ASSIGN_OR_RETURN(const JsonFields fields,
                          JsonFields::Open(value, path,
                                           {"name", "count", "cores",
                                            "memory_bytes", "tasks", "note"}));
    HostModel host;
    LEAT_ASSIGN_OR_RETURN(const std::string name, fields.Text("name"));
    LEAT_ASSIGN_OR_RETURN(host.cores, fields.IntegerOr("cores", 1, kCores));
    LEAT_ASSIGN_OR_RETURN(const double memory,
                          fields.Number("memory_bytes", kMemoryBytes));
    host.memory_bytes = static_cast<int64_t>(memory);
    LEAT_ASSIGN_OR_RETURN(
        const int count,
        fields.IntegerOr("count", 1, {1, ClusterModel::kMaxHosts}));
    LEAT_ASSIGN_OR_RETURN(const auto* tasks, fields.Array("tasks"));
    for (int i = 0; i < count; ++i) {
      host.name =
          fields.Find("count") == nullptr ? name : absl::StrCat(name, i);
      if (model_.hosts_.size() == ClusterModel::kMaxHosts) {
        return absl::InvalidArgumentError(
            absl::StrCat(path, " is one host too many: there may be ",
                         ClusterModel::kMaxHosts));
      }
      const int index = static_cast<int>(model_.hosts_.size());
      if (!host_index_.emplace(host.name, index).second) {
        return absl::InvalidArgumentError(
            absl::StrCat(path, ".name gives a second host the name ",
                         QuotedText(host.name)));
      }
      model_.hosts_.push_back(host);
      num_tasks_.push_back(static_cast<int>(tasks->size()));
      for (size_t task = 0; task < tasks->size(); ++task) {
        LEAT_RETURN_IF_ERROR(
            AddTask((*tasks)[task], At(fields.PathOf("tasks"), task)));
      }
    }
    return absl::OkStatus();
  }

  // Adds a task, with its devices, to the newest host.
  absl::Status AddTask(const JsonValue& value, const std::string& path) {
    LEAT_ASSIGN_OR_RETURN(
        const JsonFields fields,
        JsonFields::Open(value, path, {"job", "devices", "note"}));
    LEAT_ASSIGN_OR_RETURN(const std::string job, fields.Text("job"));
    if (!IsJobName(job)) {
      return fields.Error("job",
                          "must be letters, digits and '_', and begin "
                          "with a letter");
    }
    model_.tasks_.push_back(
        {.name = absl::StrCat("/job:", job,
                              "/replica:0/task:", num_tasks_of_job_[job]++),
         .host = static_cast<int>(model_.hosts_.size()) - 1});
    LEAT_ASSIGN_OR_RETURN(const auto* devices, fields.Array("devices"));
    std::map<DeviceType, int> numbers;
    for (size_t i = 0; i < devices->size(); ++i) {
      LEAT_RETURN_IF_ERROR(
          AddDevices((*devices)[i], At(fields.PathOf("devices"), i), numbers));
    }
    if (numbers[kCpu] == 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          fields.PathOf("devices"), " has no CPU, which each task has"));
    }
    return absl::OkStatus();
  }

  // Adds the devices that an element of "devices" stands for to the newest
  // task. `numbers` counts the devices of each type in the task.
  absl::Status AddDevices(const JsonValue& value, const std::string& path,
                          std::map<DeviceType, int>& numbers) {
    LEAT_ASSIGN_OR_RETURN(const JsonFields fields,
                          JsonFields::Open(value, path, {"kind", "count"}));
    LEAT_ASSIGN_OR_RETURN(const std::string name, fields.Text("kind"));
    const auto kind = kinds_.find(name);
    if (kind == kinds_.end()) {
      return fields.Error("kind", "\"kinds\" has no such kind");
    }
    constexpr NumberRange kCount = {1, ClusterModel::kMaxDevices};
    LEAT_ASSIGN_OR_RETURN(const int count,
                          fields.IntegerOr("count", 1, kCount));
    if (count >
        ClusterModel::kMaxDevices - static_cast<int>(model_.devices_.size())) {
      return absl::InvalidArgumentError(absl::StrCat(
          path, " makes more than ", ClusterModel::kMaxDevices, " devices"));
    }
    const int task = static_cast<int>(model_.tasks_.size()) - 1;
    const int host = model_.tasks_[task].host;
    for (int i = 0; i < count; ++i) {
      const DeviceKind& of = kind->second;
      DeviceModel device{
          .name = absl::StrCat(model_.tasks_[task].name, "/device:", of.type,
                               ":", numbers[of.type]++),
          .type = of.type,
          .kind = name,
          .rates = of.rates,
          .task = task,
          .host = host,
          .memory_bytes =
              of.memory_bytes.value_or(model_.hosts_[host].memory_bytes),
          .streams = of.streams};
      model_.device_index_[device.name] =
          static_cast<int>(model_.devices_.size());
      model_.devices_.push_back(std::move(device));
    }
    has_gpus_.resize(model_.hosts_.size());
    if (kind->second.type == kGpu) has_gpus_[host] = true;
    return absl::OkStatus();
  }

  absl::Status AddLink(const JsonValue& value, const std::string& path) {
    LEAT_ASSIGN_OR_RETURN(
        const JsonFields fields,
        JsonFields::Open(
            value, path,
            {"between", "of", "latency_seconds", "bytes_per_second", "sharing",
             "seconds_per_message", "seconds_per_byte", "note"}));
    LEAT_ASSIGN_OR_RETURN(LinkModel link, ReadLink(fields));
    LEAT_ASSIGN_OR_RETURN(const std::vector<int> hosts, HostsOf(fields));
    const auto index = static_cast<int16_t>(model_.links_.size());
    LEAT_ASSIGN_OR_RETURN(const std::string between, fields.Text("between"));
    bool is_used = false;
    if (between == "hosts") {
      is_used = Connect(hosts, index) || hosts.size() < 2;
    } else if (between == "tasks" || between == "gpus") {
      for (const int host : hosts) {
        ClusterModel::HostLinks& links = model_.host_links_[host];
        int& place = between == "tasks" ? links.tasks : links.gpus;
        if (place != ClusterModel::kNoLink) continue;
        place = index;
        is_used = true;
      }
    } else {
      return fields.Error("between",
                          "must be \"hosts\", \"tasks\" or \"gpus\"");
    }
    if (!is_used) {
      return absl::InvalidArgumentError(absl::StrCat(
          path, " connects nothing that the links before it do not connect"));
    }
    model_.links_.push_back(std::move(link));
    return absl::OkStatus();
  }

  // Returns the hosts of a link: those that "of" names, or all.
  absl::StatusOr<std::vector<int>> HostsOf(const JsonFields& link) const {
    std::vector<int> hosts;
    if (link.Find("of") == nullptr) {
      for (size_t i = 0; i < model_.hosts_.size(); ++i) {
        hosts.push_back(static_cast<int>(i));
      }
      return hosts;
    }
    LEAT_ASSIGN_OR_RETURN(const auto* names, link.Array("of"));
    std::set<int> seen;
    for (size_t i = 0; i < names->size(); ++i) {
      const JsonValue& name = (*names)[i];
      const auto found = host_index_.find(name.text);
      const std::string at = At(link.PathOf("of"), i);
      if (name.kind != JsonValue::Kind::kString || found == host_index_.end()) {
        return absl::InvalidArgumentError(absl::StrCat(
            at, " is ", JsonValueText(name), ", which is no host"));
      }
      if (!seen.insert(found->second).second) {
        return absl::InvalidArgumentError(absl::StrCat(
            at, " is ", JsonValueText(name), ", which stands there twice"));
      }
      hosts.push_back(found->second);
    }
    return hosts;
  }

  // Lets link `index` serve all pairs of `hosts` that have no link. Returns
  // false if there are none.
  bool Connect(const std::vector<int>& hosts, int16_t index) {
    const size_t n = model_.hosts_.size();
    bool is_used = false;
    for (const int a : hosts) {
      for (const int b : hosts) {
        int16_t& place = model_.pair_links_[a * n + b];
        if (a == b || place != ClusterModel::kNoLink) continue;
        place = index;
        is_used = true;
      }
    }
    return is_used;
  }

  // Checks that there is a link wherever a tensor may have to pass.
  absl::Status CheckLinks() const {
    const size_t n = model_.hosts_.size();
    for (size_t a = 0; a < n; ++a) {
      const std::string name = QuotedText(model_.hosts_[a].name);
      if (num_tasks_[a] > 1 && model_.host_links_[a].tasks < 0) {
        return absl::InvalidArgumentError(
            absl::StrCat("links has none between \"tasks\" of host ", name,
                         ", which has ", num_tasks_[a], " tasks"));
      }
      if (a < has_gpus_.size() && has_gpus_[a] &&
          model_.host_links_[a].gpus < 0) {
        return absl::InvalidArgumentError(
            absl::StrCat("links has none between \"gpus\" of host ", name,
                         " and its memory"));
      }
      for (size_t b = a + 1; b < n && num_tasks_[a] > 0; ++b) {
        if (num_tasks_[b] == 0 || model_.pair_links_[a * n + b] >= 0) continue;
        return absl::InvalidArgumentError(
            absl::StrCat("links has none between the \"hosts\" ", name, " and ",
                         QuotedText(model_.hosts_[b].name)));
      }
    }
    return absl::OkStatus();
  }

  ClusterModel model_;
  absl::flat_hash_map<std::string, DeviceKind> kinds_;
  absl::flat_hash_map<std::string, int> host_index_;
  absl::flat_hash_map<std::string, int> num_tasks_of_job_;
  std::vector<int> num_tasks_;  // by host
  std::vector<bool> has_gpus_;  // by host
};

absl::StatusOr<ClusterModel> ClusterModel::FromJson(absl::string_view text,
                                                    absl::string_view source) {
  const absl::StatusOr<ClusterModel> model =
      [&]() -> absl::StatusOr<ClusterModel> {
    LEAT_ASSIGN_OR_RETURN(const JsonValue root, ParseJson(text));
    return ClusterModelReader().Read(root);
  }();
  if (model.ok()) return model;
  return absl::InvalidArgumentError(absl::StrCat(
      "cluster model ", QuotedText(source), ": ", model.status().message()));
}

}  // namespace leat
