// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of the ops on readers. TextLineReader, TFRecordReader,
// FixedLengthRecordReader, WholeFileReader and IdentityReader make readers; the
// others take records from them. Input 0 of these names the reader, and input 1
// of ReaderRead and ReaderReadUpTo a queue: they are handles or, in ops without
// V2, references.
#include "leat/kernels/readers/reader.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/held_bytes.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/arrays/stacked_elements.h"
#include "leat/kernels/both_forms.h"
#include "leat/kernels/codecs/hopping_records.h"
#include "leat/kernels/codecs/text_lines.h"
#include "leat/kernels/codecs/tf_records.h"
#include "leat/kernels/codecs/whole_file.h"
#include "leat/kernels/handle_output.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/readers/file_work.h"
#include "leat/kernels/readers/work_unit.h"
#include "leat/kernels/session_services.h"

namespace leat::kernels::any::readers {
namespace {

using ReaderPtr = std::shared_ptr<Reader>;

// Makes the node's reader if there is none of its name, and outputs a handle of
// the reader or a reference.
class ReaderHandle final : public Kernel {
 public:
  ReaderHandle(ResourceName name, ReaderOptions options)
      : options_(std::move(options)),
        handle_(std::move(name), Reader::kTypeName) {}

  absl::Status Compute(KernelContext& context) const final {
    LEAT_ASSIGN_OR_RETURN(const SessionServices* const session,
                          SessionOf(context, "a reader"));
    const StepServices& step = context.step();
    const auto& named = handle_.Get(context).scalar<ResourceHandle>();
    const auto make = [&] {
      return Reader::Create(options_, *session, step.call_depth);
    };
    LEAT_RETURN_IF_ERROR(
        step.resources->FindOrMake<Reader>(named.container, named.name, make)
            .status());
    return handle_.Set(context);
  }

 private:
  const ReaderOptions options_;
  const HandleOutput handle_;
};

// Makes the kernel of a node that makes a reader. `kind` is the name of the op
// without V2.
absl::StatusOr<std::unique_ptr<Kernel>> MakeReader(const NodeDef& node,
                                                   absl::string_view kind,
                                                   bool has_state,
                                                   NewWorkUnit new_work) {
  LEAT_ASSIGN_OR_RETURN(ResourceName name, GetPrivateResourceName(node));
  ReaderOptions options{.name = absl::StrCat(kind, " '", node.name, "'"),
                        .new_work = std::move(new_work),
                        .has_state = has_state};
  return std::unique_ptr<Kernel>(
      std::make_unique<ReaderHandle>(std::move(name), std::move(options)));
}

// Returns what makes the work units of a reader of files.
NewWorkUnit WorkOn(FileWorkOptions options) {
  return [options = std::move(options)](const Tensor& path,
                                        const StageContext& context) {
    return NewFileWork(path, options, context);
  };
}

absl::StatusOr<int64_t> GetSize(const NodeDef& node, absl::string_view attr) {
  LEAT_ASSIGN_OR_RETURN(const int64_t size, node.attrs.Get<int64_t>(attr));
  if (size >= 0) return size;
  return absl::InvalidArgumentError(
      absl::StrCat(attr, " must be >= 0 not ", size));
}

// Returns the compression that the attr names. A name that nobody knows stands
// for no compression, as in TensorFlow.
absl::StatusOr<Compression> GetCompression(const NodeDef& node,
                                           absl::string_view attr) {
  LEAT_ASSIGN_OR_RETURN(const std::string name,
                        node.attrs.GetOr<std::string>(attr, std::string()));
  return CompressionNamed(name).value_or(Compression::kNone);
}

absl::StatusOr<std::unique_ptr<Kernel>> MakeTextLine(const NodeDef& node) {
  FileWorkOptions options{.key = RecordKey::kPathAndLine};
  LEAT_ASSIGN_OR_RETURN(options.skipped_records,
                        GetSize(node, "skip_header_lines"));
  options.new_format = PathFormat<TextLines>();
  return MakeReader(node, "TextLineReader", /*has_state=*/false,
                    WorkOn(std::move(options)));
}

absl::StatusOr<std::unique_ptr<Kernel>> MakeTfRecord(const NodeDef& node) {
  FileWorkOptions options{.key = RecordKey::kPathAndTfRecord};
  LEAT_ASSIGN_OR_RETURN(options.compression,
                        GetCompression(node, "compression_type"));
  options.new_format = [](const std::string& path, int64_t offset,
                          Allocator& allocator) {
    return std::make_unique<TfRecords>(path, offset, allocator);
  };
  return MakeReader(node, "TFRecordReader", /*has_state=*/false,
                    WorkOn(std::move(options)));
}

absl::StatusOr<std::unique_ptr<Kernel>> MakeFixedLength(const NodeDef& node) {
  FixedLengths lengths;
  LEAT_ASSIGN_OR_RETURN(lengths.header, GetSize(node, "header_bytes"));
  LEAT_ASSIGN_OR_RETURN(lengths.record, GetSize(node, "record_bytes"));
  LEAT_ASSIGN_OR_RETURN(lengths.footer, GetSize(node, "footer_bytes"));
  LEAT_ASSIGN_OR_RETURN(const int64_t hop, GetSize(node, "hop_bytes"));
  FileWorkOptions options{.key = RecordKey::kPathAndIndex};
  LEAT_ASSIGN_OR_RETURN(options.compression, GetCompression(node, "encoding"));
  options.new_format = [lengths, hop](const std::string& path, int64_t,
                                      Allocator& allocator) {
    return std::make_unique<HoppingRecords>(path, lengths, hop, allocator);
  };
  return MakeReader(node, "FixedLengthRecordReader", /*has_state=*/false,
                    WorkOn(std::move(options)));
}

absl::StatusOr<std::unique_ptr<Kernel>> MakeWholeFile(const NodeDef& node) {
  FileWorkOptions options{.key = RecordKey::kPath, .is_one_record = true};
  options.new_format = PathFormat<WholeFile>();
  return MakeReader(node, "WholeFileReader", /*has_state=*/true,
                    WorkOn(std::move(options)));
}

// Is the work unit whose only record is the string itself.
class IdentityWork final : public WorkUnit {
 public:
  explicit IdentityWork(const Tensor& name) : name_(name) {}

