// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/partitioner/costs/cost_file.h"

#include <google/protobuf/text_format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "leat/core/files/file_access.h"
#include "leat/core/files/regular_file.h"
#include "leat/core/files/replacement_file.h"
#include "leat/core/quoted_text.h"
#include "leat/core/status_macros.h"
#include "leat/graph/io/message_file.h"
#include "leat/partitioner/costs/cost_key.h"
#include "leat/protos/leat_costs.pb.h"

namespace leat {
namespace {

// Files with another version are refused. The number changes when an old file
// would mislead, such as when keys get another form.
constexpr int kVersion = 1;
constexpr absl::string_view kSuffix = ".costs.pbtxt";

std::string PathIn(const std::string& folder, absl::string_view name) {
  return absl::StrCat(folder, "/", name);
}

bool IsPrintable(absl::string_view text, size_t max_size) {
  return !text.empty() && text.size() <= max_size &&
         std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return absl::ascii_isprint(c); });
}

// Returns why the file cannot be accepted, apart from its entries, or "".
std::string ProblemOf(const pb::DeviceCosts& costs) {
  if (costs.version() != kVersion) {
    return absl::StrCat("has version ", costs.version(), ", and not ",
                        kVersion);
  }
  if (!IsPrintable(costs.device_kind(), kMaxDeviceKind)) {
    return "names no kind of device";
  }
  if (!costs.is_whole()) return "is not whole";
  const auto num_kernels = static_cast<size_t>(costs.kernel_size());
  if (num_kernels > DeviceCosts::kMaxKernels) {
    return absl::StrCat("has ", num_kernels, " kernels, more than ",
                        DeviceCosts::kMaxKernels);
  }
  const auto num_nodes = static_cast<size_t>(costs.node_size());
  if (num_nodes > DeviceCosts::kMaxNodes) {
    return absl::StrCat("has ", num_nodes, " nodes, more than ",
                        DeviceCosts::kMaxNodes);
  }
  return "";
}

// Returns why the entry cannot be accepted, or "".
std::string ProblemOf(const pb::KernelTimes& kernel) {
  if (!IsPrintable(kernel.key(), kMaxCostKey)) {
    return "has a key that is empty, too long or not printable";
  }
  const size_t num_times = static_cast<size_t>(kernel.seconds_size());
  if (num_times == 0 || num_times > TimeSample::kMaxTimes) {
    return absl::StrCat("has ", num_times, " times of ",
                        QuotedText(kernel.key()), ", and not 1 to ",
                        TimeSample::kMaxTimes);
  }
  for (const float seconds : kernel.seconds()) {
    if (seconds >= 0 && seconds <= DeviceCosts::kMaxSeconds) continue;
    return absl::StrCat("says that ", QuotedText(kernel.key()), " took ",
                        seconds, " s; a time is between 0 and ",
                        DeviceCosts::kMaxSeconds, " s");
  }
  return "";
}

std::string ProblemOf(const pb::NodeRuns& node) {
  if (!IsPrintable(node.name(), DeviceCosts::kMaxName)) {
    return "has a name of a node that is empty, too long or not printable";
  }
  if (static_cast<size_t>(node.output_bytes_size()) >
      DeviceCosts::kMaxOutputs) {
    return absl::StrCat("has ", node.output_bytes_size(),
                        " outputs of the node ", QuotedText(node.name()),
                        ", more than ", DeviceCosts::kMaxOutputs);
  }
  if (node.steps() > 0 && node.steps() < 1) {
    return absl::StrCat("has ", node.steps(), " steps of the node ",
                        QuotedText(node.name()), "; the least number is 1");
  }
  std::vector<double> numbers = {node.steps(), node.runs()};
  numbers.insert(numbers.end(), node.output_bytes().begin(),
                 node.output_bytes().end());
  for (const double number : numbers) {
    if (number >= 0 && number <= DeviceCosts::kMaxCount) continue;
    return absl::StrCat("has the number ", number, " for the node ",
                        QuotedText(node.name()), "; a number is between 0 and ",
                        DeviceCosts::kMaxCount);
  }
  return "";
}

// Adds the entries of a file to `costs`. Returns why they cannot be accepted,
// or "".
std::string AddEntries(const pb::DeviceCosts& message, DeviceCosts& costs) {
  for (const pb::KernelTimes& kernel : message.kernel()) {
    std::string problem = ProblemOf(kernel);
    if (!problem.empty()) return problem;
    for (const float time : kernel.seconds()) costs.AddTime(kernel.key(), time);
  }
  for (const pb::NodeRuns& node : message.node()) {
    std::string problem = ProblemOf(node);
    if (!problem.empty()) return problem;
    costs.AddRuns({.name = node.name(),
                   .steps = node.steps(),
                   .runs = node.runs(),
                   .output_bytes = {node.output_bytes().begin(),
                                    node.output_bytes().end()}});
  }
  return "";
}

// Limits the messages in a file before it is parsed, because a small message
// takes much more memory than text. A key or a name may look like the beginning
// of a few messages.
constexpr size_t kMaxMessages =
    4 * (DeviceCosts::kMaxKernels + DeviceCosts::kMaxNodes);

