// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of the ops that write event files: SummaryWriter,
// CreateSummaryFileWriter, FlushSummaryWriter, CloseSummaryWriter, and the ops
// that append an event.
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/buffer.h"
#include "leat/core/files/file_service.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/file_kernel.h"
#include "leat/kernels/handle_output.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/resource_store.h"
#include "leat/kernels/variable_access.h"
#include "leat/protos/graph.pb.h"
#include "leat/summary/event_writer.h"
#include "leat/summary/values.h"

namespace leat::kernels::any::summary_writer {
namespace {

// Limits the number of event files that the kernels of a device may keep open.
constexpr int kMaxWriters = 256;

// Counts the open event files of a device. Is thread-safe.
class OpenWriters final : public Resource {
 public:
  static constexpr char kTypeName[] = "OpenWriters";

  // A Place counts as one open file until its last copy is destroyed.
  using Place = std::shared_ptr<void>;

  std::string DebugString() const override { return "OpenWriters"; }

  // Returns a place in the OpenWriters of `store`. Returns RESOURCE_EXHAUSTED
  // if kMaxWriters places are taken.
  static absl::StatusOr<Place> Enter(ResourceStore& store) {
    LEAT_ASSIGN_OR_RETURN(
        const std::shared_ptr<OpenWriters> writers,
        store.FindOrMake<OpenWriters>(
            store.default_container(), "",
            []() -> absl::StatusOr<std::shared_ptr<OpenWriters>> {
              return std::make_shared<OpenWriters>();
            }));
    Place place(nullptr, [writers](void*) { writers->num_open_.fetch_sub(1); });
    if (writers->num_open_.fetch_add(1) < kMaxWriters) return place;
    return absl::ResourceExhaustedError(
        absl::StrCat("a device may keep ", kMaxWriters,
                     " event files open; close some writers first"));
  }

 private:
  std::atomic<int> num_open_ = 0;
};

// A Writer is an open event file. `place` counts it among the open files of the
// device. `memory` charges the device for the events that wait to be written.
class Writer final : public Resource {
 public:
  static constexpr char kTypeName[] = "N10tensorflow22SummaryWriterInterfaceE";

  // `files` is borrowed and must outlive this.
  Writer(FileService& files, OpenWriters::Place place, BufferRef memory,
         std::unique_ptr<EventWriter> events)
      : files_(files),
        place_(std::move(place)),
        memory_(std::move(memory)),
        events_(std::move(events)) {}
  // Deleting a writer must not wait for the disk. So a thread of `files_`
  // flushes the events.
  ~Writer() override {
    auto events =
        std::make_shared<std::unique_ptr<EventWriter>>(std::move(events_));
    files_.Run([events, place = place_, memory = memory_] { events->reset(); })
        .IgnoreError();
  }

  std::string DebugString() const override {
    return absl::StrCat("SummaryWriter of ", events_->path());
  }
  EventWriter& events() const { return *events_; }

 private:
  FileService& files_;
  const OpenWriters::Place place_;
  const BufferRef memory_;
  std::unique_ptr<EventWriter> events_;
};

// Outputs the handle of a writer. CreateSummaryFileWriter makes the writer
// itself.
class WriterHandle final : public Kernel {
 public:
  explicit WriterHandle(ResourceName name)
      : handle_(std::move(name), Writer::kTypeName) {}

  absl::Status Compute(KernelContext& context) const override {
    context.set_output(0, handle_.Get(context));
    return absl::OkStatus();
  }

 private:
  const HandleOutput handle_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeHandle(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(ResourceName name, GetResourceName(node));
  return std::unique_ptr<Kernel>(
      std::make_unique<WriterHandle>(std::move(name)));
}

// Returns the writer that the handle in input 0 names.
absl::StatusOr<std::shared_ptr<Writer>> GetWriter(
    const KernelContext& context) {
  LEAT_ASSIGN_OR_RETURN(const ResourceHandle* handle, GetHandle(context, 0));
  return LookupHandle<Writer>(*context.step().resources, *handle,
                              context.step().device->name());
}

// Returns the value of input `i`, whose name is `name`. Returns
// INVALID_ARGUMENT, with the words of TensorFlow's WriteRawProtoSummary, if the
// input is not a scalar.
template <class T>
absl::StatusOr<T> GetInput(const KernelContext& context, int i,
                           absl::string_view name) {
  const Tensor& input = context.input(i);
  if (!input.shape().IsScalar()) {
    return absl::InvalidArgumentError(absl::StrCat(
        name, " must be scalar, got shape ", input.shape().DebugString()));
  }
  return input.scalar<T>();
}

class CreateFileWriter final : public FileKernel {
  absl::Status Run(KernelContext& context,
                   const FileAccess& files) const override {
    LEAT_ASSIGN_OR_RETURN(const ResourceHandle* handle, GetHandle(context, 0));
    LEAT_RETURN_IF_ERROR(
        CheckHandle(*handle, Writer::kTypeName, context.step().device->name()));
    LEAT_RETURN_IF_ERROR(CheckOptions(context));
    ResourceStore& store = *context.step().resources;
    if (store.Find<Writer>(handle->container, handle->name).ok()) {
      return absl::OkStatus();
    }
    FileService& service = *context.step().device->files();
    LEAT_ASSIGN_OR_RETURN(OpenWriters::Place place, OpenWriters::Enter(store));
    LEAT_ASSIGN_OR_RETURN(BufferRef memory, ChargePending(context));
    LEAT_ASSIGN_OR_RETURN(
        auto events,
        EventWriter::Create(files, context.input(1).scalar<std::string>(),
                            {.suffix = context.input(4).scalar<std::string>(),
                             .max_queue = context.input(2).scalar<int32_t>(),
                             .flush_every = std::chrono::milliseconds(
                                 context.input(3).scalar<int32_t>())}));
    // The file is made without holding the store's lock, because making it may
    // take long.
    const auto made = std::make_shared<Writer>(
        service, std::move(place), std::move(memory), std::move(events));
    const auto kept = store.FindOrMake<Writer>(
        handle->container, handle->name,
        [&]() -> absl::StatusOr<std::shared_ptr<Writer>> { return made; });
    // If another step was faster, its writer is used, and this file is not
    // needed.
    if (kept.ok() && *kept == made) return absl::OkStatus();
    return files.RemoveFile(made->events().path());
  }

