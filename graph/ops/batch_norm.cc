// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the three versions of FusedBatchNorm and of the op of its gradient.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"

namespace leat::ops::batch_norm {
namespace {

// Holds the rank of the images and the axis of their channels. Both follow from
// data_format.
struct Layout {
  int rank = 4;
  int channel = 3;
};

absl::StatusOr<Layout> ReadLayout(const InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const std::string format,
                        context.Attr<std::string>("data_format"));
  if (format == "NHWC") return Layout{.rank = 4, .channel = 3};
  if (format == "NCHW") return Layout{.rank = 4, .channel = 1};
  if (format == "NDHWC") return Layout{.rank = 5, .channel = 4};
  if (format == "NCDHW") return Layout{.rank = 5, .channel = 1};
  return absl::InvalidArgumentError(
      absl::StrCat("Invalid data format: '", format, "'"));
}

// Checks that the vectors in inputs [first, last] have one element per channel.
// `channels` is the number of channels, or unknown. Returns the number of
// channels, which a vector may determine.
absl::StatusOr<int64_t> MergeChannels(const InferenceContext& context,
                                      int64_t channels, int first, int last) {
  for (int i = first; i <= last; ++i) {
    LEAT_ASSIGN_OR_RETURN(const PartialShape vector, context.WithRank(i, 1));
    LEAT_ASSIGN_OR_RETURN(channels, MergeExtents(channels, vector.dim(0)));
  }
  return channels;
}

absl::Status FusedBatchNormShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const Layout layout, ReadLayout(context));
  LEAT_ASSIGN_OR_RETURN(const bool training, context.Attr<bool>("is_training"));
  LEAT_ASSIGN_OR_RETURN(const float factor,
                        context.Attr<float>("exponential_avg_factor"));
  LEAT_ASSIGN_OR_RETURN(const PartialShape x, context.WithRank(0, layout.rank));
  // The kernel does not read the inputs mean and variance if the statistics of
  // the batch replace them entirely.
  const bool reads_mean = !training || factor != 1.0f;
  LEAT_ASSIGN_OR_RETURN(
      const int64_t channels,
      MergeChannels(context, x.dim(layout.channel), 1, reads_mean ? 4 : 2));
  LEAT_ASSIGN_OR_RETURN(PartialShape y,
                        WithExtent(x, layout.channel, channels));
  context.set_output(0, std::move(y));
  for (int i = 1; i <= 4; ++i) context.set_output(i, PartialShape{channels});
  // The kernel decides the shape of reserve_space_3, so nothing is inferred for
  // this output.
  return absl::OkStatus();
}

absl::Status FusedBatchNormGradShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const Layout layout, ReadLayout(context));
  LEAT_ASSIGN_OR_RETURN(const PartialShape y_backprop,
                        context.WithRank(0, layout.rank));
  LEAT_ASSIGN_OR_RETURN(const PartialShape x, context.WithRank(1, layout.rank));
  LEAT_ASSIGN_OR_RETURN(
      int64_t channels,
      MergeExtents(y_backprop.dim(layout.channel), x.dim(layout.channel)));
  LEAT_ASSIGN_OR_RETURN(channels, MergeChannels(context, channels, 2, 4));
  LEAT_ASSIGN_OR_RETURN(PartialShape x_backprop,
                        WithExtent(y_backprop, layout.channel, channels));
  context.set_output(0, std::move(x_backprop));
  context.set_output(1, PartialShape{channels});
  context.set_output(2, PartialShape{channels});
  // Mean and variance have no gradients, so these outputs are empty.
  context.set_output(3, Shape{0});
  context.set_output(4, Shape{0});
  return absl::OkStatus();
}

// Reads x once more if it computes the statistics of the batch.
Work FusedBatchNormWork(const WorkContext& context) {
  const TensorSpec& x = context.input(0);
  const bool is_training = context.Flag("is_training");
  return {.flops = (is_training ? 6 : 2) * x.num_elements(),
          .bytes_read = (is_training ? 2 : 1) * x.num_bytes(),
          .bytes_written = context.output(0).num_bytes()};
}

// Reads x and the gradient of y for two sums, and again for the gradient of x.
Work FusedBatchNormGradWork(const WorkContext& context) {
  const TensorSpec& x = context.input(1);
  return {.flops = 9 * x.num_elements(),
          .bytes_read = 2 * (context.input(0).num_bytes() + x.num_bytes()),
          .bytes_written = context.output(0).num_bytes()};
}

// Returns the types that the kernels support. Statistics are always float.
std::vector<TypeConstraint> FloatStatistics() {
  return {{"T", {DType::kHalf, DType::kBfloat16, DType::kFloat}},
          {"U", {DType::kFloat}}};
}

constexpr char kImages[] = "data_format: {'NHWC', 'NCHW'} = 'NHWC'";
constexpr char kImagesAndVolumes[] =
    "data_format: {'NHWC', 'NCHW', 'NDHWC', 'NCDHW'} = 'NHWC'";

// Describes what the ops of one version have in common.
struct Version {
  absl::string_view suffix;  // of their names
  absl::string_view u;       // the type of the statistics
  absl::string_view scale;   // the type of the gradient's input scale
  absl::string_view types;   // the attr T
  std::vector<std::string> statistics = {};  // the attr U, if there is one
  absl::string_view formats;                 // the attr data_format