absl::StatusOr<pb::DeviceCosts> ParseMessage(const std::string& path,
                                             const std::string& text) {
  const auto num_messages = std::count_if(
      text.begin(), text.end(), [](char c) { return c == '{' || c == '<'; });
  if (static_cast<size_t>(num_messages) > kMaxMessages) {
    return FileError(path, "has too many entries");
  }
  pb::DeviceCosts message;
  if (const std::optional<TextError> error = ParseText(text, message)) {
    return FileError(path,
                     absl::StrCat("does not hold costs: ", error->message));
  }
  const std::string problem = ProblemOf(message);
  if (!problem.empty()) return FileError(path, problem);
  return message;
}

// Reads a file and parses it. Returns NOT_FOUND if there is no such file.
absl::StatusOr<pb::DeviceCosts> ReadMessage(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_symlink(path, error)) {
    return FileError(path, "is a link; a cost file must be a regular file");
  }
  absl::StatusOr<std::string> text = ReadRegularFile(path, kMaxCostFile);
  if (absl::IsResourceExhausted(text.status())) {
    return absl::InvalidArgumentError(text.status().message());
  }
  LEAT_RETURN_IF_ERROR(text.status());
  return ParseMessage(path, *text);
}

absl::StatusOr<DeviceCosts> CostsOf(const std::string& path,
                                    const pb::DeviceCosts& message) {
  DeviceCosts costs;
  const std::string problem = AddEntries(message, costs);
  if (!problem.empty()) return FileError(path, problem);
  return costs;
}

absl::Status CheckKind(const std::string& path, const pb::DeviceCosts& message,
                       absl::string_view device_kind) {
  if (message.device_kind() == device_kind) return absl::OkStatus();
  return FileError(path, absl::StrCat("has the costs of another kind of "
                                      "device, ",
                                      QuotedText(message.device_kind())));
}

}  // namespace

std::string CostFileName(absl::string_view device_kind) {
  std::string name(device_kind.substr(0, kMaxDeviceKind));
  for (char& c : name) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) && c != '.') {
      c = '_';
    }
  }
  return absl::StrCat(name, kSuffix);
}

absl::StatusOr<DeviceCosts> ParseCosts(const std::string& path,
                                       const std::string& text,
                                       absl::string_view device_kind) {
  LEAT_ASSIGN_OR_RETURN(const pb::DeviceCosts message,
                        ParseMessage(path, text));
  LEAT_RETURN_IF_ERROR(CheckKind(path, message, device_kind));
  return CostsOf(path, message);
}

std::string CostsText(absl::string_view device_kind, const DeviceCosts& costs) {
  pb::DeviceCosts message;
  message.set_version(kVersion);
  message.set_device_kind(std::string(device_kind));
  for (const auto& [key, sample] : costs.kernels()) {
    pb::KernelTimes& kernel = *message.add_kernel();
    kernel.set_key(key);
    const absl::Span<const float> times = sample.times();
    kernel.mutable_seconds()->Add(times.begin(), times.end());
    std::sort(kernel.mutable_seconds()->begin(),
              kernel.mutable_seconds()->end());
  }
  for (const auto& [name, runs] : costs.nodes()) {
    pb::NodeRuns& node = *message.add_node();
    node.set_name(name);
    node.set_steps(runs.steps);
    node.set_runs(runs.runs);
    node.mutable_output_bytes()->Add(runs.output_bytes.begin(),
                                     runs.output_bytes.end());
  }
  message.set_is_whole(true);
  google::protobuf::TextFormat::Printer printer;
  printer.SetUseShortRepeatedPrimitives(true);
  std::string text;
  printer.PrintToString(message, &text);
  return text;
}

absl::Status ReadCosts(const std::string& folder, CostTable& table) {
  LEAT_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                        FileAccess::Unrestricted().List(folder));
  size_t num_files = 0;
  for (const std::string& name : names) {
    if (!absl::EndsWith(name, kSuffix)) continue;
    if (++num_files > CostTable::kMaxKinds) {
      return absl::InvalidArgumentError(
          absl::StrCat("folder '", folder, "' has more than ",
                       CostTable::kMaxKinds, " cost files"));
    }
    const std::string path = PathIn(folder, name);
    LEAT_ASSIGN_OR_RETURN(const pb::DeviceCosts message, ReadMessage(path));
    if (name != CostFileName(message.device_kind())) {
      return CheckKind(path, message, /*device_kind=*/"");
    }
    LEAT_ASSIGN_OR_RETURN(const DeviceCosts costs, CostsOf(path, message));
    table.Update(message.device_kind(),
                 [&](DeviceCosts& known) { known.AddUnknown(costs); });
  }
  return absl::OkStatus();
}

absl::Status WriteCosts(const std::string& folder,
                        absl::string_view device_kind, DeviceCosts costs) {
  const std::string path = PathIn(folder, CostFileName(device_kind));
  const absl::StatusOr<pb::DeviceCosts> old = ReadMessage(path);
  if (old.ok()) {
    LEAT_RETURN_IF_ERROR(CheckKind(path, *old, device_kind));
    LEAT_ASSIGN_OR_RETURN(const DeviceCosts others, CostsOf(path, *old));
    costs.AddUnknown(others);
  } else if (!absl::IsNotFound(old.status())) {
    return old.status();
  }
  LEAT_ASSIGN_OR_RETURN(
      ReplacementFile file,
      ReplacementFile::Create(FileAccess::Unrestricted(), path));
  LEAT_RETURN_IF_ERROR(file.Append(CostsText(device_kind, costs)));
  return file.Commit();
}

}  // namespace leat