  static absl::StatusOr<BufferRef> ChargePending(const KernelContext& context) {
    constexpr auto kBytes = static_cast<int64_t>(EventWriter::kMaxPendingBytes);
    Allocator& allocator = context.step().device->host_allocator();
    BufferRef memory = allocator.Reserve(kBytes);
    if (memory != nullptr) return memory;
    return absl::ResourceExhaustedError(absl::StrCat(
        "Out of memory when allocating ", kBytes,
        " bytes for the events of a writer by allocator ", allocator.name()));
  }

  static absl::Status CheckOptions(const KernelContext& context) {
    constexpr const char* kNames[] = {"logdir", "max_queue", "flush_millis",
                                      "filename_suffix"};
    for (int i = 0; i < 4; ++i) {
      if (!context.input(i + 1).shape().IsScalar()) {
        return absl::InvalidArgumentError(
            absl::StrCat(kNames[i], " must be a scalar"));
      }
    }
    return absl::OkStatus();
  }
};

class Flush final : public FileKernel {
  absl::Status Run(KernelContext& context, const FileAccess&) const override {
    LEAT_ASSIGN_OR_RETURN(const auto writer, GetWriter(context));
    return writer->events().Flush();
  }
};

class Close final : public FileKernel {
  absl::Status Run(KernelContext& context, const FileAccess&) const override {
    LEAT_ASSIGN_OR_RETURN(const auto writer, GetWriter(context));
    const auto& handle = context.input(0).scalar<ResourceHandle>();
    LEAT_RETURN_IF_ERROR(context.step().resources->Delete(
        handle.container, Writer::kTypeName, handle.name));
    return writer->events().Close();
  }
};

// Is the base class of kernels that append an event. Input 1 is the step of the
// event.
class WriteEvent : public FileKernel {
 protected:
  // Fills the event, whose time and step are set already.
  virtual absl::Status Fill(const KernelContext& context,
                            pb::Event& event) const = 0;

 private:
  absl::Status Run(KernelContext& context, const FileAccess&) const final {
    LEAT_ASSIGN_OR_RETURN(const auto writer, GetWriter(context));
    LEAT_ASSIGN_OR_RETURN(const auto step,
                          GetInput<int64_t>(context, 1, "step"));
    pb::Event event = NewEvent(step);
    LEAT_RETURN_IF_ERROR(Fill(context, event));
    return writer->events().Write(event);
  }
};

class WriteScalar final : public WriteEvent {
  absl::Status Fill(const KernelContext& context,
                    pb::Event& event) const override {
    LEAT_ASSIGN_OR_RETURN(const auto tag,
                          GetInput<std::string>(context, 2, "tag"));
    const Tensor& value = context.input(3);
    if (value.num_elements() != 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("value must have one element, got shape ",
                       value.shape().DebugString()));
    }
    AddScalar(tag, value, 0, *event.mutable_summary());
    return absl::OkStatus();
  }
};

class WriteHistogram final : public WriteEvent {
  absl::Status Fill(const KernelContext& context,
                    pb::Event& event) const override {
    LEAT_ASSIGN_OR_RETURN(const auto tag,
                          GetInput<std::string>(context, 2, "tag"));
    return AddHistogram(tag, context.input(3), tag, *event.mutable_summary());
  }
};

class WriteImage final : public WriteEvent {
 public:
  explicit WriteImage(int64_t max_images) : max_images_(max_images) {}

 private:
  absl::Status Fill(const KernelContext& context,
                    pb::Event& event) const override {
    LEAT_ASSIGN_OR_RETURN(const auto tag,
                          GetInput<std::string>(context, 2, "tag"));
    LEAT_ASSIGN_OR_RETURN(const absl::Span<const uint8_t> bad_color,
                          BadColorOf(context.input(4)));
    return AddImages(tag, context.input(3),
                     {.max_images = max_images_,
                      .bad_color = bad_color,
                      .cancellation = context.step().cancellation},
                     *event.mutable_summary());
  }

