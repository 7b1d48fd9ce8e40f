// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "dnnl.hpp"
#include "leat/core/status_macros.h"
#include "leat/core/threads/mutex.h"
#include "leat/core/threads/parallel_for.h"
#include "leat/kernels/dense/dense.h"
#include "leat/kernels/dense/onednn_calls.h"

namespace leat::kernels {
namespace {

using dnnl::memory;

enum class Direction { kForward, kBackwardInput, kBackwardFilter };

struct CacheKey {
  Direction direction = Direction::kForward;
  ConvolutionShape shape = {};

  friend bool operator==(const CacheKey&, const CacheKey&) = default;
  template <class H>
  friend H AbslHashValue(H h, const CacheKey& key) {
    const ConvolutionShape& s = key.shape;
    return H::combine(std::move(h), key.direction, s.channels_first, s.batch,
                      s.in_channels, s.in_height, s.in_width, s.out_channels,
                      s.out_height, s.out_width, s.groups, s.filter_height,
                      s.filter_width, s.stride_height, s.stride_width,
                      s.dilation_height, s.dilation_width, s.pad_top,
                      s.pad_bottom, s.pad_left, s.pad_right, s.has_depth,
                      s.in_depth, s.out_depth, s.filter_depth, s.stride_depth,
                      s.dilation_depth, s.pad_front, s.pad_back);
  }
};

const dnnl::engine& Engine() {
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

// Holds everything that is needed to run convolutions of one shape in one
// direction. Is immutable.
struct Primitive {
  // Holds the layouts of the activations on the input side and on the output
  // side.
  memory::desc source = {}, target = {};
  // Holds the two layouts of the filter: the one that the primitive uses, and
  // HWIO or DHWIO.
  memory::desc filter = {}, plain_filter = {};
  memory::desc scratch = {}, reorder_scratch = {};
  dnnl::primitive convolution = {};
  dnnl::reorder reorder = {};  // converts between the two layouts
  bool same_filter = false;    // true if no reorder is needed
};

memory::desc ActivationLayout(const ConvolutionShape& s, int64_t channels,
                              int64_t depth, int64_t height, int64_t width) {
  if (s.has_depth) {
    return memory::desc({s.batch, channels, depth, height, width},
                        memory::data_type::f32,
                        s.channels_first ? memory::format_tag::ncdhw
                                         : memory::format_tag::ndhwc);
  }
  return memory::desc(
      {s.batch, channels, height, width}, memory::data_type::f32,
      s.channels_first ? memory::format_tag::nchw : memory::format_tag::nhwc);
}

// Returns one value for each spatial axis. Only volumes have a depth.
memory::dims Spatial(const ConvolutionShape& s, int64_t depth, int64_t height,
                     int64_t width) {
  if (s.has_depth) return {depth, height, width};
  return {height, width};
}

// Returns the filter's dimensions in oneDNN's order: [groups,] out, in,
// [depth,] height, width.
memory::dims FilterDims(const ConvolutionShape& s) {
  memory::dims dims =
      Spatial(s, s.filter_depth, s.filter_height, s.filter_width);
  dims.insert(dims.begin(),
              {s.out_channels / s.groups, s.in_channels / s.groups});
  if (s.groups > 1) dims.insert(dims.begin(), s.groups);
  return dims;
}

// Describes a filter in HWIO or DHWIO layout by its strides, in the order of
// FilterDims.
memory::desc PlainFilter(const ConvolutionShape& s) {
  const int64_t in = s.in_channels / s.groups, out = s.out_channels;
  const int64_t row = s.filter_width * in * out;
  memory::dims strides = Spatial(s, s.filter_height * row, row, in * out);
  strides.insert(strides.begin(), {1, out});
  if (s.groups > 1) strides.insert(strides.begin(), out / s.groups);
  return memory::desc(FilterDims(s), memory::data_type::f32, strides);
}

dnnl::primitive_attr UserScratch() {
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attr;
}

// Holds the arguments that the primitives of all three directions have in
// common.
struct Geometry {
  explicit Geometry(const ConvolutionShape& s)
      : strides(Spatial(s, s.stride_depth, s.stride_height, s.stride_width)),
        dilations(Spatial(s, s.dilation_depth - 1, s.dilation_height - 1,
                          s.dilation_width - 1)),
        before(Spatial(s, s.pad_front, s.pad_top, s.pad_left)),
        after(Spatial(s, s.pad_back, s.pad_bottom, s.pad_right)) {}
  memory::dims strides, dilations, before, after;
};

dnnl::convolution_forward::primitive_desc ForwardDesc(const ConvolutionShape& s,
                                                      const Primitive& p) {
  const Geometry g(s);
  const memory::desc any(FilterDims(s), memory::data_type::f32,
                         memory::format_tag::any);
  return dnnl::convolution_forward::primitive_desc(
      dnnl::convolution_forward::desc(dnnl::prop_kind::forward_inference,
                                      dnnl::algorithm::convolution_direct,
                                      p.source, any, p.target, g.strides,
                                      g.dilations, g.before, g.after),
      UserScratch(), Engine());
}

// Sets the members of `p` that depend on the primitive's descriptor `desc`: the
// convolution, its scratch memory, and the reorder of the filter. `filter` is
// the layout that the primitive uses. By default, the reorder converts from
// the plain layout to `filter`. With `into_plain`, the filter is the result,
// and the reorder converts from `filter` to the plain layout. There is no
// reorder if the two layouts are the same. `tag` is a function that makes the
// primitive from its descriptor.
template <class PrimitiveDesc, class P>
void Finish(const PrimitiveDesc& desc, const memory::desc& filter,
            bool into_plain, P tag, Primitive& p) {
  p.filter = filter;
  p.scratch = desc.scratchpad_desc();
  p.convolution = tag(desc);
  p.same_filter = p.filter == p.plain_filter;
  if (p.same_filter) return;
  const memory::desc& from = into_plain ? p.filter : p.plain_filter;
  const memory::desc& to = into_plain ? p.plain_filter : p.filter;
  const dnnl::reorder::primitive_desc reorder(Engine(), from, Engine(), to,
                                              UserScratch());
  p.reorder_scratch = reorder.scratchpad_desc();
  p.reorder = dnnl::reorder(reorder);
}

std::shared_ptr<const Primitive> MakePrimitive(const CacheKey& key) {
  const ConvolutionShape& s = key.shape;
  auto p = std::make_shared<Primitive>();
  p->source =
      ActivationLayout(s, s.in_channels, s.in_depth, s.in_height, s.in_width);
  p->target = ActivationLayout(s, s.out_channels, s.out_depth, s.out_height,
                               s.out_width);
  p->plain_filter = PlainFilter(s);
  const auto forward = ForwardDesc(s, *p);
  const Geometry g(s);
  const memory::desc any(FilterDims(s), memory::data_type::f32,
                         memory::format_tag::any);
  switch (key.direction) {
    case Direction::kForward:
      Finish(
          forward, forward.weights_desc(), false,
          [](const auto& d) { return dnnl::convolution_forward(d); }, *p);
      break;
    case Direction::kBackwardInput: {
      const dnnl::convolution_backward_data::primitive_desc desc(
          dnnl::convolution_backward_data::desc(
              dnnl::algorithm::convolution_direct, p->source, any, p->target,
              g.strides, g.dilations, g.before, g.after),
          UserScratch(), Engine(), forward);
      Finish(
          desc, desc.weights_desc(), false,
          [](const auto& d) { return dnnl::convolution_backward_data(d); }, *p);
      break;
    }
    case Direction::kBackwardFilter: {
      const dnnl::convolution_backward_weights::primitive_desc desc(
          dnnl::convolution_backward_weights::desc(
              dnnl::algorithm::convolution_direct, p->source, any, p->target,
              g.strides, g.dilations, g.before, g.after),
          UserScratch(), Engine(), forward);
      Finish(
          desc, desc.diff_weights_desc(), true,
          [](const auto& d) { return dnnl::convolution_backward_weights(d); },
          *p);
      break;
    }
  }
  return p;
}

// Allocates scratch memory. Returns RESOURCE_EXHAUSTED if there is none.
absl::StatusOr<BufferRef> Scratch(Allocator& allocator, size_t bytes) {
  BufferRef buffer = allocator.Allocate(bytes);
  if (buffer != nullptr) return buffer;
  return absl::ResourceExhaustedError(absl::StrCat(
      "There is not enough memory in allocator ", allocator.name(), " for the ",
      bytes, " bytes of scratch memory that a convolution needs"));
}

// Makes a oneDNN memory object for `data`. oneDNN takes inputs as void*, too,
// but does not write to them.
memory Wrap(const memory::desc& desc, const void* data) {
  return memory(desc, Engine(), const_cast<void*>(data));
}

absl::Status Reorder(Allocator& allocator, const Primitive& p,
                     const memory::desc& from_desc, const void* from,
                     const memory::desc& to_desc, void* to) {
  LEAT_ASSIGN_OR_RETURN(BufferRef scratch,
                        Scratch(allocator, p.reorder_scratch.get_size()));
  dnnl::stream stream(Engine());
  p.reorder.execute(stream, {{DNNL_ARG_FROM, Wrap(from_desc, from)},
                             {DNNL_ARG_TO, Wrap(to_desc, to)},
                             {DNNL_ARG_SCRATCHPAD,
                              Wrap(p.reorder_scratch, scratch->data())}});
  return absl::OkStatus();
}

// Runs the convolution of one chunk. The tensors have the same order in all
// directions: source (input side), filter, target (output side).
absl::Status Execute(Allocator& allocator, const Primitive& p,
                     Direction direction, const void* source,
                     const void* filter, const void* target) {
  LEAT_ASSIGN_OR_RETURN(BufferRef scratch,
                        Scratch(allocator, p.scratch.get_size()));
  constexpr int kArguments[3][3] = {
      {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST},
      {DNNL_ARG_DIFF_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_DST},
      {DNNL_ARG_SRC, DNNL_ARG_DIFF_WEIGHTS, DNNL_ARG_DIFF_DST}};
  const int* argument = kArguments[static_cast<int>(direction)];
  dnnl::stream stream(Engine());
  p.convolution.execute(
      stream, {{argument[0], Wrap(p.source, source)},
               {argument[1], Wrap(p.filter, filter)},
               {argument[2], Wrap(p.target, target)},
               {DNNL_ARG_SCRATCHPAD, Wrap(p.scratch, scratch->data())}});
  return absl::OkStatus();
}

// Describes a part of a convolution: its own shape, and the offsets, in
// elements, at which it starts in the activations.
struct Piece {
  ConvolutionShape shape = {};
  int64_t source = 0, target = 0;  // offsets in the input and output side
};

double Flops(const ConvolutionShape& s) {
  return 2.0 * static_cast<double>(s.batch) *
         static_cast<double>(s.out_pixels()) *
         static_cast<double>(s.out_channels) *
         static_cast<double>(s.in_channels / s.groups) *
         static_cast<double>(s.taps());
}

// Returns the number of chunks into which to split the convolution along a
// dimension of extent `extent`.
int Chunks(const WorkQueue& queue, const ConvolutionShape& s, int64_t extent) {
  return static_cast<int>(
      std::min({std::max(1.0, Flops(s) / kMinChunkFlops),
                static_cast<double>(queue.num_threads()),
                static_cast<double>(std::max<int64_t>(1, extent))}));
}

// Splits a convolution along the batch.
std::vector<Piece> SplitBatch(const WorkQueue& queue,
                              const ConvolutionShape& s) {
  std::vector<Piece> pieces;
  const int chunks = Chunks(queue, s, s.batch);
  const int64_t source_size = s.in_channels * s.in_pixels();
  const int64_t target_size = s.out_channels * s.out_pixels();
  for (int i = 0; i < chunks; ++i) {
    const int64_t begin = s.batch * i / chunks;
    const int64_t end = s.batch * (i + 1) / chunks;
    if (begin == end) continue;
    Piece piece{s, begin * source_size, begin * target_size};
    piece.shape.batch = end - begin;
    pieces.push_back(piece);
  }
  return pieces;
}

// Names the members of a ConvolutionShape for one axis.
struct Axis {
  int64_t ConvolutionShape::*in;
  int64_t ConvolutionShape::*out;
  int64_t ConvolutionShape::*taps;
  int64_t ConvolutionShape::*stride;
  int64_t ConvolutionShape::*dilation;
  int64_t ConvolutionShape::*before;
  int64_t ConvolutionShape::*after;
};
constexpr Axis kDepth = {
    &ConvolutionShape::in_depth,       &ConvolutionShape::out_depth,
    &ConvolutionShape::filter_depth,   &ConvolutionShape::stride_depth,
    &ConvolutionShape::dilation_depth, &ConvolutionShape::pad_front,
    &ConvolutionShape::pad_back};
constexpr Axis kHeight = {
    &ConvolutionShape::in_height,       &ConvolutionShape::out_height,
    &ConvolutionShape::filter_height,   &ConvolutionShape::stride_height,
    &ConvolutionShape::dilation_height, &ConvolutionShape::pad_top,
    &ConvolutionShape::pad_bottom};

// Splits the output rows of one NHWC image, or the output planes of one NDHWC
// volume. Each piece reads the input rows or planes that it needs. Those that
// lie outside of the image become padding of the piece.
std::vector<Piece> SplitImage(const WorkQueue& queue,
                              const ConvolutionShape& s) {
  std::vector<Piece> pieces;
  const Axis& axis = s.has_depth ? kDepth : kHeight;
  const int64_t in = s.*axis.in, out = s.*axis.out;
  const int64_t before = s.*axis.before, stride = s.*axis.stride;
  const int chunks = Chunks(queue, s, s.has_depth ? out : out / 4);
  const int64_t window = (s.*axis.taps - 1) * (s.*axis.dilation) + 1;
  for (int i = 0; i < chunks; ++i) {
    const int64_t begin = out * i / chunks;
    const int64_t end = out * (i + 1) / chunks;
    const int64_t first = begin * stride - before;
    const int64_t last = (end - 1) * stride - before + window;
    const int64_t from = std::clamp<int64_t>(first, 0, in - 1);
    const int64_t to = std::clamp<int64_t>(last, from + 1, in);
    // oneDNN cannot compute a piece that lies wholly in the padding. If there
    // is such a piece, the image is not split.
    if (first >= in || last <= 0) return {Piece{s, 0, 0}};
    Piece piece{s, from * (s.in_pixels() / in) * s.in_channels,
                begin * (s.out_pixels() / out) * s.out_channels};
    piece.shape.*axis.in = to - from;
    piece.shape.*axis.out = end - begin;
    piece.shape.*axis.before = from - first;
    piece.shape.*axis.after = last - to;
    pieces.push_back(piece);
  }
  return pieces;
}

// Limits the number of primitives that a kernel keeps.
constexpr size_t kMaxCached = 64;

}  // namespace

class Convolution::Cache {
 public:
  // Returns the primitive for this direction and shape. Makes it if there is
  // none.
  absl::StatusOr<std::shared_ptr<const Primitive>> Get(
      Direction direction, const ConvolutionShape& shape) {
    const CacheKey key{direction, shape};
    {
      MutexLock lock(mutex_);
      auto it = primitives_.find(key);
      if (it != primitives_.end()) return it->second;
    }
    std::shared_ptr<const Primitive> made;
    LEAT_RETURN_IF_ERROR(Protected([&] {
      made = MakePrimitive(key);
      return absl::OkStatus();
    }));
    MutexLock lock(mutex_);
    // Shapes that change with every step would fill the memory. Clearing the
    // whole cache is cheap, because oneDNN keeps the code that it compiled.
    if (primitives_.size() >= kMaxCached) primitives_.clear();
    primitives_[key] = made;
    return made;
  }

