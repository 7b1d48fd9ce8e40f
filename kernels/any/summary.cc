// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of ScalarSummary, HistogramSummary, ImageSummary,
// AudioSummary, AudioSummaryV2, TensorSummary, TensorSummaryV2 and
// MergeSummary, which make serialized summaries. The texts of errors are
// TensorFlow's.
#include <memory>
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "leat/core/held_bytes.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/summary/values.h"

namespace leat::kernels::any::summary {
namespace {

absl::Status SetSummary(const pb::Summary& summary, KernelContext& context) {
  LEAT_ASSIGN_OR_RETURN(std::string bytes, SerializeBounded(summary));
  LEAT_ASSIGN_OR_RETURN(Tensor* const output,
                        context.AllocateOutput(0, Shape{}, HeldBytes(bytes)));
  output->mutable_data<std::string>()[0] = std::move(bytes);
  return absl::OkStatus();
}

// Returns the text in input `i`, or INVALID_ARGUMENT with `error` if the input
// is not a scalar.
absl::StatusOr<std::string> GetText(const KernelContext& context, int i,
                                    absl::string_view error) {
  const Tensor& text = context.input(i);
  if (!text.shape().IsScalar()) return absl::InvalidArgumentError(error);
  return text.scalar<std::string>();
}

absl::Status ScalarSummary(KernelContext& context) {
  const Tensor& tags = context.input(0);
  const Tensor& values = context.input(1);
  const auto names = tags.data<std::string>();
  if (tags.shape() != values.shape()) {
    const std::string tag =
        names.size() == 1 ? absl::StrCat(" (tag '", names[0].c_str(), "')")
                          : "";
    return absl::InvalidArgumentError(absl::StrCat(
        "tags and values are not the same shape: ", tags.shape().DebugString(),
        " != ", values.shape().DebugString(), tag));
  }
  LEAT_RETURN_IF_ERROR(CheckNumValues(tags.num_elements(), ""));
  pb::Summary summary;
  for (size_t i = 0; i < names.size(); ++i) {
    AddScalar(names[i], values, static_cast<int64_t>(i), summary);
  }
  return SetSummary(summary, context);
}

absl::Status HistogramSummary(KernelContext& context) {
  LEAT_ASSIGN_OR_RETURN(const std::string tag,
                        GetText(context, 0, "tags must be scalar"));
  pb::Summary summary;
  LEAT_RETURN_IF_ERROR(
      AddHistogram(tag, context.input(1), context.node().name, summary));
  return SetSummary(summary, context);
}

class ImageSummary final : public Kernel {
 public:
  ImageSummary(int64_t max_images, Tensor bad_color)
      : max_images_(max_images), bad_color_(std::move(bad_color)) {}

  absl::Status Compute(KernelContext& context) const override {
    LEAT_ASSIGN_OR_RETURN(const std::string tag,
                          GetText(context, 0, "Tags must be a scalar"));
    pb::Summary summary;
    LEAT_RETURN_IF_ERROR(
        AddImages(tag, context.input(1),
                  {.max_images = max_images_,
                   .bad_color = bad_color_.data<uint8_t>(),
                   .cancellation = context.step().cancellation},
                  summary));
    return SetSummary(summary, context);
  }

 private:
  const int64_t max_images_;
  const Tensor bad_color_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeImageSummary(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const int64_t max_images,
                        node.attrs.Get<int64_t>("max_images"));
  if (max_images > INT32_MAX) {
    return absl::InvalidArgumentError("max_images must be < 2^31");
  }
  LEAT_ASSIGN_OR_RETURN(Tensor bad_color, node.attrs.Get<Tensor>("bad_color"));
  LEAT_RETURN_IF_ERROR(BadColorOf(bad_color).status());
  return std::unique_ptr<Kernel>(
      std::make_unique<ImageSummary>(max_images, std::move(bad_color)));
}

class AudioSummary final : public Kernel {
 public:
  // If `sample_rate` is 0, the kernel reads the rate from input 2.
  AudioSummary(int64_t max_outputs, float sample_rate)
      : max_outputs_(max_outputs), sample_rate_(sample_rate) {}

