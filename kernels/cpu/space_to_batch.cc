// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of SpaceToBatchND and BatchToSpaceND, which move blocks
// of space into the batch and back, and of SpaceToBatch and BatchToSpace, which
// do so with square blocks of images.
//
// A tensor in space has the shape [batch, space..., rest...]. Its counterpart
// has a batch that is larger by the number of elements of a block, and space
// that is smaller. Where the blocks start before or end behind the space, the
// elements are padding or are cropped.
#include <algorithm>
#include <memory>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/element_copy.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::cpu::space_to_batch {
namespace {

// Describes the blocks. Each list has one entry for each dimension of space.
struct Blocks {
  Dims sizes = {};    // of a block
  Dims before = {};   // elements of padding before the space
  Dims after = {};    // elements of padding behind the space
  int64_t count = 1;  // the product of the sizes

  int rank() const { return static_cast<int>(sizes.size()); }
};

// Describes all elements that lie at the same place of their blocks. They form
// a box of both tensors.
struct Box {
  Shape shape = {};
  int64_t space_offset = 0;
  int64_t batch_offset = 0;
};

int64_t CeilDivide(int64_t a, int64_t b) {
  return a > 0 ? (a + b - 1) / b : a / b;
}

// Returns the box of place number `place` of a block. `space` and `batch` are
// the shapes of the two tensors.
Box BoxOf(const Blocks& blocks, int64_t place, const Shape& space,
          const Shape& batch) {
  const Dims space_strides = space.Strides();
  const Dims batch_strides = batch.Strides();
  Box box;
  Dims dims(space.dims().begin(), space.dims().end());
  box.batch_offset = place * space.dim(0) * batch_strides[0];
  for (int i = blocks.rank() - 1; i >= 0; --i) {
    const int64_t size = blocks.sizes[i];
    // Element k of the axis in the batch is element k * size + shift in space.
    const int64_t shift = place % size - blocks.before[i];
    place /= size;
    const int64_t begin = std::max<int64_t>(0, CeilDivide(-shift, size));
    const int64_t end =
        std::min(batch.dim(i + 1), CeilDivide(space.dim(i + 1) - shift, size));
    dims[i + 1] = std::max<int64_t>(0, end - begin);
    box.space_offset += (begin * size + shift) * space_strides[i + 1];
    box.batch_offset += begin * batch_strides[i + 1];
  }
  box.shape = *Shape::Create(dims);  // at most as large as `space`
  return box;
}

// Copies all elements from space to the batch, or the other way round.
template <class E>
void CopyBlocks(WorkQueue& queue, const Blocks& blocks, bool to_batch,
                const Shape& space, const Shape& batch, const E* from, E* to) {
  Dims space_strides = space.Strides();
  for (int i = 0; i < blocks.rank(); ++i) {
    space_strides[i + 1] *= blocks.sizes[i];
  }
  for (int64_t place = 0; place < blocks.count; ++place) {
    const Box box = BoxOf(blocks, place, space, batch);
    if (box.shape.num_elements() == 0) continue;
    if (to_batch) {
      CopyBetweenStrided(queue,
                         PlanStrided(box.shape, space_strides, batch.Strides()),
                         from + box.space_offset, to + box.batch_offset);
    } else {
      CopyBetweenStrided(queue,
                         PlanStrided(box.shape, batch.Strides(), space_strides),
                         from + box.batch_offset, to + box.space_offset);
    }
  }
}

// Reads the paddings or crops, a matrix with one row for each dimension of
// space. `name` is the name of the input, and `title` the word that begins an
// error.
absl::Status ReadPaddings(const Tensor& paddings, absl::string_view name,
                          absl::string_view title, Blocks& blocks) {
  if (paddings.rank() != 2 || paddings.dim(0) != blocks.rank() ||
      paddings.dim(1) != 2) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, " should have shape [", blocks.rank(),
                     ", 2] instead of ", paddings.shape().DebugString()));
  }
  LEAT_ASSIGN_OR_RETURN(const Tensor flat,
                        paddings.Reshaped(Shape{paddings.num_elements()}));
  LEAT_ASSIGN_OR_RETURN(const Dims values, GetIndices(flat, name));
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat(title, " must be non-negative"));
    }
    (i % 2 == 0 ? blocks.before : blocks.after).push_back(values[i]);
  }
  return absl::OkStatus();
}

absl::Status CountBlocks(Blocks& blocks) {
  for (size_t i = 0; i < blocks.sizes.size(); ++i) {
    if (blocks.sizes[i] < 1) {
      return absl::InvalidArgumentError(absl::StrCat(
          "All values in block_shape must be positive, got value, ",
          blocks.sizes[i], " at index ", i, "."));
    }
    LEAT_ASSIGN_OR_RETURN(blocks.count,
                          CheckedMultiply(blocks.count, blocks.sizes[i]));
  }
  return absl::OkStatus();
}

