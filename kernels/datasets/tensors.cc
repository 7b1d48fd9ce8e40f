// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of TensorDataset, which has one element, and of
// TensorSliceDataset, whose elements are the rows of tensors.
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/arrays/stacked_elements.h"
#include "leat/kernels/function_call.h"
#include "leat/kernels/pipeline/dataset_kernel.h"
#include "leat/kernels/pipeline/element_checks.h"

namespace leat::kernels::datasets::tensors {
namespace {

class TensorStage final : public Stage {
 public:
  explicit TensorStage(Element element) : element_(std::move(element)) {}

  absl::StatusOr<Progress> Next(Element& element) override {
    if (std::exchange(is_over_, true)) return Progress::kEnd;
    element = std::move(element_);
    return Progress::kElement;
  }

 private:
  Element element_;
  bool is_over_ = false;
};

class TensorDataset final : public Dataset {
 public:
  TensorDataset(ElementSpec spec, Element element)
      : Dataset(std::move(spec)), element_(std::move(element)) {}

  absl::StatusOr<std::unique_ptr<Stage>> NewStage(
      const StageContext&) const override {
    return std::make_unique<TensorStage>(element_);
  }
  int64_t ComputeCardinality() const override { return 1; }

 private:
  const Element element_;
};

class SliceStage final : public Stage {
 public:
  // `tensors` and `shapes`, the shapes of their rows, are borrowed from the
  // dataset.
  SliceStage(DatasetPtr dataset, const Element& tensors,
             const std::vector<Shape>& shapes)
      : dataset_(std::move(dataset)), tensors_(tensors), shapes_(shapes) {}

  absl::StatusOr<Progress> Next(Element& element) override {
    if (next_ == tensors_[0].dim(0)) return Progress::kEnd;
    element.clear();
    for (size_t i = 0; i < tensors_.size(); ++i) {
      LEAT_ASSIGN_OR_RETURN(Tensor row, RowOf(tensors_[i], next_, shapes_[i]));
      element.push_back(std::move(row));
    }
    ++next_;
    return Progress::kElement;
  }

 private:
  const DatasetPtr dataset_;
  const Element& tensors_;
  const std::vector<Shape>& shapes_;
  int64_t next_ = 0;
};

class SliceDataset final : public Dataset,
                           public std::enable_shared_from_this<SliceDataset> {
 public:
  SliceDataset(ElementSpec spec, Element tensors, std::vector<Shape> shapes)
      : Dataset(std::move(spec)),
        tensors_(std::move(tensors)),
        shapes_(std::move(shapes)) {}

  absl::StatusOr<std::unique_ptr<Stage>> NewStage(
      const StageContext&) const override {
    return std::make_unique<SliceStage>(shared_from_this(), tensors_, shapes_);
  }
  int64_t ComputeCardinality() const override { return tensors_[0].dim(0); }

 private:
  const Element tensors_;
  const std::vector<Shape> shapes_;
};

// Adds the types of `tensors` to a spec.
ElementSpec SpecOf(const Element& tensors) {
  ElementSpec spec;
  for (const Tensor& tensor : tensors) {
    spec.dtypes.push_back(tensor.dtype());
    spec.shapes.push_back(tensor.shape());
  }
  return spec;
}

absl::StatusOr<DatasetPtr> MakeTensor(KernelContext& context) {
  Element element = InputsOf(context, 0, context.num_inputs());
  ElementSpec spec = SpecOf(element);
  LEAT_ASSIGN_OR_RETURN(
      spec.shapes,
      context.node().attrs.Get<std::vector<PartialShape>>("output_shapes"));
  if (spec.shapes.size() != spec.dtypes.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("output_shapes has ", spec.shapes.size(), " shapes for ",
                     spec.dtypes.size(), " components"));
  }
  LEAT_RETURN_IF_ERROR(CheckElement(spec, element));
  return std::make_shared<const TensorDataset>(std::move(spec),
                                               std::move(element));
}

absl::StatusOr<DatasetPtr> MakeSlices(KernelContext& context) {
  Element tensors = InputsOf(context, 0, context.num_inputs());
  if (tensors.empty()) {
    return absl::InvalidArgumentError(
        "TensorSliceDataset needs at least one component");
  }
  for (const Tensor& tensor : tensors) {
    if (tensor.rank() < 1) {
      return absl::InvalidArgumentError(
          "All components must be at least 1-dimensional");
    }
  }
  std::vector<Shape> shapes;
  ElementSpec spec = SpecOf(tensors);
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].dim(0) != tensors[0].dim(0)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "All components must have the same size in the 0th dimension; "
          "component ",
          i, " has ", tensors[i].dim(0), " and component 0 has ",
          tensors[0].dim(0)));
    }
    LEAT_ASSIGN_OR_RETURN(Shape row,
                          Shape::Create(tensors[i].shape().dims().subspan(1)));
    spec.shapes[i] = row;
    shapes.push_back(std::move(row));
  }
  return std::make_shared<const SliceDataset>(
      std::move(spec), std::move(tensors), std::move(shapes));
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("TensorDataset", kCpu, &MakeDatasetKernel<&MakeTensor>);
  registry.Add("TensorSliceDataset", kCpu, &MakeDatasetKernel<&MakeSlices>);
}

}  // namespace leat::kernels::datasets::tensors