  absl::Status Compute(KernelContext& context) const override {
    LEAT_ASSIGN_OR_RETURN(const std::string tag,
                          GetText(context, 0, "Tag must be a scalar"));
    const Tensor& sounds = context.input(1);
    float sample_rate = sample_rate_;
    if (context.num_inputs() > 2) {
      if (context.input(2).num_elements() != 1) {
        return absl::InvalidArgumentError(
            "sample_rate must be rank-0 or contain a single value");
      }
      sample_rate = context.input(2).scalar<float>();
    }
    pb::Summary summary;
    LEAT_RETURN_IF_ERROR(
        AddAudio(tag, sounds, sample_rate, max_outputs_, summary));
    return SetSummary(summary, context);
  }

 private:
  const int64_t max_outputs_;
  const float sample_rate_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeAudioSummary(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const int64_t max_outputs,
                        node.attrs.Get<int64_t>("max_outputs"));
  LEAT_ASSIGN_OR_RETURN(const float sample_rate,
                        node.attrs.GetOr<float>("sample_rate", 0));
  return std::unique_ptr<Kernel>(
      std::make_unique<AudioSummary>(max_outputs, sample_rate));
}

absl::Status TensorSummary(KernelContext& context) {
  pb::Summary summary;
  LEAT_ASSIGN_OR_RETURN(pb::Summary::Value* const value,
                        AddTensor(context.input(0), summary));
  value->set_node_name(context.node().name);
  return SetSummary(summary, context);
}

absl::Status TensorSummaryV2(KernelContext& context) {
  LEAT_ASSIGN_OR_RETURN(std::string tag,
                        GetText(context, 0, "tag must be scalar"));
  LEAT_ASSIGN_OR_RETURN(
      const std::string metadata,
      GetText(context, 2, "serialized_summary_metadata must be scalar"));
  pb::Summary summary;
  LEAT_ASSIGN_OR_RETURN(pb::Summary::Value* const value,
                        AddTensor(context.input(1), summary));
  value->set_tag(std::move(tag));
  // As in TensorFlow, it is no error if the metadata cannot be parsed.
  static_cast<void>(ParseBounded(metadata, *value->mutable_metadata()));
  return SetSummary(summary, context);
}

absl::Status MergeSummary(KernelContext& context) {
  pb::Summary merged;
  int64_t budget = kMaxParsedBytes;
  for (int i = 0; i < context.num_inputs(); ++i) {
    for (const std::string& bytes : context.input(i).data<std::string>()) {
      if (!MergeBounded(bytes, budget, merged)) {
        return absl::InvalidArgumentError(
            "Could not parse one of the summary inputs");
      }
    }
  }
  absl::flat_hash_set<absl::string_view> tags;
  for (const pb::Summary::Value& value : merged.value()) {
    if (!value.tag().empty() && !tags.insert(value.tag()).second) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Duplicate tag ", value.tag(), " found in summary inputs "));
    }
  }
  return SetSummary(merged, context);
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("ScalarSummary", kCpu, &MakeFunction<&ScalarSummary>);
  registry.Add("HistogramSummary", kCpu, &MakeFunction<&HistogramSummary>);
  registry.Add("ImageSummary", kCpu, &MakeImageSummary);
  registry.Add("AudioSummary", kCpu, &MakeAudioSummary);
  registry.Add("AudioSummaryV2", kCpu, &MakeAudioSummary);
  registry.Add("TensorSummary", kCpu, &MakeFunction<&TensorSummary>);
  registry.Add("TensorSummaryV2", kCpu, &MakeFunction<&TensorSummaryV2>);
  registry.Add("MergeSummary", kCpu, &MakeFunction<&MergeSummary>);
}

}  // namespace leat::kernels::any::summary
