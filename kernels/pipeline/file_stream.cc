// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/pipeline/file_stream.h"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/files/file_descriptor.h"
#include "leat/core/files/file_service.h"
#include "leat/core/files/system_error.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/mutex.h"
#include "leat/kernels/pipeline/completion.h"

namespace leat::kernels {
namespace {

constexpr int64_t kDefaultChunk = 256 << 10;
constexpr int64_t kMinChunk = 4 << 10;
constexpr int64_t kMaxChunk = 4 << 20;
// A pipe of Linux holds so many bytes.
constexpr int64_t kPipeChunk = 64 << 10;

int64_t ChunkBytes(int64_t wanted) {
  return wanted <= 0 ? kDefaultChunk : std::clamp(wanted, kMinChunk, kMaxChunk);
}

}  // namespace

// Reads one chunk after another. The stream and the reading that is under way
// share it.
class FileStream::Reader : public std::enable_shared_from_this<Reader> {
 public:
  // Is a chunk that was read.
  struct Outcome {
    absl::Status status;
    FileChunk chunk = {};
    bool is_last = false;
  };

  Reader(std::string path, const FileStreamOptions& options,
         const StageContext& context)
      : context_(context),
        path_(std::move(path)),
        options_(options),
        chunk_bytes_(ChunkBytes(options.chunk_bytes)),
        skip_left_(options.skipped_bytes) {}

  // The stream calls these. Begin starts to read a chunk. Take returns it when
  // IsDone has returned true. After Cancel, nothing more is read.
  void Begin() {
    completion_.Begin(context_);
    Schedule();
  }
  bool IsDone() { return completion_.IsDone(); }
  Outcome Take() { return std::exchange(outcome_, {}); }
  void Cancel();

  bool is_open() const { return is_open_; }
  std::optional<int64_t> size() const {
    if (!HasSize()) return std::nullopt;
    return size_;
  }

 private:
  // Says what a read has found.
  enum class Found { kBytes, kEnd, kNothingYet };

  FileService* files() const {
    return context_.pipeline->step().device->files();
  }
  bool HasSize() const {
    return is_open_ && !is_pipe_ && options_.compression == Compression::kNone;
  }

  void Schedule();
  // Runs on a thread for files.
  void Run();
  // Ends the reading of a chunk.
  void End(absl::Status status) {
    outcome_.status = std::move(status);
    completion_.End();
  }
  // Makes Run run again when the pipe has bytes.
  absl::Status WaitForPipe();
  bool IsCancelled() const {
    MutexLock lock(mutex_);
    return is_cancelled_;
  }

  // Fills `outcome_`.
  absl::StatusOr<Found> ReadChunk();
  absl::Status Open();
  absl::StatusOr<BufferRef> Allocate(int64_t bytes);
  absl::Status NoMemoryFor(int64_t bytes) const;
  // Reads until `room` is full, the file ends or the pipe is empty. Sets
  // `count` to the number of bytes. Sets `has_read_all_` at the end.
  absl::StatusOr<Found> ReadBytes(absl::Span<char> room, size_t& count);
  // Does the same with decompressed bytes.
  absl::StatusOr<Found> InflateBytes(absl::Span<char> room, size_t& count);
  // Returns the size of the chunk to read if the file has `left` bytes more.
  // One byte more than is left finds the end.
  int64_t ChunkFor(int64_t left) const {
    return std::min(left, chunk_bytes_ - 1) + 1;
  }
  // Returns true if a read of the pipe gives bytes or the end.
  bool PipeIsReadable() const;

  const StageContext context_;  // ends last
  const std::string path_;
  const FileStreamOptions options_;
  const int64_t chunk_bytes_;
  // One thread at a time uses these. Completion hands them on.
  Completion completion_;
  Outcome outcome_;
  FileDescriptor file_;
  bool is_open_ = false;
  bool is_pipe_ = false;
  int64_t size_ = 0;
  int64_t position_ = 0;  // of the file, before decompression
  int64_t skip_left_;
  bool has_read_all_ = false;
  // These are there if the file is compressed. `compressed_` has bytes that
  // were read and not decompressed yet.
  BufferRef input_;
  BufferRef inflater_memory_;
  std::unique_ptr<Inflater> inflater_;
  absl::string_view compressed_;
  bool has_more_output_ = false;  // The inflater may have more without input.