  const int64_t max_images_;
};

class WriteAudio final : public WriteEvent {
 public:
  explicit WriteAudio(int64_t max_outputs) : max_outputs_(max_outputs) {}

 private:
  absl::Status Fill(const KernelContext& context,
                    pb::Event& event) const override {
    LEAT_ASSIGN_OR_RETURN(const auto tag,
                          GetInput<std::string>(context, 2, "tag"));
    LEAT_ASSIGN_OR_RETURN(const auto sample_rate,
                          GetInput<float>(context, 4, "sample_rate"));
    return AddAudio(tag, context.input(3), sample_rate, max_outputs_,
                    *event.mutable_summary());
  }

  const int64_t max_outputs_;
};

class WriteTensor final : public WriteEvent {
  absl::Status Fill(const KernelContext& context,
                    pb::Event& event) const override {
    LEAT_ASSIGN_OR_RETURN(auto tag, GetInput<std::string>(context, 3, "tag"));
    LEAT_ASSIGN_OR_RETURN(
        const auto metadata,
        GetInput<std::string>(context, 4, "summary_metadata"));
    LEAT_ASSIGN_OR_RETURN(
        pb::Summary::Value* const value,
        AddTensor(context.input(2), *event.mutable_summary()));
    value->set_tag(std::move(tag));
    if (!metadata.empty()) {
      // As in TensorFlow, it is no error if the metadata cannot be parsed.
      static_cast<void>(ParseBounded(metadata, *value->mutable_metadata()));
    }
    return absl::OkStatus();
  }
};

class WriteRawProto final : public WriteEvent {
  absl::Status Fill(const KernelContext& context,
                    pb::Event& event) const override {
    const auto summaries = context.input(2).data<std::string>();
    int64_t budget = kMaxParsedBytes;
    for (size_t i = 0; i < summaries.size(); ++i) {
      if (!MergeBounded(summaries[i], budget, *event.mutable_summary())) {
        return absl::DataLossError(absl::StrCat(
            "Bad tf.compat.v1.Summary binary proto tensor string at index ",
            i));
      }
    }
    return absl::OkStatus();
  }
};

class WriteGraph final : public WriteEvent {
  absl::Status Fill(const KernelContext& context,
                    pb::Event& event) const override {
    LEAT_ASSIGN_OR_RETURN(auto bytes,
                          GetInput<std::string>(context, 2, "tensor"));
    pb::GraphDef graph;
    if (!ParseBounded(bytes, graph)) {
      return absl::DataLossError("Bad tf.GraphDef binary proto tensor string");
    }
    event.set_graph_def(std::move(bytes));
    return absl::OkStatus();
  }
};

class ImportEvent final : public FileKernel {
  absl::Status Run(KernelContext& context, const FileAccess&) const override {
    LEAT_ASSIGN_OR_RETURN(const auto writer, GetWriter(context));
    LEAT_ASSIGN_OR_RETURN(const auto bytes,
                          GetInput<std::string>(context, 1, "event"));
    pb::Event event;
    if (!ParseBounded(bytes, event)) {
      return absl::DataLossError("Bad tf.Event binary proto tensor string");
    }
    return writer->events().Write(event);
  }
};

// Makes a kernel from the value of the attr `attr`, which must be below 2^31.
template <class K, const char* attr>
absl::StatusOr<std::unique_ptr<Kernel>> MakeWithCount(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const int64_t count, node.attrs.Get<int64_t>(attr));
  if (count > INT32_MAX) {
    return absl::InvalidArgumentError(absl::StrCat(attr, " must be < 2^31"));
  }
  return std::unique_ptr<Kernel>(std::make_unique<K>(count));
}

constexpr char kMaxImages[] = "max_images";
constexpr char kMaxOutputs[] = "max_outputs";

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("SummaryWriter", kCpu, &MakeHandle);
  registry.Add("CreateSummaryFileWriter", kCpu, &Make<CreateFileWriter>);
  registry.Add("FlushSummaryWriter", kCpu, &Make<Flush>);
  registry.Add("CloseSummaryWriter", kCpu, &Make<Close>);
  registry.Add("WriteScalarSummary", kCpu, &Make<WriteScalar>);
  registry.Add("WriteHistogramSummary", kCpu, &Make<WriteHistogram>);
  registry.Add("WriteImageSummary", kCpu,
               &MakeWithCount<WriteImage, kMaxImages>);
  registry.Add("WriteAudioSummary", kCpu,
               &MakeWithCount<WriteAudio, kMaxOutputs>);
  registry.Add("WriteSummary", kCpu, &Make<WriteTensor>);
  registry.Add("WriteRawProtoSummary", kCpu, &Make<WriteRawProto>);
  registry.Add("WriteGraphSummary", kCpu, &Make<WriteGraph>);
  registry.Add("ImportEvent", kCpu, &Make<ImportEvent>);
}

}  // namespace leat::kernels::any::summary_writer
