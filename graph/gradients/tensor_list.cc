// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Registers the gradients of the ops on lists of tensors. The gradient of a
// list is a list of the gradients of its elements.
#include "leat/graph/autodiff/gradient_shapes.h"
#include "leat/graph/ops.h"

namespace leat::gradients::tensor_list {
namespace {

// Returns the shape of one element of the stack `x`.
Output RowShape(Output x) { return ShapeOf(x).Slice({From(1)}); }

void PushBackGrad(GradientContext& c) {
  const Output element = c.input(1);
  const auto popped =
      op::TensorListPopBack(c.grad(), ShapeOf(element), element.dtype());
  c.set(0, popped.output_handle);
  c.set(1, popped.tensor);
}

// Output 0 is the list without the element, so the element's gradient is pushed
// onto the list's gradient.
void PopBackGrad(GradientContext& c) {
  if (c.needs(0)) c.set(0, op::TensorListPushBack(c.grad(0), c.grad(1)));
}

void StackGrad(GradientContext& c) {
  const Output dy = c.grad();
  if (c.needs(0)) c.set(0, op::TensorListFromTensor(dy, RowShape(dy)));
}

void FromTensorGrad(GradientContext& c) {
  if (!c.needs(0)) return;
  const Output x = c.input(0);
  c.set(0, op::TensorListStack(c.grad(), RowShape(x), x.dtype()));
}

void GetItemGrad(GradientContext& c) {
  if (!c.needs(0)) return;
  const Output dy = c.grad();
  const Output zeros = op::TensorListReserve(
      ShapeOf(dy), op::TensorListLength(c.input(0)), dy.dtype());
  c.set(0, op::TensorListSetItem(zeros, c.input(1), dy));
}

void SetItemGrad(GradientContext& c) {
  const Output item = c.input(2);
  if (c.needs(0)) {
    c.set(0, op::TensorListSetItem(c.grad(), c.input(1), op::ZerosLike(item)));
  }
  if (c.needs(2)) {
    c.set(2, op::TensorListGetItem(c.grad(), c.input(1), ShapeOf(item),
                                   item.dtype()));
  }
}

void ResizeGrad(GradientContext& c) {
  if (!c.needs(0)) return;
  c.set(0, op::TensorListResize(c.grad(), op::TensorListLength(c.input(0))));
}

void GatherGrad(GradientContext& c) {
  if (!c.needs(0)) return;
  const Output dy = c.grad();
  c.set(0, op::TensorListScatterV2(dy, c.input(1), RowShape(dy),
                                   op::TensorListLength(c.input(0))));
}

void ScatterGrad(GradientContext& c) {
  if (!c.needs(0)) return;
  const Output x = c.input(0);
  c.set(0, op::TensorListGather(c.grad(), c.input(1), RowShape(x), x.dtype()));
}

void ScatterIntoListGrad(GradientContext& c) {
  const Output x = c.input(1);
  if (c.needs(0)) {
    c.set(0, op::TensorListScatterIntoExistingList(c.grad(), op::ZerosLike(x),
                                                   c.input(2)));
  }
  if (c.needs(1)) {
    c.set(1,
          op::TensorListGather(c.grad(), c.input(2), RowShape(x), x.dtype()));
  }
}

void ConcatGrad(GradientContext& c) {
  if (!c.needs(0)) return;
  c.set(0, op::TensorListSplit(c.grad(0), c.input(1), c.output(1)));
}

void SplitGrad(GradientContext& c) {
  if (!c.needs(0)) return;
  const Output none = c.builder().Const(
      Tensor::FromSpan<int64_t>(Shape{0}, std::vector<int64_t>{}));
  c.set(0,
        op::TensorListConcatV2(c.grad(), c.input(1), none, c.input(0).dtype())
            .tensor);
}

}  // namespace

void Register(GradientRegistry& registry) {
  registry.Add("TensorListPushBack", PushBackGrad);
  registry.Add("TensorListPopBack", PopBackGrad);
  registry.Add("TensorListStack", StackGrad);
  registry.Add("TensorListFromTensor", FromTensorGrad);
  registry.Add("TensorListGetItem", GetItemGrad);
  registry.Add("TensorListSetItem", SetItemGrad);
  registry.Add("TensorListResize", ResizeGrad);
  registry.Add("TensorListGather", GatherGrad);
  registry.Add("TensorListScatterV2", ScatterGrad);
  registry.Add("TensorListScatterIntoExistingList", ScatterIntoListGrad);
  registry.Add("TensorListConcatV2", ConcatGrad);
  registry.Add("TensorListSplit", SplitGrad);
  registry.AddNotDifferentiable("EmptyTensorList");
  registry.AddNotDifferentiable("TensorListReserve");
  registry.AddNotDifferentiable("TensorListLength");
  registry.AddNotDifferentiable("TensorListElementShape");
}

}  // namespace leat::gradients::tensor_list
