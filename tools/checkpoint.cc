// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/checkpoint.h"

#include "CLI/App.hpp"
#include "CLI/Config.hpp"
#include "CLI/Formatter.hpp"
#include "absl/strings/str_cat.h"
#include "leat/checkpoint/bundle_reader.h"
#include "leat/core/bytes_text.h"
#include "leat/core/escaped_text.h"
#include "leat/core/status_macros.h"
#include "leat/tools/dumps/table.h"
#include "leat/tools/program.h"
#include "leat/tools/tensors/checkpoint_checks.h"
#include "leat/tools/tensors/checkpoint_list.h"
#include "leat/tools/tensors/tensor_json.h"
#include "nlohmann/json.hpp"

namespace leat {
namespace {

using Json = nlohmann::ordered_json;
using Row = std::vector<Cell>;

constexpr char kCheckpointFooter[] =
    "A PREFIX is the name of a checkpoint, such as models/model.ckpt-1000. "
    "Exit codes: 0, 1 when a checkpoint cannot be read or is damaged, 2 for "
    "wrong flags, 3 for a wrong --config file. diff ends with 1 when the "
    "checkpoints differ, and with 2 when one cannot be read.";

// Adds a command whose arguments are paths.
CLI::App* AddCommand(CLI::App& app, CheckpointOptions& options,
                     const std::string& name, const std::string& description) {
  CLI::App* const command = app.add_subcommand(name, description);
  command->footer(kCheckpointFooter);
  command->add_flag("--json", options.json, "Print JSON");
  command->callback([&options, name] { options.command = name; });
  return command;
}

// Adds an argument that is one path.
void AddPath(CLI::App& command, CheckpointOptions& options,
             const std::string& name, const std::string& description) {
  command
      .add_option_function<std::string>(
          name, [&options](const std::string& path) { options.paths = {path}; },
          description)
      ->required();
}

std::string Text(const Json& json) { return json.get<std::string>(); }

// Returns a cell with a number and a unit.
Cell Count(const Json& number, const char* unit) {
  return Cell::Number(absl::StrCat(number.get<int64_t>(), " ", unit));
}

Cell Bytes(const Json& json) {
  return Cell::Number(BytesText(json["bytes"].get<int64_t>()));
}

std::string ShapeText(const Json& shape) { return shape.dump(); }

Row TensorRow(const Json& tensor) {
  const auto parts = tensor["parts"].get<int64_t>();
  return {Cell(Text(tensor["name"]), Style::kName), Cell(Text(tensor["dtype"])),
          Cell(ShapeText(tensor["shape"])), Bytes(tensor),
          Cell(parts == 0 ? "" : absl::StrCat(parts, " parts"), Style::kFaint)};
}

Row CheckpointRow(const Json& listed) {
  const std::string error = Text(listed["error"]);
  const bool is_latest = listed["latest"];
  return {Cell(Text(listed["prefix"]), Style::kName),
          Count(listed["tensors"], "tensors"), Bytes(listed),
          error.empty() ? Cell(is_latest ? "latest" : "", Style::kFaint)
                        : Cell(error, Style::kAlarm)};
}

Row VerifiedRow(const Json& verified) {
  return {Cell(Text(verified["prefix"]), Style::kName),
          Count(verified["tensors"], "tensors"), Bytes(verified),
          verified["errors"].empty() ? Cell("whole", Style::kFaint)
                                     : Cell("damaged", Style::kAlarm)};
}

Row DifferenceRow(const Json& difference) {
  std::string text;
  if (difference.contains("only_in")) {
    text = absl::StrCat("only in ", Text(difference["only_in"]));
  } else if (difference.contains("dtypes")) {
    const Json& dtypes = difference["dtypes"];
    const Json& shapes = difference["shapes"];
    text = absl::StrCat(Text(dtypes[0]), ShapeText(shapes[0]), " and ",
                        Text(dtypes[1]), ShapeText(shapes[1]));
  } else {
    text =
        absl::StrCat(difference["different"].get<int64_t>(), " of ",
                     difference["elements"].get<int64_t>(), " elements differ");
    if (difference.contains("greatest")) {
      const Json& greatest = difference["greatest"];
      absl::StrAppend(&text, ", at most by ",
                      greatest.is_string()
                          ? Text(greatest)
                          : absl::StrCat(greatest.get<double>()));
    }
  }
  return {Cell(Text(difference["name"]), Style::kName), Cell(text)};
}

// Returns the text of `json` if `is_json` is true. Otherwise returns a table of
// `rows`, which have the same contents.
std::string ToText(const Json& json, const std::vector<Row>& rows, bool is_json,
                   bool color) {
  return is_json
             ? json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n"
             : FormatTable(rows, {.color = color, .indent = 0});
}

absl::StatusOr<std::string> List(const std::string& path, bool is_json,
                                 bool color) {
  const FileAccess files = FileAccess::Unrestricted();
  Json json;
  std::vector<Row> rows;
  const auto reader = BundleReader::Open(files, path);
  if (reader.ok()) {
    LEAT_ASSIGN_OR_RETURN(json, ListTensors(**reader));
    for (const Json& tensor : json["tensors"])
      rows.push_back(TensorRow(tensor));
  } else if (absl::IsNotFound(reader.status()) && files.List(path).ok()) {
    LEAT_ASSIGN_OR_RETURN(json, ListFolder(files, path));
    for (const Json& listed : json) rows.push_back(CheckpointRow(listed));
  } else {
    return reader.status();
  }
  return ToText(json, rows, is_json, color);
}

absl::StatusOr<std::string> Show(const CheckpointOptions& options, bool color) {
  LEAT_ASSIGN_OR_RETURN(
      const auto reader,
      BundleReader::Open(FileAccess::Unrestricted(), options.paths[0]));
  LEAT_ASSIGN_OR_RETURN(const Tensor tensor,
                        reader->Read(options.tensor, HostAllocator()));
  if (!options.json) {
    return absl::StrCat(
        Styled(Escaped(options.tensor), Style::kName, color), " ",
        EscapedLines(tensor.DebugString(static_cast<int>(options.limit))),
        "\n");
  }
  return ToText({{"name", options.tensor},
                 {"dtype", Name(tensor.dtype())},
                 {"shape", ShapeJson(tensor.shape())},
                 {"values", ValuesJson(tensor, options.limit)}},
                {}, /*is_json=*/true, color);
}

CheckpointReport Verify(const CheckpointOptions& options, bool color) {
  CheckpointReport report;
  Json json = Json::array();
  std::vector<Row> rows;
  for (const std::string& prefix : options.paths) {
    json.push_back(VerifyCheckpoint(FileAccess::Unrestricted(), prefix));
    rows.push_back(VerifiedRow(json.back()));
    for (const Json& error : json.back()["errors"]) {
      report.is_good = false;
      rows.push_back({Cell(Text(error))});
    }
  }
  report.text = ToText(json, rows, options.json, color);
  return report;
}

absl::StatusOr<CheckpointReport> Diff(const CheckpointOptions& options,
                                      bool color) {
  LEAT_ASSIGN_OR_RETURN(const Json json,
                        DiffCheckpoints(FileAccess::Unrestricted(),
                                        options.paths[0], options.paths[1]));
  std::vector<Row> rows;
  for (const Json& difference : json) rows.push_back(DifferenceRow(difference));
  return CheckpointReport{ToText(json, rows, options.json, color),
                          json.empty()};
}

}  // namespace

void AddCheckpoint(CLI::App& app, CheckpointOptions& options) {
  CLI::App* const checkpoint = app.add_subcommand(
      "checkpoint", "Lists, shows, verifies and compares checkpoints");
  checkpoint->footer(kCheckpointFooter);
  checkpoint->require_subcommand(1);
  CLI::App* const ls =
      AddCommand(*checkpoint, options, "ls",
                 "Lists the tensors of a checkpoint, or the checkpoints in a "
                 "folder");
  AddPath(*ls, options, "PREFIX_OR_FOLDER", "What to list");
  CLI::App* const show =
      AddCommand(*checkpoint, options, "show", "Shows the values of a tensor");
  AddPath(*show, options, "PREFIX", "The checkpoint");
  show->add_option("TENSOR", options.tensor, "The name of the tensor")
      ->required();
  show->add_option("--limit", options.limit, "Show this many values at most")
      ->check(IntegerFrom(0, int64_t{1} << 30))
      ->capture_default_str();
  CLI::App* const verify = AddCommand(*checkpoint, options, "verify",
                                      "Checks every checksum of checkpoints");
  verify->add_option("PREFIX", options.paths, "The checkpoints")->required();
  CLI::App* const diff =
      AddCommand(*checkpoint, options, "diff",
                 "Says which tensors differ in two checkpoints");
  diff->add_option("PREFIX", options.paths, "The two checkpoints")
      ->required()
      ->expected(2);
}

absl::StatusOr<CheckpointReport> MakeCheckpointReport(
    const CheckpointOptions& options, bool color) {
  if (options.command == "verify") return Verify(options, color);
  if (options.command == "diff") return Diff(options, color);
  CheckpointReport report;
  if (options.command == "ls") {
    LEAT_ASSIGN_OR_RETURN(report.text,
                          List(options.paths[0], options.json, color));
  } else {
    LEAT_ASSIGN_OR_RETURN(report.text, Show(options, color));
  }
  return report;
}

int RunCheckpoint(const CheckpointOptions& options, const Log& log) {
  const auto report = MakeCheckpointReport(options, WantsColor());
  if (!report.ok()) {
    // If the command `diff` fails, the code is kExitUsage, because kExitError
    // says that the checkpoints differ, as for diff(1).
    const bool is_diff = options.command == "diff";
    return Report(log, report.status(), is_diff ? kExitUsage : kExitError);
  }
  const int code = Print(log, report->text);
  return code == kExitOk && !report->is_good ? kExitError : code;
}

}  // namespace leat
