// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// SummaryWriter writes what a program wants to see of its training to an event
// file: curves, distributions, images, sounds, texts, the graph. The command
// `tensorboard --logdir /tmp/logs` shows it.
//
//   LEAT_ASSIGN_OR_RETURN(const auto writer,
//                         SummaryWriter::Create("/tmp/logs"));
//   LEAT_RETURN_IF_ERROR(writer->AddGraph(graph));
//   for (int64_t step = 0; step < 1000; ++step) {
//     LEAT_ASSIGN_OR_RETURN(const std::vector<Tensor> fetched,
//                           session->Run({.fetches = {loss}}));
//     LEAT_RETURN_IF_ERROR(
//         writer->AddScalar("loss", fetched[0].scalar<float>(), step));
//   }
//   LEAT_RETURN_IF_ERROR(writer->Close());
#ifndef LEAT_TRAIN_SUMMARY_WRITER_H_
#define LEAT_TRAIN_SUMMARY_WRITER_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/tensor.h"
#include "leat/graph/graph.h"
#include "leat/runtime/session.h"

namespace leat::pb {
class Event;
class RunMetadata;
}  // namespace leat::pb

namespace leat {

class EventWriter;

struct SummaryWriterOptions {
  // Is the suffix with which the file's name ends. Several writers can have
  // different suffixes.
  std::string suffix = {};
  // A call flushes if more than `max_queue` events wait, or if the last flush
  // is longer ago than `flush_every`.
  int64_t max_queue = 10;
  std::chrono::milliseconds flush_every = std::chrono::minutes(2);
};

// Is thread-safe. `tag` is the name under which TensorBoard shows a value, and
// `step` is its place on the axis of time. All errors of the system name the
// file.
//
// Events wait in memory until a flush writes them to the file. After a flush,
// they are kept even if the process ends. Close also brings them to the disk.
// The destructor flushes, but cannot report an error. If a flush fails, for
// example because the disk is full, the events that waited are lost. The file
// stays valid, and later events are written as soon as this is possible again.
class SummaryWriter {
 public:
  // Makes the folder `folder` if there is none, and a new event file in it.
  static absl::StatusOr<std::unique_ptr<SummaryWriter>> Create(
      const std::string& folder, const SummaryWriterOptions& options = {});
  ~SummaryWriter();

  // Returns the path of the file.
  const std::string& path() const;

  absl::Status AddScalar(const std::string& tag, double value, int64_t step);
  // Adds the distribution of numbers, such as the weights of a layer. Returns
  // INVALID_ARGUMENT if a number is not finite, or if the elements are neither
  // numbers nor bools.
  absl::Status AddHistogram(const std::string& tag, const Tensor& values,
                            int64_t step);
  // Adds the first images of a batch of the shape [batch, height, width,
  // channels], with 1, 3 or 4 channels. The values are bytes, or floats, which
  // are scaled for each image. Pixels that are not finite become red.
  absl::Status AddImages(const std::string& tag, const Tensor& images,
                         int64_t step, int64_t max_images = 3);
  // Adds the first sounds of a batch of the shape [batch, frames] or [batch,
  // frames, channels]. The values are floats between -1 and 1.
  absl::Status AddAudio(const std::string& tag, const Tensor& sounds,
                        float sample_rate, int64_t step,
                        int64_t max_outputs = 3);
  // Adds a text, in Markdown.
  absl::Status AddText(const std::string& tag, const std::string& text,
                       int64_t step);
  absl::Status AddTensor(const std::string& tag, const Tensor& tensor,
                         int64_t step);
  // Adds the values of a summary that an op, such as op::MergeSummary, has
  // returned. Returns INVALID_ARGUMENT unless `summary` is a scalar of such
  // bytes.
  absl::Status AddSummary(const Tensor& summary, int64_t step);
  absl::Status AddGraph(const Graph& graph);
  // Adds the RunMetadata that a step with TraceLevel::kFull has recorded
  // (runtime/session.h).
  absl::Status AddRunMetadata(const std::string& tag,
                              const pb::RunMetadata& metadata, int64_t step);
  // Runs a step with TraceLevel::kFull and adds its RunMetadata. Returns the
  // fetched tensors, or the error of the step.
  absl::StatusOr<std::vector<Tensor>> AddTracedStep(const std::string& tag,
                                                    RunArgs args, int64_t step,
                                                    Session& session);

  absl::Status Flush();
  // Flushes and closes the file. Later calls fail with FAILED_PRECONDITION.
  absl::Status Close();

 private:
  explicit SummaryWriter(std::unique_ptr<EventWriter> events);

  const std::unique_ptr<EventWriter> events_;
};

}  // namespace leat

#endif  // LEAT_TRAIN_SUMMARY_WRITER_H_