  // Returns the argument `name` with the type of the statistics.
  std::string Of(absl::string_view name) const {
    return absl::StrCat(name, ": ", u);
  }

  // Returns a spec with the type attrs, and with `attrs` behind them.
  OpSpec Spec(absl::string_view name, absl::string_view doc,
              std::vector<std::string> attrs) const {
    OpSpec spec;
    spec.name = absl::StrCat(name, suffix);
    spec.doc = doc;
    spec.attrs = {std::string(types)};
    spec.attrs.insert(spec.attrs.end(), statistics.begin(), statistics.end());
    spec.attrs.insert(spec.attrs.end(), attrs.begin(), attrs.end());
    spec.attrs.insert(spec.attrs.end(),
                      {std::string(formats), "is_training: bool = true"});
    return spec;
  }
};

// Version 3 has a third reserved output, too.
OpSpec BatchNorm(const Version& v, absl::string_view doc) {
  OpSpec spec =
      v.Spec("FusedBatchNorm", doc,
             {"epsilon: float = 0.0001", "exponential_avg_factor: float = 1"});
  spec.inputs = {"x: T", v.Of("scale"), v.Of("offset"), v.Of("mean"),
                 v.Of("variance")};
  spec.outputs = {"y: T", v.Of("batch_mean"), v.Of("batch_variance"),
                  v.Of("reserve_space_1"), v.Of("reserve_space_2")};
  if (v.suffix == "V3") spec.outputs.push_back(v.Of("reserve_space_3"));
  spec.shape = FusedBatchNormShape;
  spec.work = FusedBatchNormWork;
  return spec;
}

// The last two outputs are empty. Their numbers go on behind those of the
// inputs.
OpSpec BatchNormGrad(const Version& v, absl::string_view doc) {
  OpSpec spec = v.Spec("FusedBatchNormGrad", doc, {"epsilon: float = 0.0001"});
  spec.inputs = {"y_backprop: T", "x: T", absl::StrCat("scale: ", v.scale),
                 v.Of("reserve_space_1"), v.Of("reserve_space_2")};
  spec.outputs = {"x_backprop: T", v.Of("scale_backprop"),
                  v.Of("offset_backprop")};
  if (v.suffix == "V3") {
    spec.inputs.push_back(v.Of("reserve_space_3"));
    spec.outputs.insert(spec.outputs.end(),
                        {v.Of("reserve_space_4"), v.Of("reserve_space_5")});
  } else {
    spec.outputs.insert(spec.outputs.end(),
                        {v.Of("reserve_space_3"), v.Of("reserve_space_4")});
  }
  spec.shape = FusedBatchNormGradShape;
  spec.work = FusedBatchNormGradWork;
  return spec;
}

void AddVersion1(OpRegistry& registry) {
  const Version v = {.suffix = "",
                     .u = "T",
                     .scale = "T",
                     .types = "T: {float}",
                     .formats = kImages};
  registry.Add(BatchNorm(v,
                         "Normalizes x per channel as FusedBatchNormV3 does, "
                         "for images of floats."),
               {ExpensiveOnCpu({{"T", {DType::kFloat}}})});
  registry.Add(BatchNormGrad(v,
                             "Computes the gradients of FusedBatchNorm with "
                             "respect to x, scale and offset."),
               {ExpensiveOnCpu({{"T", {DType::kFloat}}})});
}

void AddVersion2(OpRegistry& registry) {
  const Version v = {.suffix = "V2",
                     .u = "U",
                     .scale = "float",
                     .types = "T: {half, bfloat16, float}",
                     .statistics = {"U: {float}"},
                     .formats = kImages};
  registry.Add(
      BatchNorm(
          v, "Normalizes x per channel as FusedBatchNormV3 does, for images."),
      {ExpensiveOnCpu(FloatStatistics())});
  registry.Add(BatchNormGrad(v,
                             "Computes the gradients of FusedBatchNormV2 "
                             "with respect to x, scale and offset."),
               {ExpensiveOnCpu(FloatStatistics())});
}

void AddVersion3(OpRegistry& registry) {
  Version v = {.suffix = "V3",
               .u = "U",
               .scale = "float",
               .types = "T: {half, bfloat16, float}",
               .statistics = {"U: {bfloat16, float}"},
               .formats = kImagesAndVolumes};
  registry.Add(BatchNorm(v,
                         "Normalizes x per channel, by the statistics of the "
                         "batch or by given ones, scales and shifts it."),
               {ExpensiveOnCpu(FloatStatistics()), OnGpu(FloatStatistics())});
  v.statistics = {"U: {float}"};
  registry.Add(BatchNormGrad(v,
                             "Computes the gradients of FusedBatchNormV3 "
                             "with respect to x, scale and offset."),
               {ExpensiveOnCpu(FloatStatistics()), OnGpu(FloatStatistics())});
}

}  // namespace

void Register(OpRegistry& registry) {
  AddVersion1(registry);
  AddVersion2(registry);
  AddVersion3(registry);
}

}  // namespace leat::ops::batch_norm
