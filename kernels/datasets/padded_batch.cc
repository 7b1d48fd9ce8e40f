// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernel of PaddedBatchDatasetV2. Each of its elements is made of
// several elements of another dataset, which are padded to the same shape.
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/core/resource_handle.h"
#include "leat/core/saturating.h"
#include "leat/core/status_macros.h"
#include "leat/core/variant.h"
#include "leat/kernels/arrays/stacked_elements.h"
#include "leat/kernels/element_copy.h"
#include "leat/kernels/pipeline/batch.h"
#include "leat/kernels/pipeline/dataset_kernel.h"

namespace leat::kernels::datasets::padded_batch {
namespace {

struct PaddedBatchOptions {
  int64_t size = 1;
  bool drop_remainder = false;
  // Has a shape for each component. An extent that is not known is the largest
  // one of the batch.
  std::vector<PartialShape> shapes = {};
  std::vector<Tensor> values = {};  // with which components are padded
};

// Returns the shape to which component `c` of all elements is padded.
absl::StatusOr<Shape> PaddedShape(const std::vector<Element>& elements,
                                  size_t c, const PartialShape& declared) {
  Dims dims;
  for (const int64_t dim : declared.dims()) {
    dims.push_back(std::max<int64_t>(dim, 0));
  }
  for (const Element& element : elements) {
    const Shape& shape = element[c].shape();
    if (shape.rank() != declared.rank()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "All elements in a batch must have the same rank as the padded shape "
          "for component",
          c, ": expected rank ", declared.rank(), " but got element with rank ",
          shape.rank()));
    }
    for (int d = 0; d < shape.rank(); ++d) {
      int64_t& dim = dims[static_cast<size_t>(d)];
      if (shape.dim(d) <= dim) continue;
      if (declared.dim_known(d)) {
        return absl::DataLossError(
            "Attempted to pad to a smaller size than the input element.");
      }
      dim = shape.dim(d);
    }
  }
  return Shape::Create(dims);
}

// Copies an element of the shape `from_shape` into the corner of a larger one.
// Each run is a line of the last dimension.
template <class E>
void CopyIntoCorner(const E* from, const Shape& from_shape,
                    const Shape& to_shape, E* to) {
  const int rank = from_shape.rank();
  if (from_shape.num_elements() == 0) return;
  if (rank == 0) return CopyElements(from, 1, to);
  const Dims strides = to_shape.Strides();
  const int64_t line = from_shape.dim(rank - 1);
  Dims index(static_cast<size_t>(rank), 0);
  for (int64_t lines = from_shape.num_elements() / line; lines > 0; --lines) {
    int64_t offset = 0;
    for (size_t d = 0; d < index.size(); ++d) offset += index[d] * strides[d];
    CopyElements(from, line, to + offset);
    from += line;
    for (int d = rank - 2; d >= 0; --d) {
      int64_t& i = index[static_cast<size_t>(d)];
      if (++i < from_shape.dim(d)) break;
      i = 0;
    }
  }
}

absl::StatusOr<Tensor> PadComponent(const std::vector<Element>& elements,
                                    size_t c, const PaddedBatchOptions& options,
                                    Allocator& allocator) {
  LEAT_ASSIGN_OR_RETURN(const Shape shape,
                        PaddedShape(elements, c, options.shapes[c]));
  const auto count = static_cast<int64_t>(elements.size());
  LEAT_ASSIGN_OR_RETURN(const Shape batch_shape, WithRows(count, shape));
  const Tensor& value = options.values[c];
  int64_t held_bytes =
      SaturatingMultiply(value.held_bytes(), batch_shape.num_elements());
  for (const Element& element : elements) {
    if (element[c].dtype() != value.dtype()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "An element has type ", Name(element[c].dtype()), " in component ", c,
          ", but the dataset has type ", Name(value.dtype())));
    }
    held_bytes = SaturatingAdd(held_bytes, element[c].held_bytes());
  }
  LEAT_ASSIGN_OR_RETURN(
      Tensor batch,
      Tensor::Allocate(allocator, value.dtype(), batch_shape, held_bytes));
  VisitAnyElement(value.dtype(), [&](auto tag) {
    using E = typename decltype(tag)::type;
    E* to = MutableElements<E>(batch);
    std::fill_n(to, batch_shape.num_elements(), *Elements<E>(value));
    for (const Element& element : elements) {
      CopyIntoCorner(Elements<E>(element[c]), element[c].shape(), shape, to);
      to += shape.num_elements();
    }
  });
  return batch;
}