  mutable Mutex mutex_;
  bool is_cancelled_ ABSL_GUARDED_BY(mutex_) = false;
  std::optional<int64_t> wait_ ABSL_GUARDED_BY(mutex_);  // for a pipe
};

void FileStream::Reader::Schedule() {
  absl::Status started =
      files() == nullptr
          ? absl::PermissionDeniedError("this device has no files for graphs")
          : files()->Run([self = shared_from_this()] { self->Run(); });
  if (!started.ok()) End(std::move(started));
}

void FileStream::Reader::Cancel() {
  std::optional<int64_t> wait;
  {
    MutexLock lock(mutex_);
    is_cancelled_ = true;
    wait.swap(wait_);
  }
  if (!wait.has_value()) return;
  const absl::StatusOr<ReadableWatcher*> watcher = files()->Watcher();
  if (watcher.ok()) (*watcher)->Forget(*wait);
}

void FileStream::Reader::Run() {
  if (IsCancelled()) return End(absl::CancelledError("Cancelled"));
  const absl::StatusOr<Found> found = ReadChunk();
  if (!found.ok()) {
    file_.Close();
    return End(found.status());
  }
  if (*found == Found::kNothingYet) {
    absl::Status waits = WaitForPipe();
    if (!waits.ok()) End(std::move(waits));
    return;
  }
  outcome_.is_last = *found == Found::kEnd;
  if (outcome_.is_last) file_.Close();
  End(absl::OkStatus());
}

absl::Status FileStream::Reader::WaitForPipe() {
  LEAT_ASSIGN_OR_RETURN(ReadableWatcher* const watcher, files()->Watcher());
  MutexLock lock(mutex_);
  if (is_cancelled_) return absl::CancelledError("Cancelled");
  wait_ = watcher->Watch(file_.number(), [self = shared_from_this()] {
    {
      MutexLock lock(self->mutex_);
      self->wait_.reset();
    }
    self->Schedule();
  });
  return absl::OkStatus();
}

absl::StatusOr<FileStream::Reader::Found> FileStream::Reader::ReadChunk() {
  if (!is_open_) LEAT_RETURN_IF_ERROR(Open());
  if (skip_left_ < 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "file '", path_, "': Can't skip a negative number of bytes"));
  }
  // An empty pipe needs no memory.
  const bool needs_input = compressed_.empty() && !has_more_output_;
  if (is_pipe_ && needs_input && !PipeIsReadable()) return Found::kNothingYet;
  int64_t wanted = is_pipe_ ? std::min(chunk_bytes_, kPipeChunk) : chunk_bytes_;
  if (HasSize() && position_ <= size_) {
    wanted = ChunkFor(size_ - position_);
  }
  LEAT_ASSIGN_OR_RETURN(BufferRef memory, Allocate(wanted));
  const absl::Span<char> room(memory->data(), static_cast<size_t>(wanted));
  for (;;) {
    size_t count = 0;
    LEAT_ASSIGN_OR_RETURN(const Found found, inflater_ != nullptr
                                                 ? InflateBytes(room, count)
                                                 : ReadBytes(room, count));
    const auto skipped =
        static_cast<size_t>(std::min(skip_left_, static_cast<int64_t>(count)));
    skip_left_ -= static_cast<int64_t>(skipped);
    outcome_.chunk.bytes =
        absl::string_view(room.data() + skipped, count - skipped);
    if (!outcome_.chunk.bytes.empty()) outcome_.chunk.memory = memory;
    if (found == Found::kEnd || !outcome_.chunk.bytes.empty()) return found;
    if (found == Found::kNothingYet) return found;
    if (IsCancelled()) return absl::CancelledError("Cancelled");
  }
}

absl::Status FileStream::Reader::Open() {
  LEAT_ASSIGN_OR_RETURN(file_, files()->access().OpenToStream(path_));
  struct stat info = {};
  if (fstat(file_.number(), &info) != 0) {
    return SystemError(path_, "cannot stat");
  }
  is_pipe_ = S_ISFIFO(info.st_mode);
  size_ = info.st_size;
  if (options_.compression != Compression::kNone) {
    const int64_t bytes =
        is_pipe_ ? std::min(kPipeChunk, chunk_bytes_) : ChunkFor(size_);
    LEAT_ASSIGN_OR_RETURN(input_, Allocate(bytes));
    inflater_memory_ = context_.pipeline->allocator().Reserve(Inflater::kBytes);
    if (inflater_memory_ == nullptr) return NoMemoryFor(Inflater::kBytes);
    inflater_ = std::make_unique<Inflater>(options_.compression);
  } else if (!is_pipe_ && skip_left_ > 0) {
    position_ = std::min(skip_left_, size_);
    skip_left_ = 0;
    if (lseek(file_.number(), position_, SEEK_SET) < 0) {
      return SystemError(path_, "cannot seek");
    }
  }
  is_open_ = true;
  return absl::OkStatus();
}

