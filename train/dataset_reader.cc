// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Implements DatasetReader, which is a session of its own: its graph is an
// iterator, and each element is a step.
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/train/dataset.h"
#include "leat/train/dataset_nodes.h"
#include "leat/train/session.h"

namespace leat {
namespace {

std::vector<DType> DTypesOf(const std::vector<Output>& components) {
  std::vector<DType> dtypes;
  for (const Output& component : components) {
    dtypes.push_back(component.dtype());
  }
  return dtypes;
}

std::vector<PartialShape> ShapesOf(const std::vector<Output>& components) {
  std::vector<PartialShape> shapes;
  for (const Output& component : components) {
    shapes.push_back(component.shape());
  }
  return shapes;
}

}  // namespace

DatasetReader::DatasetReader(std::shared_ptr<Session> session, Callable next,
                             const std::vector<Output>& components)
    : dtypes_(DTypesOf(components)),
      shapes_(ShapesOf(components)),
      session_(std::move(session)),
      next_(std::move(next)) {}

absl::StatusOr<std::unique_ptr<DatasetReader>> Dataset::Open(
    const DatasetReaderOptions& options) const {
  GraphBuilder b;
  LEAT_ASSIGN_OR_RETURN(
      const DatasetIterator iterator,
      AddIteratorFor(DatasetUse::kByReader, b, SourceLocation::Current()));
  LEAT_ASSIGN_OR_RETURN(const Graph graph, b.Build());
  LEAT_ASSIGN_OR_RETURN(
      std::shared_ptr<Session> session,
      NewSession(graph, {.num_threads = options.num_threads,
                         .cpu_memory_bytes = options.memory_bytes}));
  LEAT_RETURN_IF_ERROR(
      session->Run({.targets = {iterator.initializer}}).status());
  LEAT_ASSIGN_OR_RETURN(
      Callable next, session->MakeCallable({.fetches = {iterator.next.begin(),
                                                        iterator.next.end()}}));
  return std::unique_ptr<DatasetReader>(
      new DatasetReader(std::move(session), std::move(next), iterator.next));
}

// No error of a dataset has the code OUT_OF_RANGE (NotTheEnd in
// kernels/datasets/iterators.cc).
absl::StatusOr<std::optional<std::vector<Tensor>>> DatasetReader::Next() {
  absl::StatusOr<std::vector<Tensor>> element = next_();
  if (absl::IsOutOfRange(element.status())) return std::nullopt;
  LEAT_RETURN_IF_ERROR(element.status());
  return *std::move(element);
}

absl::StatusOr<std::optional<std::vector<Feed>>> DatasetReader::NextFeeds(
    const std::vector<TensorName>& names) {
  if (names.size() != dtypes_.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "an element has ", dtypes_.size(), " components, but ", names.size(),
        " tensors are to be fed with it; name one for each component"));
  }
  LEAT_ASSIGN_OR_RETURN(std::optional<std::vector<Tensor>> element, Next());
  if (!element.has_value()) return std::nullopt;
  std::vector<Feed> feeds;
  for (size_t i = 0; i < names.size(); ++i) {
    feeds.push_back({.name = names[i], .value = std::move((*element)[i])});
  }
  return feeds;
}

void DatasetReader::Close() { session_->Close().IgnoreError(); }

}  // namespace leat