// Returns the blocks of the node. `block_size` is the attr of an op with square
// blocks, or 0 if input 1 has the sizes of the blocks.
absl::StatusOr<Blocks> GetBlocks(const KernelContext& context,
                                 int64_t block_size, bool to_batch) {
  const int rank = context.input(0).rank();
  Blocks blocks;
  if (block_size > 0) {
    if (rank != 4) {
      return absl::InvalidArgumentError(
          absl::StrCat("Input rank should be: 4 instead of: ", rank));
    }
    blocks.sizes = {block_size, block_size};
  } else {
    const Tensor& sizes = context.input(1);
    if (sizes.rank() != 1) {
      return absl::InvalidArgumentError(absl::StrCat(
          "block_shape rank should be 1 instead of ", sizes.rank()));
    }
    LEAT_ASSIGN_OR_RETURN(blocks.sizes, GetIndices(sizes, "block_shape"));
  }
  if (rank < blocks.rank() + 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "input rank should be >= ", blocks.rank() + 1, " instead of ", rank));
  }
  LEAT_RETURN_IF_ERROR(CountBlocks(blocks));
  LEAT_RETURN_IF_ERROR(ReadPaddings(context.input(block_size > 0 ? 1 : 2),
                                    to_batch ? "paddings" : "crops",
                                    to_batch ? "Paddings" : "Crops", blocks));
  return blocks;
}

// Returns the shape of the tensor in the batch.
absl::StatusOr<Shape> ToBatch(const Shape& space, const Blocks& blocks) {
  Dims dims(space.dims().begin(), space.dims().end());
  LEAT_ASSIGN_OR_RETURN(dims[0], CheckedMultiply(dims[0], blocks.count));
  for (int i = 0; i < blocks.rank(); ++i) {
    int64_t& extent = dims[i + 1];
    LEAT_ASSIGN_OR_RETURN(extent, CheckedAdd(extent, blocks.before[i]));
    LEAT_ASSIGN_OR_RETURN(extent, CheckedAdd(extent, blocks.after[i]));
    if (extent % blocks.sizes[i] != 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          "padded_shape[", i, "]=", extent, " is not divisible by block_shape[",
          i, "]=", blocks.sizes[i]));
    }
    extent /= blocks.sizes[i];
  }
  return Shape::Create(dims);
}

// Returns the shape of the tensor in space.
absl::StatusOr<Shape> ToSpace(const Shape& batch, const Blocks& blocks) {
  Dims dims(batch.dims().begin(), batch.dims().end());
  if (dims[0] % blocks.count != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Input batch dimension (", dims[0],
        ") is not divisible by product of block sizes (", blocks.count, ")"));
  }
  dims[0] /= blocks.count;
  for (int i = 0; i < blocks.rank(); ++i) {
    int64_t& extent = dims[i + 1];
    LEAT_ASSIGN_OR_RETURN(extent, CheckedMultiply(extent, blocks.sizes[i]));
    // Each difference is above -2^63, because no term is negative.
    extent -= blocks.before[i];
    if (extent >= 0) extent -= blocks.after[i];
    if (extent < 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          "cropped_shape[", i, "]=", extent, " must be non-negative"));
    }
  }
  return Shape::Create(dims);
}

template <class E>
class SpaceToBatch final : public Kernel {
 public:
  explicit SpaceToBatch(int64_t block_size) : block_size_(block_size) {}

  absl::Status Compute(KernelContext& context) const final {
    const Tensor& input = context.input(0);
    LEAT_ASSIGN_OR_RETURN(const Blocks blocks,
                          GetBlocks(context, block_size_, /*to_batch=*/true));
    LEAT_ASSIGN_OR_RETURN(const Shape shape, ToBatch(input.shape(), blocks));
    LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(0, shape));
    E* to = MutableElements<E>(*output);
    if (shape.num_elements() != input.num_elements()) {
      ClearElements(to, shape.num_elements());
    }
    if (input.num_elements() == 0) return absl::OkStatus();
    CopyBlocks(context.compute_queue(), blocks, /*to_batch=*/true,
               input.shape(), shape, Elements<E>(input), to);
    return absl::OkStatus();
  }

 private:
  const int64_t block_size_;
};

template <class E>
class BatchToSpace final : public Kernel {
 public:
  explicit BatchToSpace(int64_t block_size) : block_size_(block_size) {}

  absl::Status Compute(KernelContext& context) const final {
    const Tensor& input = context.input(0);
    LEAT_ASSIGN_OR_RETURN(const Blocks blocks,
                          GetBlocks(context, block_size_, /*to_batch=*/false));
    LEAT_ASSIGN_OR_RETURN(const Shape shape, ToSpace(input.shape(), blocks));
    LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(0, shape));
    if (shape.num_elements() == 0) return absl::OkStatus();
    CopyBlocks(context.compute_queue(), blocks, /*to_batch=*/false, shape,
               input.shape(), Elements<E>(input), MutableElements<E>(*output));
    return absl::OkStatus();
  }

 private:
  const int64_t block_size_;
};

template <template <class> class K>
absl::StatusOr<std::unique_ptr<Kernel>> MakeKernel(const NodeDef& node) {
  int64_t block_size = 0;
  if (node.input_types.size() == 2) {
    LEAT_ASSIGN_OR_RETURN(block_size, node.attrs.GetInt32("block_size"));
  }
  return MakeForElement(node, "T", [&](auto tag) -> std::unique_ptr<Kernel> {
    return std::make_unique<K<typename decltype(tag)::type>>(block_size);
  });
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("SpaceToBatchND", kCpu, &MakeKernel<SpaceToBatch>);
  registry.Add("SpaceToBatch", kCpu, &MakeKernel<SpaceToBatch>);
  registry.Add("BatchToSpaceND", kCpu, &MakeKernel<BatchToSpace>);
  registry.Add("BatchToSpace", kCpu, &MakeKernel<BatchToSpace>);
}

}  // namespace leat::kernels::cpu::space_to_batch
