// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/run_model.h"

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "leat/core/status_macros.h"
#include "leat/graph/io/graph_file.h"
#include "leat/graph/op_registry.h"
#include "leat/protos/config.pb.h"
#include "leat/tools/graph_stages.h"
#include "leat/tools/npy.h"

namespace leat {
namespace {

constexpr absl::string_view kFeed = "--feed";
constexpr absl::string_view kFetch = "--fetch";

// The parts of "y=@y.npy", or "y" without a file.
struct NameAndFile {
  std::string name = {};
  std::string file = {};
};

// Parses the value of `flag`, --feed or --fetch. The former needs a file.
absl::StatusOr<NameAndFile> ParseNameAndFile(absl::string_view flag,
                                             const std::string& text) {
  const bool needs_file = flag == kFeed;
  // The names of tensors do not contain '='.
  const size_t split = text.find('=');
  const bool has_file =
      split != text.npos && text.size() > split + 2 && text[split + 1] == '@';
  if (split == 0 || text.empty() || (split != text.npos && !has_file) ||
      (needs_file && !has_file)) {
    return absl::InvalidArgumentError(
        absl::StrCat(flag, " '", text, "' is not of the form ",
                     needs_file ? "" : "NAME or ", "NAME=@FILE.npy"));
  }
  if (!has_file) return NameAndFile{.name = text};
  return NameAndFile{.name = text.substr(0, split),
                     .file = text.substr(split + 2)};
}

std::vector<TensorName> TensorNames(const std::vector<std::string>& texts) {
  return {texts.begin(), texts.end()};
}

void Info(const RunModelRecords& records, absl::string_view message) {
  if (records.log != nullptr) records.log->Info(message);
}

struct Inputs {
  std::vector<std::string> names = {};
  std::vector<Tensor> values = {};
};

absl::StatusOr<Inputs> ReadFeeds(const std::vector<std::string>& feeds) {
  Inputs inputs;
  for (const std::string& feed : feeds) {
    LEAT_ASSIGN_OR_RETURN(NameAndFile parsed, ParseNameAndFile(kFeed, feed));
    LEAT_ASSIGN_OR_RETURN(Tensor value, ReadNpy(parsed.file));
    inputs.names.push_back(std::move(parsed.name));
    inputs.values.push_back(std::move(value));
  }
  return inputs;
}

absl::Status RunInit(Session& session, const RunModelOptions& options) {
  if (options.init.empty()) return absl::OkStatus();
  RunArgs args;
  args.targets = TensorNames(options.init);
  args.options.timeout = options.timeout;
  return session.Run(args).status();
}

absl::StatusOr<Callable> MakeStep(Session& session,
                                  const StepSignature& signature,
                                  const RunModelOptions& options,
                                  const RunModelRecords& records) {
  CallableArgs args;
  args.feeds = TensorNames(signature.feeds);
  args.fetches = TensorNames(signature.fetches);
  args.targets = TensorNames(signature.targets);
  args.options.timeout = options.timeout;
  if (records.trace != nullptr || records.metadata != nullptr) {
    args.options.trace_level = TraceLevel::kFull;
  }
  args.options.output_partition_graphs = records.metadata != nullptr;
  return session.MakeCallable(args);
}

// Takes the fetched values. Between the fetches of the command line there may
// be targets, which have no value.
absl::Status TakeFetches(const std::vector<NameAndFile>& wanted,
                         const StepSignature& signature,
                         const std::vector<Tensor>& values,
                         RunModelResult& result) {
  size_t next = 0;
  for (const NameAndFile& fetch : wanted) {
    if (next == values.size()) break;
    if (fetch.name != signature.fetches[next]) continue;
    if (fetch.file.empty()) {
      result.fetched.emplace_back(fetch.name, values[next]);
    } else {
      LEAT_RETURN_IF_ERROR(WriteNpy(values[next], fetch.file));
    }
    ++next;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<RunModelResult> RunModel(const RunModelOptions& options,
                                        const RunModelRecords& records) {
  std::vector<NameAndFile> wanted;
  std::vector<std::string> names;
  for (const std::string& fetch : options.fetches) {
    LEAT_ASSIGN_OR_RETURN(NameAndFile parsed, ParseNameAndFile(kFetch, fetch));
    names.push_back(parsed.name);
    wanted.push_back(std::move(parsed));
  }
  LEAT_ASSIGN_OR_RETURN(const Inputs inputs, ReadFeeds(options.feeds));
  LEAT_ASSIGN_OR_RETURN(const Graph graph,
                        LoadGraph(options.model, BuiltinOps()));
  const StepSignature signature = MakeSignature(graph, inputs.names, names);
  LEAT_RETURN_IF_ERROR(CheckHasWork(graph, signature, options.model));
  Info(records, absl::StrCat("loaded '", options.model,
                             "': ", graph.NodeIds().size(), " nodes"));
  LEAT_ASSIGN_OR_RETURN(const std::shared_ptr<Session> session,
                        NewSession(graph, options.session));
  Info(records,
       absl::StrCat("made a session on ", options.session.target.text.empty()
                                              ? options.session.devices
                                              : options.session.target.text));
  LEAT_RETURN_IF_ERROR(RunInit(*session, options));
  LEAT_ASSIGN_OR_RETURN(const Callable step,
                        MakeStep(*session, signature, options, records));
  using Clock = std::chrono::steady_clock;
  const bool records_any =
      records.trace != nullptr || records.metadata != nullptr;
  RunModelResult result;
  std::vector<Tensor> values;
  pb::RunMetadata metadata;
  for (; result.steps < options.steps; ++result.steps) {
    const Clock::time_point started = Clock::now();
    LEAT_ASSIGN_OR_RETURN(
        values, step(inputs.values, records_any ? &metadata : nullptr));
    // Recording a step takes about as long as running it, so that time is left
    // out.
    result.step_time += records_any ? DurationOf(metadata.step_stats())
                                    : Clock::now() - started;
    if (records.trace != nullptr) {
      records.trace->AddStep(metadata.step_stats());
    }
  }
  Info(records,
       absl::StrCat("ran ", result.steps, " steps in ",
                    absl::FormatDuration(absl::FromChrono(result.step_time))));
  if (records.metadata != nullptr) *records.metadata = std::move(metadata);
  LEAT_RETURN_IF_ERROR(TakeFetches(wanted, signature, values, result));
  return result;
}

}  // namespace leat