class PaddedBatchStage final : public Stage {
 public:
  PaddedBatchStage(std::unique_ptr<Stage> elements, DatasetPtr dataset,
                   const PaddedBatchOptions& options,
                   const StageContext& context)
      : batches_(std::move(elements), options.size, options.drop_remainder,
                 context),
        dataset_(std::move(dataset)),
        options_(options),
        pipeline_(context.pipeline) {}

  absl::StatusOr<Progress> Next(Element& element) override {
    std::vector<Element> elements;
    LEAT_ASSIGN_OR_RETURN(const Progress progress, batches_.Next(elements));
    if (progress != Progress::kElement) return progress;
    element.clear();
    for (size_t c = 0; c < options_.shapes.size(); ++c) {
      LEAT_ASSIGN_OR_RETURN(
          Tensor padded,
          PadComponent(elements, c, options_, pipeline_->allocator()));
      element.push_back(std::move(padded));
    }
    return Progress::kElement;
  }

 private:
  ElementCollector batches_;
  const DatasetPtr dataset_;  // owns the options
  const PaddedBatchOptions& options_;
  const std::shared_ptr<const Pipeline> pipeline_;
};

class PaddedBatchDataset final
    : public Dataset,
      public std::enable_shared_from_this<PaddedBatchDataset> {
 public:
  PaddedBatchDataset(ElementSpec spec, DatasetPtr input,
                     PaddedBatchOptions options)
      : Dataset(std::move(spec)),
        input_(std::move(input)),
        options_(std::move(options)) {}

  absl::StatusOr<std::unique_ptr<Stage>> NewStage(
      const StageContext& context) const override {
    LEAT_ASSIGN_OR_RETURN(std::unique_ptr<Stage> input,
                          MakeStage(*input_, context));
    return std::make_unique<PaddedBatchStage>(
        std::move(input), shared_from_this(), options_, context);
  }
  int64_t ComputeCardinality() const override {
    return NumBatches(input_->Cardinality(), options_.size,
                      options_.drop_remainder);
  }

 private:
  const DatasetPtr input_;
  const PaddedBatchOptions options_;
};

// Reads the padded shapes and the values from the inputs after batch_size.
absl::Status GetPadding(const KernelContext& context, const ElementSpec& spec,
                        PaddedBatchOptions& options) {
  const int num_components = (context.num_inputs() - 3) / 2;
  if (num_components != static_cast<int>(spec.dtypes.size())) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Number of padded shapes (", num_components,
        ") must match the number of components in the input dataset's elements "
        "(",
        spec.dtypes.size(), ")"));
  }
  for (int i = 0; i < num_components; ++i) {
    const Tensor& shape = context.input(2 + i);
    if (shape.rank() != 1) {
      return absl::InvalidArgumentError("All padded shapes must be vectors");
    }
    LEAT_ASSIGN_OR_RETURN(PartialShape padded,
                          PartialShape::Create(shape.data<int64_t>()));
    options.shapes.push_back(std::move(padded));
    const Tensor& value = context.input(2 + num_components + i);
    const DType dtype = spec.dtypes[static_cast<size_t>(i)];
    if (value.rank() != 0) {
      return absl::InvalidArgumentError("All padding values must be scalars");
    }
    if (value.dtype() != dtype) {
      return absl::InvalidArgumentError(
          absl::StrCat("Mismatched type between padding value ", i,
                       " and input dataset's component ", i, ": ",
                       Name(value.dtype()), " vs. ", Name(dtype)));
    }
    options.values.push_back(value);
  }
  return absl::OkStatus();
}

// The inputs are the dataset, batch_size, the padded shapes, the padding values
// and drop_remainder.
absl::StatusOr<DatasetPtr> MakePaddedBatch(KernelContext& context) {
  LEAT_ASSIGN_OR_RETURN(DatasetPtr input, InputDataset(context));
  PaddedBatchOptions options;
  LEAT_ASSIGN_OR_RETURN(options.size, BatchSizeArgument(context, 1));
  LEAT_ASSIGN_OR_RETURN(options.drop_remainder,
                        ScalarArgument<bool>(context, context.num_inputs() - 1,
                                             "drop_remainder"));
  LEAT_RETURN_IF_ERROR(GetPadding(context, input->spec(), options));
  LEAT_ASSIGN_OR_RETURN(
      ElementSpec spec,
      BatchSpec(
          {.dtypes = input->spec().dtypes, .shapes = options.shapes},
          options.drop_remainder ? options.size : PartialShape::kUnknown));
  return std::make_shared<const PaddedBatchDataset>(
      std::move(spec), std::move(input), std::move(options));
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("PaddedBatchDatasetV2", kCpu,
               &MakeDatasetKernel<&MakePaddedBatch>);
}

}  // namespace leat::kernels::datasets::padded_batch
