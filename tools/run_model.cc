// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/run_model.h"

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/graph/graph_file.h"
#include "leat/graph/op_registry.h"
#include "leat/tools/graph_stages.h"
#include "leat/tools/npy.h"

namespace leat {
namespace {

// "y=@y.npy" or "y".
struct NameAndFile {
  std::string name = {};
  std::string file = {};
};

absl::StatusOr<NameAndFile> ParseNameAndFile(const std::string& text,
                                             bool needs_file) {
  // Names of tensors contain no '='.
  const size_t split = text.find('=');
  const bool has_file =
      split != text.npos && text.size() > split + 2 && text[split + 1] == '@';
  if (split == 0 || text.empty() || (split != text.npos && !has_file) ||
      (needs_file && !has_file)) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", text, "' is not of the form NAME=@FILE.npy"));
  }
  if (!has_file) return NameAndFile{.name = text};
  return NameAndFile{.name = text.substr(0, split),
                     .file = text.substr(split + 2)};
}

std::vector<TensorName> TensorNames(const std::vector<std::string>& texts) {
  return {texts.begin(), texts.end()};
}

struct Inputs {
  std::vector<std::string> names = {};
  std::vector<Tensor> values = {};
};

absl::StatusOr<Inputs> ReadFeeds(const std::vector<std::string>& feeds) {
  Inputs inputs;
  for (const std::string& feed : feeds) {
    LEAT_ASSIGN_OR_RETURN(NameAndFile parsed, ParseNameAndFile(feed, true));
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

}  // namespace

absl::StatusOr<RunModelResult> RunModel(const RunModelOptions& options,
                                        TraceRecorder* recorder) {
  std::vector<NameAndFile> wanted;
  std::vector<std::string> names;
  for (const std::string& fetch : options.fetches) {
    LEAT_ASSIGN_OR_RETURN(NameAndFile parsed, ParseNameAndFile(fetch, false));
    names.push_back(parsed.name);
    wanted.push_back(std::move(parsed));
  }
  LEAT_ASSIGN_OR_RETURN(const Inputs inputs, ReadFeeds(options.feeds));
  LEAT_ASSIGN_OR_RETURN(const Graph graph,
                        LoadGraph(options.model, BuiltinOps()));
  LEAT_ASSIGN_OR_RETURN(const std::shared_ptr<Session> session,
                        NewSession(graph, options.session));
  LEAT_RETURN_IF_ERROR(RunInit(*session, options));
  const StepSignature signature = MakeSignature(graph, inputs.names, names);
  CallableArgs args;
  args.feeds = TensorNames(signature.feeds);
  args.fetches = TensorNames(signature.fetches);
  args.targets = TensorNames(signature.targets);
  args.options.timeout = options.timeout;
  args.options.observer = recorder;
  LEAT_ASSIGN_OR_RETURN(const Callable step, session->MakeCallable(args));
  RunModelResult result;
  std::vector<Tensor> values;
  for (; result.steps < options.steps; ++result.steps) {
    const auto started = TraceRecorder::Clock::now();
    LEAT_ASSIGN_OR_RETURN(values, step(inputs.values));
    const auto ended = TraceRecorder::Clock::now();
    result.step_time += ended - started;
    if (recorder != nullptr) recorder->OnStep(result.steps, started, ended);
  }
  // Targets, which have no value, stand between the fetches.
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
  return result;
}

}  // namespace leat
