// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/train/summary_writer.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/files/file_access.h"
#include "leat/core/status_macros.h"
#include "leat/graph/io/graph_def.h"
#include "leat/protos/config.pb.h"
#include "leat/protos/event.pb.h"
#include "leat/protos/graph.pb.h"
#include "leat/summary/event_writer.h"
#include "leat/summary/values.h"

namespace leat {
namespace {

constexpr uint8_t kRed[] = {255, 0, 0, 255};

}  // namespace

absl::StatusOr<std::unique_ptr<SummaryWriter>> SummaryWriter::Create(
    const std::string& folder, const SummaryWriterOptions& options) {
  LEAT_ASSIGN_OR_RETURN(
      auto events, EventWriter::Create(FileAccess::Unrestricted(), folder,
                                       {.suffix = options.suffix,
                                        .max_queue = options.max_queue,
                                        .flush_every = options.flush_every}));
  return std::unique_ptr<SummaryWriter>(new SummaryWriter(std::move(events)));
}

SummaryWriter::SummaryWriter(std::unique_ptr<EventWriter> events)
    : events_(std::move(events)) {}

SummaryWriter::~SummaryWriter() = default;

const std::string& SummaryWriter::path() const { return events_->path(); }

absl::Status SummaryWriter::AddScalar(const std::string& tag, double value,
                                      int64_t step) {
  pb::Event event = NewEvent(step);
  leat::AddScalar(tag, Tensor::Scalar(value), 0, *event.mutable_summary());
  return events_->Write(event);
}

absl::Status SummaryWriter::AddHistogram(const std::string& tag,
                                         const Tensor& values, int64_t step) {
  if (!(kNumbers + kBoolOnly).Contains(values.dtype())) {
    return absl::InvalidArgumentError(
        absl::StrCat("a histogram of ", Name(values.dtype()), ": ", tag));
  }
  pb::Event event = NewEvent(step);
  LEAT_RETURN_IF_ERROR(
      leat::AddHistogram(tag, values, tag, *event.mutable_summary()));
  return events_->Write(event);
}

absl::Status SummaryWriter::AddImages(const std::string& tag,
                                      const Tensor& images, int64_t step,
                                      int64_t max_images) {
  pb::Event event = NewEvent(step);
  LEAT_RETURN_IF_ERROR(leat::AddImages(
      tag, images, {.max_images = max_images, .bad_color = kRed},
      *event.mutable_summary()));
  return events_->Write(event);
}

absl::Status SummaryWriter::AddAudio(const std::string& tag,
                                     const Tensor& sounds, float sample_rate,
                                     int64_t step, int64_t max_outputs) {
  pb::Event event = NewEvent(step);
  LEAT_RETURN_IF_ERROR(leat::AddAudio(tag, sounds, sample_rate, max_outputs,
                                      *event.mutable_summary()));
  return events_->Write(event);
}

absl::Status SummaryWriter::AddText(const std::string& tag,
                                    const std::string& text, int64_t step) {
  pb::Event event = NewEvent(step);
  LEAT_ASSIGN_OR_RETURN(
      pb::Summary::Value* const value,
      leat::AddTensor(Tensor::Scalar(text), *event.mutable_summary()));
  value->set_tag(tag);
  value->mutable_metadata()->mutable_plugin_data()->set_plugin_name("text");
  return events_->Write(event);
}

absl::Status SummaryWriter::AddTensor(const std::string& tag,
                                      const Tensor& tensor, int64_t step) {
  pb::Event event = NewEvent(step);
  LEAT_ASSIGN_OR_RETURN(pb::Summary::Value* const value,
                        leat::AddTensor(tensor, *event.mutable_summary()));
  value->set_tag(tag);
  return events_->Write(event);
}

absl::Status SummaryWriter::AddSummary(const Tensor& summary, int64_t step) {
  LEAT_ASSIGN_OR_RETURN(const std::string bytes,
                        GetScalar<std::string>(summary, "summary"));
  pb::Event event = NewEvent(step);
  if (!ParseBounded(bytes, *event.mutable_summary())) {
    return absl::InvalidArgumentError(
        absl::StrCat("a string of ", bytes.size(), " bytes is not a summary"));
  }
  return events_->Write(event);
}

absl::Status SummaryWriter::AddGraph(const Graph& graph) {
  pb::GraphDef graph_def;
  LEAT_RETURN_IF_ERROR(ExportGraphDef(graph, graph_def));
  pb::Event event = NewEvent(/*step=*/0);
  LEAT_ASSIGN_OR_RETURN(*event.mutable_graph_def(),
                        SerializeBounded(graph_def));
  return events_->Write(event);
}

absl::Status SummaryWriter::AddRunMetadata(const std::string& tag,
                                           const pb::RunMetadata& metadata,
                                           int64_t step) {
  pb::Event event = NewEvent(step);
  pb::TaggedRunMetadata& tagged = *event.mutable_tagged_run_metadata();
  tagged.set_tag(tag);
  LEAT_ASSIGN_OR_RETURN(*tagged.mutable_run_metadata(),
                        SerializeBounded(metadata));
  return events_->Write(event);
}

absl::StatusOr<std::vector<Tensor>> SummaryWriter::AddTracedStep(
    const std::string& tag, RunArgs args, int64_t step, Session& session) {
  args.options.trace_level = TraceLevel::kFull;
  pb::RunMetadata metadata;
  LEAT_ASSIGN_OR_RETURN(std::vector<Tensor> fetched,
                        session.Run(args, &metadata));
  LEAT_RETURN_IF_ERROR(AddRunMetadata(tag, metadata, step));
  return fetched;
}

absl::Status SummaryWriter::Flush() { return events_->Flush(); }

absl::Status SummaryWriter::Close() { return events_->Close(); }

}  // namespace leat
