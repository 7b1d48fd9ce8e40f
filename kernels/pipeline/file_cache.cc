// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/pipeline/file_cache.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "leat/checkpoint/bundle_paths.h"
#include "leat/checkpoint/bundle_reader.h"
#include "leat/checkpoint/bundle_writer.h"
#include "leat/core/files/file_service.h"
#include "leat/core/files/regular_file.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/pipeline/element_checks.h"
#include "leat/kernels/pipeline/file_job.h"

namespace leat::kernels {
namespace {

// The keys of TensorFlow's caches have room for so many elements.
constexpr int64_t kMaxElements = 10'000'000;

// Returns the name of a component of an element in the checkpoint.
std::string KeyOf(int64_t element, size_t component) {
  return absl::StrFormat("%7d_%d", element, component);
}

// Holds the open files of a cache. The stage and its job share it, and use it
// in turns. All functions run on a thread for files.
class CacheFiles {
 public:
  CacheFiles(std::string path, ElementSpec spec,
             std::shared_ptr<const Pipeline> pipeline)
      : pipeline_(std::move(pipeline)),
        path_(std::move(path)),
        spec_(std::move(spec)) {}

  // Opens the cache to read it, if there is one, or to write it.
  absl::Status Open(const FileAccess& files);
  bool is_reading() const { return reader_ != nullptr; }

  // Appends an element.
  absl::Status Write(const Element& element);
  // Makes the cache visible to others.
  absl::Status Finish() {
    const std::unique_ptr<BundleWriter> writer = std::move(writer_);
    return writer->Finish();
  }

  // Reads some more elements. Reads none at the end.
  absl::Status Read();
  std::deque<Element> TakeRead() { return std::exchange(read_, {}); }

 private:
  // Returns ALREADY_EXISTS if TensorFlow is writing the cache.
  absl::Status CheckNotLocked(const FileAccess& files) const;
  absl::StatusOr<Element> ReadElement(int64_t i) const;
  BundleOptions options() const {
    return {.allocator = &pipeline_->allocator()};
  }

  const std::shared_ptr<const Pipeline> pipeline_;  // ends last
  const std::string path_;
  const ElementSpec spec_;
  std::unique_ptr<BundleReader> reader_;
  std::unique_ptr<BundleWriter> writer_;
  int64_t next_ = 0;  // the element that comes next
  std::deque<Element> read_;
};

absl::Status CacheFiles::Open(const FileAccess& files) {
  LEAT_ASSIGN_OR_RETURN(const bool is_there, files.Exists(IndexPath(path_)));
  if (is_there) {
    LEAT_ASSIGN_OR_RETURN(reader_, BundleReader::Open(files, path_, options()));
    return Read();
  }
  LEAT_RETURN_IF_ERROR(CheckNotLocked(files));
  LEAT_ASSIGN_OR_RETURN(writer_, BundleWriter::Create(files, path_, options()));
  return absl::OkStatus();
}

absl::Status CacheFiles::CheckNotLocked(const FileAccess& files) const {
  const std::string lock = absl::StrCat(path_, "_0.lockfile");
  LEAT_ASSIGN_OR_RETURN(const bool is_locked, files.Exists(lock));
  if (!is_locked) return absl::OkStatus();
  constexpr int64_t kMostRead = 1000;
  const auto contents = ReadRegularFile(lock, kMostRead, files);
  return absl::AlreadyExistsError(absl::StrCat(
      "There appears to be a concurrent caching iterator running - cache "
      "lockfile already exists ('",
      lock,
      "'). If you are sure no other running TF computations are using this "
      "cache prefix, delete the lockfile and re-initialize the iterator. "
      "Lockfile contents: ",
      contents.value_or("")));
}

absl::Status CacheFiles::Write(const Element& element) {
  if (next_ == kMaxElements) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the cache '", path_, "' has room for ", kMaxElements, " elements"));
  }
  for (size_t i = 0; i < element.size(); ++i) {
    LEAT_RETURN_IF_ERROR(writer_->Add(KeyOf(next_, i), element[i]));
  }
  ++next_;
  return absl::OkStatus();
}

absl::Status CacheFiles::Read() {
  constexpr size_t kMostElements = 100;
  constexpr int64_t kManyBytes = 256 << 10;
  int64_t bytes = 0;
  while (read_.size() < kMostElements && bytes < kManyBytes) {
    if (!reader_->Contains(KeyOf(next_, 0))) return absl::OkStatus();
    absl::StatusOr<Element> element = ReadElement(next_);
    // The elements that come first are given first. The next call tries again.
    if (!element.ok() && !read_.empty()) return absl::OkStatus();
    LEAT_RETURN_IF_ERROR(element.status());
    for (const Tensor& tensor : *element) {
      bytes += tensor.num_bytes() + tensor.held_bytes();
    }
    read_.push_back(*std::move(element));
    ++next_;
  }
  return absl::OkStatus();
}

absl::StatusOr<Element> CacheFiles::ReadElement(int64_t i) const {
  Element element;
  for (size_t c = 0; c < spec_.dtypes.size(); ++c) {
    LEAT_ASSIGN_OR_RETURN(Tensor tensor,
                          reader_->Read(KeyOf(i, c), pipeline_->allocator()));
    element.push_back(std::move(tensor));
  }
  LEAT_RETURN_IF_ERROR(CheckElement(spec_, element));
  return element;
}

class ReadingStage final : public Stage {
 public:
  // `files` has read its first elements.
  ReadingStage(std::shared_ptr<CacheFiles> files, const StageContext& context)
      : context_(context), files_(std::move(files)) {
    TakeRead();
  }

