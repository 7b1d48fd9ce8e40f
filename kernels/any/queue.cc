// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of the ops on queues. FIFOQueue and RandomShuffleQueue
// make queues; the others put elements in and take them out. Input 0 of these
// names the queue: it is a handle or, in ops without V2, a reference.
#include "leat/kernels/resources/queue.h"

#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/core/resource_handle.h"
#include "leat/core/saturating.h"
#include "leat/core/status_macros.h"
#include "leat/core/variant.h"
#include "leat/kernels/arrays/stacked_elements.h"
#include "leat/kernels/both_forms.h"
#include "leat/kernels/element_copy.h"
#include "leat/kernels/handle_output.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/signature.h"
#include "leat/kernels/variable_access.h"

namespace leat::kernels::any::queue {
namespace {

// Makes the node's queue if there is none of its name, and outputs the handle
// of the queue. If the queue exists already, it must have the same options.
class QueueHandle final : public Kernel {
 public:
  QueueHandle(ResourceName name, QueueOptions options)
      : options_(std::move(options)),
        handle_(std::move(name), Queue::kTypeName) {}

  absl::Status Compute(KernelContext& context) const final {
    const auto& named = handle_.Get(context).scalar<ResourceHandle>();
    ResourceStore& store = *context.step().resources;
    LEAT_ASSIGN_OR_RETURN(
        const std::shared_ptr<Queue> queue,
        store.FindOrMake<Queue>(
            named.container, named.name,
            [&]() -> absl::StatusOr<std::shared_ptr<Queue>> {
              QueueOptions options = options_;
              options.name = named.name;
              options.max_tensors = store.limits().max_queue_elements;
              return std::make_shared<Queue>(std::move(options));
            }));
    LEAT_RETURN_IF_ERROR(CheckSameQueue(queue->options(), options_));
    return handle_.Set(context);
  }

 private:
  const QueueOptions options_;
  const HandleOutput handle_;
};

template <QueueKind kind>
absl::StatusOr<std::unique_ptr<Kernel>> MakeQueue(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(ResourceName name, GetPrivateResourceName(node));
  LEAT_ASSIGN_OR_RETURN(QueueOptions options, GetQueueOptions(node, kind));
  return std::unique_ptr<Kernel>(
      std::make_unique<QueueHandle>(std::move(name), std::move(options)));
}

// Returns the queue that input 0 names.
absl::StatusOr<std::shared_ptr<Queue>> GetQueue(const KernelContext& context) {
  return FindResource<Queue>(context, 0);
}

absl::Status CheckTimeout(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const int64_t timeout,
                        node.attrs.GetOr<int64_t>("timeout_ms", -1));
  if (timeout == -1) return absl::OkStatus();
  return absl::InvalidArgumentError("Timeout not supported yet.");
}

// Makes the kernel of an op that has the attr timeout_ms.
template <class K>
absl::StatusOr<std::unique_ptr<Kernel>> MakeWaiting(const NodeDef& node) {
  LEAT_RETURN_IF_ERROR(CheckTimeout(node));
  return Make<K>(node);
}

// Returns the shape of component `i` when `count` elements are stacked.
// REQUIRES: the queue has shapes.
absl::StatusOr<Shape> ShapeOfMany(const Queue& queue, size_t i, int64_t count) {
  const auto row = queue.options().shapes[i].dims();
  Dims dims(row.begin(), row.end());
  dims.insert(dims.begin(), count);
  return Shape::Create(dims);
}

absl::Status WrongShape(size_t component, const Shape& expected,
                        const Shape& got) {
  return absl::InvalidArgumentError(absl::StrCat(
      "Shape mismatch in tuple component ", component, ". Expected ",
      expected.DebugString(), ", got ", got.DebugString()));
}

// Makes one element from the inputs after the handle, and checks their shapes.
absl::StatusOr<Queue::Elements> OneElement(const Queue& queue,
                                           const KernelContext& context) {
  const auto& shapes = queue.options().shapes;
  QueueElement element;
  for (int i = 1; i < context.num_inputs(); ++i) {
    const size_t component = static_cast<size_t>(i - 1);
    element.push_back(context.input(i));
    if (shapes.empty() || shapes[component] == element.back().shape()) continue;
    return WrongShape(component, shapes[component], element.back().shape());
  }
  return Queue::Elements{std::move(element)};
}

// Checks the shapes of the inputs, and returns how many elements their batch
// has.
absl::StatusOr<int64_t> BatchSize(const Queue& queue,
                                  const KernelContext& context) {
  for (int i = 1; i < context.num_inputs(); ++i) {
    if (context.input(i).rank() > 0) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("Tuple component ", i - 1,
                     " must be at least a vector, but is a scalar"));
  }
  const int64_t size = context.input(1).dim(0);
  for (int i = 1; i < context.num_inputs(); ++i) {
    const size_t component = static_cast<size_t>(i - 1);
    const Shape& shape = context.input(i).shape();
    if (!queue.options().shapes.empty()) {
      LEAT_ASSIGN_OR_RETURN(const Shape expected,
                            ShapeOfMany(queue, component, size));
      if (shape != expected) return WrongShape(component, expected, shape);
    } else if (shape.dim(0) != size) {
      return absl::InvalidArgumentError(absl::StrCat(
          "All input tensors must have the same size in the 0th dimension. "
          "Component ",
          component, " has ", shape.dim(0), ", and should have ", size));
    }
  }
  if (size > queue.max_elements()) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "A batch of ", size, " elements is more than the ",
        queue.max_elements(), " that a queue may have (max_queue_elements)"));
  }
  return size;
}