  absl::StatusOr<Progress> Next(KeyedRecord& record) override {
    record = {.key = name_, .value = name_, .is_last = true};
    return Progress::kElement;
  }

  bool CouldBegin() const override { return true; }

 private:
  const Tensor name_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeIdentity(const NodeDef& node) {
  return MakeReader(node, "IdentityReader", /*has_state=*/true,
                    [](const Tensor& name, const StageContext&) {
                      return std::make_unique<IdentityWork>(name);
                    });
}

absl::StatusOr<ReaderPtr> GetReader(const KernelContext& context) {
  return FindResource<Reader>(context, 0);
}

absl::Status SetRecord(KernelContext& context, Reader::Records& records) {
  context.set_output(0, std::move(records[0].key));
  context.set_output(1, std::move(records[0].value));
  return absl::OkStatus();
}

// Returns the string of a scalar. Does not copy it if nobody else has it.
std::string TakeText(Tensor scalar) {
  if (!scalar.IsUnique()) return scalar.scalar<std::string>();
  return std::move(scalar.mutable_data<std::string>()[0]);
}

// Changes no record if there is no memory.
absl::Status SetRecords(KernelContext& context, Reader::Records& records) {
  constexpr Tensor KeyedRecord::*kParts[] = {&KeyedRecord::key,
                                             &KeyedRecord::value};
  const auto count = static_cast<int64_t>(records.size());
  Tensor* outputs[2] = {};
  for (int i = 0; i < 2; ++i) {
    const auto part = [&](int64_t row) -> const Tensor& {
      return records[static_cast<size_t>(row)].*kParts[i];
    };
    LEAT_ASSIGN_OR_RETURN(
        outputs[i],
        context.AllocateOutput(i, Shape{count}, HeldBytesOf(count, part)));
  }
  for (int i = 0; i < 2; ++i) {
    std::string* to = outputs[i]->mutable_data<std::string>().data();
    for (KeyedRecord& record : records) {
      *to++ = TakeText(std::move(record.*kParts[i]));
    }
  }
  return absl::OkStatus();
}

// Returns how many records ReaderReadUpTo shall read. The input may be any
// tensor with one element, as in TensorFlow.
absl::StatusOr<int64_t> NumRecords(const KernelContext& context) {
  const Tensor& count = context.input(2);
  if (count.num_elements() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("num_records must be scalar, but had shape: ",
                     count.shape().DebugString()));
  }
  const int64_t most = count.data<int64_t>()[0];
  if (most >= 0) return most;
  return absl::InvalidArgumentError(
      absl::StrCat("num_records must be >= 0 not ", most));
}

// Takes a record from a reader or, with `up_to`, as many as there are, up to
// the number in input 2.
template <bool up_to>
class Read final : public AsyncKernel {
 public:
  void ComputeAsync(KernelContext& context, Done done) const final {
    const absl::StatusOr<ReaderPtr> reader = GetReader(context);
    if (!reader.ok()) return std::move(done)(reader.status());
    absl::StatusOr<std::shared_ptr<Queue>> queue =
        FindResource<Queue>(context, 1);
    if (!queue.ok()) return std::move(done)(queue.status());
    int64_t most = 1;
    if constexpr (up_to) {
      const absl::StatusOr<int64_t> count = NumRecords(context);
      if (!count.ok()) return std::move(done)(count.status());
      Reader::Records none;
      if (*count == 0) return std::move(done)(SetRecords(context, none));
      most = *count;
    }
    (*reader)->Read(*std::move(queue), most, *context.step().cancellation,
                    [&context, reader = *reader,
                     done = std::move(done)](Reader::Result records) mutable {
                      absl::Status status = records.status();
                      if (records.ok()) {
                        status = up_to ? SetRecords(context, *records)
                                       : SetRecord(context, *records);
                        if (!status.ok()) reader->Return(*std::move(records));
                      }
                      reader.reset();  // before the step ends
                      std::move(done)(std::move(status));
                    });
  }
};

template <auto number>
absl::Status Number(KernelContext& context) {
  LEAT_ASSIGN_OR_RETURN(const ReaderPtr reader, GetReader(context));
  LEAT_ASSIGN_OR_RETURN(Tensor* const output,
                        context.AllocateOutput(0, Shape{}));
  output->mutable_data<int64_t>()[0] = (*reader.*number)();
  return absl::OkStatus();
}

absl::Status Reset(KernelContext& context) {
  LEAT_ASSIGN_OR_RETURN(const ReaderPtr reader, GetReader(context));
  reader->Reset();
  return absl::OkStatus();
}

absl::Status SerializeState(KernelContext& context) {
  LEAT_ASSIGN_OR_RETURN(const ReaderPtr reader, GetReader(context));
  LEAT_ASSIGN_OR_RETURN(std::string state, reader->SerializeState());
  LEAT_ASSIGN_OR_RETURN(
      Tensor* const output,
      context.AllocateOutput(0, Shape{}, HeldBytesOfText(state.size())));
  output->mutable_data<std::string>()[0] = std::move(state);
  return absl::OkStatus();
}

absl::Status RestoreState(KernelContext& context) {
  LEAT_ASSIGN_OR_RETURN(const ReaderPtr reader, GetReader(context));
  const Tensor& state = context.input(1);
  if (!state.shape().IsScalar()) {
    return absl::InvalidArgumentError(
        absl::StrCat("Reader state must be scalar, but had shape: ",
                     state.shape().DebugString()));
  }
  return reader->RestoreState(state.scalar<std::string>());
}

}  // namespace

void Register(KernelRegistry& registry) {
  AddBothForms("TextLineReader", &MakeTextLine, registry);
  AddBothForms("TFRecordReader", &MakeTfRecord, registry);
  AddBothForms("FixedLengthRecordReader", &MakeFixedLength, registry);
  AddBothForms("WholeFileReader", &MakeWholeFile, registry);
  AddBothForms("IdentityReader", &MakeIdentity, registry);
  AddBothForms("ReaderRead", &Make<Read<false>>, registry);
  AddBothForms("ReaderReadUpTo", &Make<Read<true>>, registry);
  AddBothForms("ReaderNumRecordsProduced",
               &MakeFunction<&Number<&Reader::num_records>>, registry);
  AddBothForms("ReaderNumWorkUnitsCompleted",
               &MakeFunction<&Number<&Reader::num_work_units>>, registry);
  AddBothForms("ReaderReset", &MakeFunction<&Reset>, registry);
  AddBothForms("ReaderSerializeState", &MakeFunction<&SerializeState>,
               registry);
  AddBothForms("ReaderRestoreState", &MakeFunction<&RestoreState>, registry);
}

}  // namespace leat::kernels::any::readers