absl::StatusOr<BufferRef> FileStream::Reader::Allocate(int64_t bytes) {
  BufferRef memory =
      context_.pipeline->allocator().Allocate(static_cast<size_t>(bytes));
  if (memory == nullptr) return NoMemoryFor(bytes);
  return memory;
}

absl::Status FileStream::Reader::NoMemoryFor(int64_t bytes) const {
  return absl::ResourceExhaustedError(
      absl::StrCat("file '", path_, "': the memory of '",
                   context_.pipeline->allocator().name(), "' has no room for ",
                   bytes, " bytes of it"));
}

bool FileStream::Reader::PipeIsReadable() const {
  pollfd file = {file_.number(), POLLIN, 0};
  return poll(&file, 1, 0) != 0;
}

absl::StatusOr<FileStream::Reader::Found> FileStream::Reader::ReadBytes(
    absl::Span<char> room, size_t& count) {
  count = 0;
  while (!has_read_all_ && count < room.size()) {
    // A pipe without a writer would seem to be at its end. What has come is
    // given out at once.
    if (is_pipe_ && (count > 0 || !PipeIsReadable())) break;
    const ssize_t done =
        read(file_.number(), room.data() + count, room.size() - count);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0 && errno == EAGAIN) break;
    if (done < 0) return SystemError(path_, "cannot read");
    has_read_all_ = done == 0;
    count += static_cast<size_t>(done);
    position_ += done;
  }
  if (has_read_all_) return Found::kEnd;
  return count > 0 ? Found::kBytes : Found::kNothingYet;
}

absl::StatusOr<FileStream::Reader::Found> FileStream::Reader::InflateBytes(
    absl::Span<char> room, size_t& count) {
  count = 0;
  while (count < room.size()) {
    if (IsCancelled()) return absl::CancelledError("Cancelled");
    if (inflater_->has_ended()) return Found::kEnd;
    if (compressed_.empty() && !has_read_all_ && !has_more_output_) {
      size_t size = 0;
      LEAT_ASSIGN_OR_RETURN(const Found found,
                            ReadBytes({input_->data(), input_->size()}, size));
      compressed_ = absl::string_view(input_->data(), size);
      if (found == Found::kNothingYet) break;
    }
    const absl::Span<char> rest = room.subspan(count);
    const absl::StatusOr<size_t> done = inflater_->Inflate(compressed_, rest);
    if (!done.ok()) {
      const auto left = static_cast<int64_t>(compressed_.size());
      return absl::Status(
          done.status().code(),
          absl::StrCat("file '", path_, "': ", done.status().message(),
                       ", at byte ", position_ - left));
    }
    count += *done;
    has_more_output_ = *done == rest.size();
    if (*done == 0 && compressed_.empty() && has_read_all_) return Found::kEnd;
    // If the bytes behind a complete text are damaged, the text comes first.
    if (inflater_->is_complete() && count > 0) break;
  }
  return count > 0 ? Found::kBytes : Found::kNothingYet;
}

FileStream::FileStream(std::string path, const FileStreamOptions& options,
                       const StageContext& context)
    : reader_(std::make_shared<Reader>(std::move(path), options, context)) {}

FileStream::~FileStream() { reader_->Cancel(); }

absl::StatusOr<Progress> FileStream::Next(FileChunk& chunk) {
  if (!error_.ok()) return error_;
  if (has_ended_) return Progress::kEnd;
  if (!std::exchange(is_reading_, true)) reader_->Begin();
  if (!reader_->IsDone()) return Progress::kWaiting;
  Reader::Outcome outcome = reader_->Take();
  error_ = std::move(outcome.status);
  if (!error_.ok()) return error_;
  has_ended_ = outcome.is_last;
  if (!has_ended_) reader_->Begin();
  chunk = std::move(outcome.chunk);
  return chunk.bytes.empty() ? Progress::kEnd : Progress::kElement;
}

bool FileStream::is_open() const { return reader_->is_open(); }
std::optional<int64_t> FileStream::size() const { return reader_->size(); }

}  // namespace leat::kernels