// Returns row `i` of `batch`. Copies the row unless it is the only one, so that
// an element in the queue does not keep the other rows in memory.
absl::StatusOr<Tensor> Row(const Tensor& batch, int64_t i,
                           Allocator& allocator) {
  LEAT_ASSIGN_OR_RETURN(const Shape shape,
                        Shape::Create(batch.shape().dims().subspan(1)));
  LEAT_ASSIGN_OR_RETURN(Tensor row, RowOf(batch, i, shape));
  if (batch.dim(0) == 1) return row;
  return row.Copy(allocator);
}

// Makes one element from each row of the inputs after the handle.
absl::StatusOr<Queue::Elements> ManyElements(const Queue& queue,
                                             const KernelContext& context) {
  LEAT_ASSIGN_OR_RETURN(const int64_t size, BatchSize(queue, context));
  Queue::Elements elements(static_cast<size_t>(size));
  for (int64_t row = 0; row < size; ++row) {
    QueueElement& element = elements[static_cast<size_t>(row)];
    for (int i = 1; i < context.num_inputs(); ++i) {
      LEAT_ASSIGN_OR_RETURN(
          Tensor component,
          Row(context.input(i), row, context.step().device->allocator()));
      element.push_back(std::move(component));
    }
  }
  return elements;
}

// Puts elements into the queue. `split` makes the elements from the inputs.
template <auto split>
class Enqueue final : public AsyncKernel {
 public:
  void ComputeAsync(KernelContext& context, Done done) const final {
    auto queue = GetQueue(context);
    if (!queue.ok()) return std::move(done)(queue.status());
    auto elements = Elements(**queue, context);
    if (!elements.ok()) return std::move(done)(elements.status());
    if (elements->empty()) return std::move(done)(absl::OkStatus());
    // The callback shares the ownership of the queue, because the queue may be
    // deleted before the callback is called.
    auto finish = [queue = *queue, done = std::move(done)](
                      absl::StatusOr<Queue::Elements> result) mutable {
      std::move(done)(result.status());
    };
    (*queue)->Enqueue(*std::move(elements), *context.step().cancellation,
                      std::move(finish));
  }

 private:
  static absl::StatusOr<Queue::Elements> Elements(
      const Queue& queue, const KernelContext& context) {
    LEAT_RETURN_IF_ERROR(
        CheckSignature(context.node(), 1, queue.options().dtypes, {}));
    return split(queue, context);
  }
};

class Dequeue final : public AsyncKernel {
 public:
  void ComputeAsync(KernelContext& context, Done done) const final {
    auto queue = GetQueue(context);
    if (!queue.ok()) return std::move(done)(queue.status());
    if (absl::Status status =
            CheckSignature(context.node(), 1, {}, (*queue)->options().dtypes);
        !status.ok()) {
      return std::move(done)(std::move(status));
    }
    auto finish = [&context, queue = *queue, done = std::move(done)](
                      absl::StatusOr<Queue::Elements> taken) mutable {
      if (!taken.ok()) return std::move(done)(taken.status());
      QueueElement& element = taken->front();
      for (int i = 0; i < context.num_outputs(); ++i) {
        context.set_output(i, std::move(element[static_cast<size_t>(i)]));
      }
      std::move(done)(absl::OkStatus());
    };
    (*queue)->Dequeue(1, /*up_to=*/false, *context.step().cancellation,
                      std::move(finish));
  }
};

// Sets output `i` to component `i` of all elements, stacked along a new first
// dimension.
absl::Status Stack(const Queue& queue, const Queue::Elements& elements, int i,
                   KernelContext& context) {
  const size_t component = static_cast<size_t>(i);
  LEAT_ASSIGN_OR_RETURN(
      const Shape shape,
      ShapeOfMany(queue, component, static_cast<int64_t>(elements.size())));
  int64_t held_bytes = 0;
  for (const QueueElement& element : elements) {
    held_bytes = SaturatingAdd(held_bytes, element[component].held_bytes());
  }
  LEAT_ASSIGN_OR_RETURN(Tensor * output,
                        context.AllocateOutput(i, shape, held_bytes));
  if (shape.num_elements() == 0) return absl::OkStatus();
  const int64_t size = queue.options().shapes[component].num_elements();
  VisitAnyElement(output->dtype(), [&](auto tag) {
    using E = typename decltype(tag)::type;
    E* to = MutableElements<E>(*output);
    for (const QueueElement& element : elements) {
      CopyElements(kernels::Elements<E>(element[component]), size, to);
      to += size;
    }
  });
  return absl::OkStatus();
}