  // Runs all pieces in parallel. `direction` is kForward or kBackwardInput,
  // which both read the filter. Neighbouring pieces share one reordered copy of
  // the filter if their primitives use the same layout.
  absl::Status RunWithFilter(WorkQueue& queue, Allocator& allocator,
                             Direction direction,
                             const std::vector<Piece>& pieces,
                             const float* source, const float* filter,
                             const float* target,
                             const Epilogue* epilogue = nullptr);

  // Computes the gradient of the filter. Each piece computes a partial sum. The
  // partial sums are added up at the end.
  absl::Status BackwardFilter(WorkQueue& queue, Allocator& allocator,
                              const std::vector<Piece>& pieces,
                              const float* source, const float* target,
                              float* filter);

 private:
  Mutex mutex_;
  absl::flat_hash_map<CacheKey, std::shared_ptr<const Primitive>> primitives_
      ABSL_GUARDED_BY(mutex_);
};

absl::Status Convolution::Cache::RunWithFilter(
    WorkQueue& queue, Allocator& allocator, Direction direction,
    const std::vector<Piece>& pieces, const float* source, const float* filter,
    const float* target, const Epilogue* epilogue) {
  struct Prepared {
    std::shared_ptr<const Primitive> primitive = {};
    BufferRef memory = {};
    const void* filter = nullptr;
  };
  std::vector<Prepared> prepared(pieces.size());
  for (size_t i = 0; i < pieces.size(); ++i) {
    LEAT_ASSIGN_OR_RETURN(auto primitive, Get(direction, pieces[i].shape));
    prepared[i].primitive = primitive;
    prepared[i].filter = filter;
    if (primitive->same_filter) continue;
    if (i > 0 && prepared[i - 1].primitive->filter == primitive->filter) {
      prepared[i].filter = prepared[i - 1].filter;
      continue;
    }
    LEAT_ASSIGN_OR_RETURN(prepared[i].memory,
                          Scratch(allocator, primitive->filter.get_size()));
    prepared[i].filter = prepared[i].memory->data();
    LEAT_RETURN_IF_ERROR(Protected([&] {
      return Reorder(allocator, *primitive, primitive->plain_filter, filter,
                     primitive->filter, prepared[i].memory->data());
    }));
  }
  FirstError error;
  ParallelChunks(queue, static_cast<int>(pieces.size()), [&](int i) {
    error.Report(Protected([&]() -> absl::Status {
      const float* const result = target + pieces[i].target;
      LEAT_RETURN_IF_ERROR(Execute(allocator, *prepared[i].primitive, direction,
                                   source + pieces[i].source,
                                   prepared[i].filter, result));
      if (epilogue != nullptr) {
        const ConvolutionShape& s = pieces[i].shape;
        epilogue->ApplyToImages(const_cast<float*>(result), s.channels_first,
                                s.batch, s.out_channels, s.out_pixels());
      }
      return absl::OkStatus();
    }));
  });
  return error.Take();
}

absl::Status Convolution::Cache::BackwardFilter(
    WorkQueue& queue, Allocator& allocator, const std::vector<Piece>& pieces,
    const float* source, const float* target, float* filter) {
  const ConvolutionShape& s = pieces[0].shape;
  const int64_t size = s.taps() * (s.in_channels / s.groups) * s.out_channels;
  // Piece 0 writes to `filter` itself. The other pieces write to partial sums
  // in the plain layout.
  std::vector<BufferRef> partial(pieces.size());
  FirstError error;
  ParallelChunks(queue, static_cast<int>(pieces.size()), [&](int i) {
    error.Report([&]() -> absl::Status {
      LEAT_ASSIGN_OR_RETURN(auto p,
                            Get(Direction::kBackwardFilter, pieces[i].shape));
      float* plain = filter;
      if (i > 0) {
        LEAT_ASSIGN_OR_RETURN(partial[i],
                              Scratch(allocator, size * sizeof(float)));
        plain = reinterpret_cast<float*>(partial[i]->data());
      }
      BufferRef blocked;
      if (!p->same_filter) {
        LEAT_ASSIGN_OR_RETURN(blocked,
                              Scratch(allocator, p->filter.get_size()));
      }
      return Protected([&]() -> absl::Status {
        void* result = p->same_filter ? static_cast<void*>(plain)
                                      : static_cast<void*>(blocked->data());
        LEAT_RETURN_IF_ERROR(Execute(allocator, *p, Direction::kBackwardFilter,
                                     source + pieces[i].source, result,
                                     target + pieces[i].target));
        if (p->same_filter) return absl::OkStatus();
        return Reorder(allocator, *p, p->filter, result, p->plain_filter,
                       plain);
      });
    }());
  });
  LEAT_RETURN_IF_ERROR(error.Take());
  ParallelFor(queue, size, static_cast<int64_t>(pieces.size()),
              [&](int64_t begin, int64_t end) {
                for (size_t i = 1; i < partial.size(); ++i) {
                  const float* from =
                      reinterpret_cast<const float*>(partial[i]->data());
                  for (int64_t j = begin; j < end; ++j) filter[j] += from[j];
                }
              });
  return absl::OkStatus();
}

Convolution::Convolution() : cache_(std::make_unique<Cache>()) {}
Convolution::~Convolution() = default;

absl::Status Convolution::Forward(WorkQueue& queue, Allocator& allocator,
                                  const ConvolutionShape& shape,
                                  const float* input, const float* filter,
                                  float* output,
                                  const Epilogue* epilogue) const {
  const bool is_split = shape.batch == 1 && !shape.channels_first;
  return cache_->RunWithFilter(
      queue, allocator, Direction::kForward,
      is_split ? SplitImage(queue, shape) : SplitBatch(queue, shape), input,
      filter, output, epilogue);
}

absl::Status Convolution::BackwardInput(WorkQueue& queue, Allocator& allocator,
                                        const ConvolutionShape& shape,
                                        const float* out_backprop,
                                        const float* filter,
                                        float* in_backprop) const {
  return cache_->RunWithFilter(queue, allocator, Direction::kBackwardInput,
                               SplitBatch(queue, shape), in_backprop, filter,
                               out_backprop);
}

absl::Status Convolution::BackwardFilter(WorkQueue& queue, Allocator& allocator,
                                         const ConvolutionShape& shape,
                                         const float* input,
                                         const float* out_backprop,
                                         float* filter_backprop) const {
  return cache_->BackwardFilter(queue, allocator, SplitBatch(queue, shape),
                                input, out_backprop, filter_backprop);
}

}  // namespace leat::kernels
