// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/plan_dump.h"

#include <fcntl.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/text_format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "leat/core/devices/device_name.h"
#include "leat/core/files/output_file.h"
#include "leat/core/files/system_error.h"
#include "leat/core/status_macros.h"
#include "leat/protos/graph.pb.h"
#include "leat/tools/dumps/dump.h"
#include "leat/tools/dumps/dump_text.h"
#include "leat/tools/dumps/graph_stages.h"

namespace leat {
namespace {

constexpr size_t kSessionChars = 8;
constexpr mode_t kFolderMode = 0700;
constexpr mode_t kFileMode = 0600;

// Replaces all characters except letters, digits, '_' and '-'. The result is a
// valid file name everywhere and does not lead to another folder.
std::string FileName(absl::string_view text) {
  std::string name(text);
  for (char& c : name) {
    if (!absl::ascii_isalnum(c) && c != '-') c = '_';
  }
  return name.empty() ? "_" : name;
}

// Returns "ps-0" for "/job:ps/replica:0/task:0".
std::string TaskFileName(const std::string& task) {
  const absl::StatusOr<DeviceName> name = DeviceName::Parse(task);
  if (!name.ok() || !name->job.has_value() || !name->task.has_value()) {
    return FileName(task);
  }
  return FileName(absl::StrCat(*name->job, "-", *name->task));
}

absl::Status CannotWrite(const std::string& path) {
  return SystemError(path, "cannot write");
}

// A File is a file that is open for writing. If the file cannot be opened, the
// first write reports the error.
class File {
 public:
  // `flags` are flags of open() in addition to those below. Symbolic links are
  // not followed, because anybody may be able to write in the folder.
  File(std::string path, int flags)
      : path_(std::move(path)),
        descriptor_(open(path_.c_str(),
                         O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | flags,
                         kFileMode)) {}
  ~File() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  absl::Status Write(absl::string_view text) {
    if (descriptor_ < 0) return CannotWrite(path_);
    return WriteAll(descriptor_, path_, text);
  }

  // Writes the graph piece by piece, because the text of a graph may take
  // several times as much memory as the graph.
  absl::Status Print(const pb::GraphDef& graph) {
    if (descriptor_ < 0) return CannotWrite(path_);
    google::protobuf::io::FileOutputStream stream(descriptor_);
    const bool done = google::protobuf::TextFormat::Print(graph, &stream);
    if (done && stream.Flush()) return absl::OkStatus();
    errno = stream.GetErrno();
    return CannotWrite(path_);
  }

 private:
  const std::string path_;
  const int descriptor_;
};

// Returns the whole graph with the shapes of its feeds in the attrs of the _Arg
// nodes, where the shape function of _Arg looks for them.
Graph WithFeedShapes(const StepPlan& plan) {
  Graph graph = *plan.whole;
  for (const NodeId id : graph.NodeIds()) {
    if (graph.node(id).op() != "_Arg") continue;
    const auto position = graph.node(id).attrs().Get<int64_t>("index");
    if (!position.ok() || *position < 0 ||
        *position >= static_cast<int64_t>(plan.feed_shapes.size())) {
      continue;
    }
    auto def = std::make_shared<NodeDef>(*graph.node(id).def);
    def->attrs.Set("_output_shapes",
                   std::vector<PartialShape>{
                       plan.feed_shapes[static_cast<size_t>(*position)]});
    graph.Replace(id, std::move(def));
  }
  return graph;
}

}  // namespace

absl::Status PlanDump::CheckFolder(const std::string& folder) {
  struct stat info;
  if (stat(folder.c_str(), &info) != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the folder '", folder, "' cannot be used: ", std::strerror(errno)));
  }
  if (!S_ISDIR(info.st_mode)) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", folder, "' is not a folder"));
  }
  // Permissions alone are not enough: the file system may be full or read-only.
  std::string probe = absl::StrCat(folder, "/.leat-XXXXXX");
  if (mkdtemp(probe.data()) == nullptr || rmdir(probe.c_str()) != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("no file can be written in the folder '", folder,
                     "': ", std::strerror(errno)));
  }
  return absl::OkStatus();
}

void PlanDump::OnPlan(const PlanView& view) {
  int64_t number = 0;
  {
    MutexLock lock(mutex_);
    if (num_plans_ == max_plans_) {
      if (std::exchange(is_full_, true)) return;
      return log_.Warning(
          absl::StrCat("'", folder_, "' has ", max_plans_,
                       " plans; no more are written (--max-dumped-plans)"));
    }
    number = num_plans_++;
  }
  const absl::Status status = Write(number, view);
  if (status.ok()) return;
  MutexLock lock(mutex_);
  if (std::exchange(has_failed_, true)) return;
  log_.Warning(
      absl::StrCat(status.message(), "; plans are missing in '", folder_, "'"));
}

absl::Status PlanDump::Write(int64_t number, const PlanView& view) {
  const std::string folder = absl::StrCat(
      folder_, "/", FileName(view.session.substr(0, kSessionChars)));
  if (mkdir(folder.c_str(), kFolderMode) != 0 && errno != EEXIST) {
    return CannotWrite(folder);
  }
  for (size_t i = 0; i < view.graphs.size(); ++i) {
    const std::string task = TaskFileName(view.plan->partitions[i].name);
    File file(absl::StrCat(folder, "/", number, "-", task, ".pbtxt"), O_EXCL);
    LEAT_RETURN_IF_ERROR(file.Print(*view.graphs[i]));
  }
  const std::string text = TextOf(number, view);
  MutexLock lock(mutex_);
  return File(absl::StrCat(folder, "/plan.txt"), O_APPEND).Write(text);
}

std::string PlanDump::TextOf(int64_t number, const PlanView& view) {
  const StepPlan& plan = *view.plan;
  const StagedGraph staged{.whole = WithFeedShapes(plan),
                           .parts = plan.partitions};
  StageOptions options;
  options.signature = plan.signature;
  const Graph client(staged.whole.ops());  // `staged` has the shapes of feeds
  const Dump dump =
      MakeDump(client, staged, options, absl::StrCat("plan ", number));
  return absl::StrCat(DumpToText(dump), "\n");
}

}  // namespace leat