absl::Status StackAll(const Queue& queue, const Queue::Elements& elements,
                      KernelContext& context) {
  for (int i = 0; i < context.num_outputs(); ++i) {
    LEAT_RETURN_IF_ERROR(Stack(queue, elements, i, context));
  }
  return absl::OkStatus();
}

template <bool up_to>
class DequeueMany final : public AsyncKernel {
 public:
  void ComputeAsync(KernelContext& context, Done done) const final {
    auto queue = GetQueue(context);
    if (!queue.ok()) return std::move(done)(queue.status());
    auto count = Count(**queue, context);
    if (!count.ok()) return std::move(done)(count.status());
    if (*count == 0) return std::move(done)(StackAll(**queue, {}, context));
    auto finish = [&context, queue = *queue, done = std::move(done)](
                      absl::StatusOr<Queue::Elements> taken) mutable {
      if (!taken.ok()) return std::move(done)(taken.status());
      const absl::Status status = StackAll(*queue, *taken, context);
      if (!status.ok()) queue->Return(*std::move(taken));
      std::move(done)(status);
    };
    (*queue)->Dequeue(*count, up_to, *context.step().cancellation,
                      std::move(finish));
  }

 private:
  static absl::StatusOr<int64_t> Count(const Queue& queue,
                                       const KernelContext& context) {
    LEAT_ASSIGN_OR_RETURN(const int32_t count,
                          GetScalar<int32_t>(context.input(1), "n"));
    if (count < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat(up_to ? "DequeueUpToOp" : "DequeueManyOp", " requested ",
                       count, " < 0 elements"));
    }
    LEAT_RETURN_IF_ERROR(CheckSignature(context.node(), 1, {DType::kInt32},
                                        queue.options().dtypes));
    if (queue.options().shapes.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat(TypeName(queue.options().kind),
                       "'s DequeueMany and DequeueUpTo require the components "
                       "to have specified shapes."));
    }
    return count;
  }
};

class Close final : public AsyncKernel {
 public:
  explicit Close(bool cancel_pending_enqueues)
      : cancel_pending_enqueues_(cancel_pending_enqueues) {}

  void ComputeAsync(KernelContext& context, Done done) const final {
    auto queue = GetQueue(context);
    if (!queue.ok()) return std::move(done)(queue.status());
    auto finish = [queue = *queue, done = std::move(done)](
                      absl::StatusOr<Queue::Elements> result) mutable {
      std::move(done)(result.status());
    };
    (*queue)->Close(cancel_pending_enqueues_, *context.step().cancellation,
                    std::move(finish));
  }

 private:
  const bool cancel_pending_enqueues_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeClose(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(
      const bool cancel,
      node.attrs.GetOr<bool>("cancel_pending_enqueues", false));
  return std::unique_ptr<Kernel>(std::make_unique<Close>(cancel));
}

absl::Status Size(KernelContext& context) {
  LEAT_ASSIGN_OR_RETURN(const std::shared_ptr<Queue> queue, GetQueue(context));
  LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(0, Shape{}));
  output->mutable_data<int32_t>()[0] = static_cast<int32_t>(queue->size());
  return absl::OkStatus();
}

absl::Status IsClosed(KernelContext& context) {
  LEAT_ASSIGN_OR_RETURN(const std::shared_ptr<Queue> queue, GetQueue(context));
  LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(0, Shape{}));
  output->mutable_data<bool>()[0] = queue->is_closed();
  return absl::OkStatus();
}

}  // namespace

void Register(KernelRegistry& registry) {
  AddBothForms("FIFOQueue", &MakeQueue<QueueKind::kFifo>, registry);
  AddBothForms("RandomShuffleQueue", &MakeQueue<QueueKind::kRandomShuffle>,
               registry);
  AddBothForms("QueueEnqueue", &MakeWaiting<Enqueue<&OneElement>>, registry);
  AddBothForms("QueueEnqueueMany", &MakeWaiting<Enqueue<&ManyElements>>,
               registry);
  AddBothForms("QueueDequeue", &MakeWaiting<Dequeue>, registry);
  AddBothForms("QueueDequeueMany", &MakeWaiting<DequeueMany<false>>, registry);
  AddBothForms("QueueDequeueUpTo", &MakeWaiting<DequeueMany<true>>, registry);
  AddBothForms("QueueClose", &MakeClose, registry);
  AddBothForms("QueueSize", &MakeFunction<&Size>, registry);
  AddBothForms("QueueIsClosed", &MakeFunction<&IsClosed>, registry);
}

}  // namespace leat::kernels::any::queue