  absl::StatusOr<Progress> Next(Element& element) override {
    if (read_.empty() && job_.IsActive()) {
      if (!job_.IsDone()) return Progress::kWaiting;
      error_ = job_.Take();
      if (error_.ok()) TakeRead();
    }
    // Nothing can be read behind an error.
    if (!error_.ok()) return error_;
    if (read_.empty()) return Progress::kEnd;
    element = std::move(read_.front());
    read_.pop_front();
    return Progress::kElement;
  }

 private:
  // Takes what has been read, and begins to read what comes next.
  void TakeRead() {
    read_ = files_->TakeRead();
    if (read_.empty()) return;
    job_.Start(context_,
               [files = files_](const FileAccess&) { return files->Read(); });
  }

  const StageContext context_;
  const std::shared_ptr<CacheFiles> files_;
  std::deque<Element> read_;
  FileJob job_;
  absl::Status error_;
};

class WritingStage final : public Stage {
 public:
  WritingStage(std::unique_ptr<Stage> input, std::shared_ptr<CacheFiles> files,
               const StageContext& context)
      : context_(context), input_(std::move(input)), files_(std::move(files)) {}

  absl::StatusOr<Progress> Next(Element& element) override {
    if (job_.IsActive()) return FinishJob(element);
    if (has_ended_) return Progress::kEnd;
    LEAT_ASSIGN_OR_RETURN(const Progress progress, input_->Next(element));
    if (progress == Progress::kWaiting) return progress;
    has_ended_ = progress == Progress::kEnd;
    if (is_broken_) return progress;
    if (has_ended_) {
      Start([files = files_] { return files->Finish(); });
    } else {
      written_ = std::move(element);
      Start([files = files_, element = written_] {
        return files->Write(element);
      });
    }
    return FinishJob(element);
  }

 private:
  void Start(absl::AnyInvocable<absl::Status() &&> work) {
    job_.Start(context_, [work = std::move(work)](const FileAccess&) mutable {
      return std::move(work)();
    });
  }

  // Waits until the element or the end is written, and then gives it out.
  absl::StatusOr<Progress> FinishJob(Element& element) {
    if (!job_.IsDone()) return Progress::kWaiting;
    // A cache without this element would be wrong.
    const absl::Status status = job_.Take();
    is_broken_ = !status.ok();
    LEAT_RETURN_IF_ERROR(status);
    if (has_ended_) return Progress::kEnd;
    element = std::move(written_);
    return Progress::kElement;
  }

  const StageContext context_;
  const std::unique_ptr<Stage> input_;
  const std::shared_ptr<CacheFiles> files_;
  FileJob job_;
  Element written_;  // by the job
  bool has_ended_ = false;
  bool is_broken_ = false;
};

// Finds out whether there is a cache, and leaves the rest to another stage.
class FileCacheStage final : public Stage {
 public:
  // `dataset` is the dataset of the stage, and owns `input`.
  FileCacheStage(DatasetPtr dataset, const Dataset& input,
                 const std::string& path, const StageContext& context)
      : dataset_(std::move(dataset)),
        input_(input),
        context_(context),
        files_(std::make_shared<CacheFiles>(path, dataset_->spec(),
                                            context.pipeline)) {}

  // Closing files, and removing those that are not complete, may wait for the
  // disk.
  ~FileCacheStage() override {
    stage_.reset();
    FileService* const service = context_.pipeline->step().device->files();
    if (service == nullptr) return;
    service->Run([files = std::move(files_)] {}).IgnoreError();
  }

  absl::StatusOr<Progress> Next(Element& element) override {
    if (stage_ != nullptr) return stage_->Next(element);
    if (!job_.IsActive()) {
      job_.Start(context_, [files = files_](const FileAccess& access) {
        return files->Open(access);
      });
    }
    if (!job_.IsDone()) return Progress::kWaiting;
    LEAT_RETURN_IF_ERROR(job_.Take());
    if (files_->is_reading()) {
      stage_ = std::make_unique<ReadingStage>(files_, context_);
    } else {
      LEAT_ASSIGN_OR_RETURN(auto input, MakeStage(input_, context_));
      stage_ =
          std::make_unique<WritingStage>(std::move(input), files_, context_);
    }
    return stage_->Next(element);
  }

 private:
  const DatasetPtr dataset_;
  const Dataset& input_;
  const StageContext context_;
  std::shared_ptr<CacheFiles> files_;
  FileJob job_;
  std::unique_ptr<Stage> stage_;
};

class FileCacheDataset final
    : public Dataset,
      public std::enable_shared_from_this<FileCacheDataset> {
 public:
  FileCacheDataset(DatasetPtr input, std::string path)
      : Dataset(input->spec()),
        input_(std::move(input)),
        path_(std::move(path)) {}

  absl::StatusOr<std::unique_ptr<Stage>> NewStage(
      const StageContext& context) const override {
    return std::make_unique<FileCacheStage>(shared_from_this(), *input_, path_,
                                            context);
  }
  int64_t ComputeCardinality() const override { return input_->Cardinality(); }

 private:
  const DatasetPtr input_;
  const std::string path_;
};

}  // namespace

DatasetPtr NewFileCacheDataset(DatasetPtr input, std::string path) {
  return std::make_shared<const FileCacheDataset>(std::move(input),
                                                  std::move(path));
}

}  // namespace leat::kernels
