// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of Iterator, IteratorV2, OneShotIterator, MakeIterator,
// IteratorGetNext, IteratorGetNextSync, IteratorGetNextAsOptional,
// IteratorToStringHandle and IteratorFromStringHandleV2.
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/core/codec/handle_codec.h"
#include "leat/core/status_macros.h"
#include "leat/core/variants/optional.h"
#include "leat/kernels/function_call.h"
#include "leat/kernels/handle_output.h"
#include "leat/kernels/pipeline/dataset_kernel.h"
#include "leat/kernels/pipeline/element_checks.h"
#include "leat/kernels/pipeline/iterator.h"
#include "leat/kernels/session_services.h"
#include "leat/kernels/variable_access.h"

namespace leat::kernels::datasets::iterators {
namespace {

// Returns the iterator that `named` names, or makes it.
absl::StatusOr<std::shared_ptr<Iterator>> FindOrMake(
    const KernelContext& context, const ResourceHandle& named,
    const ElementSpec& spec) {
  ResourceStore& store = *context.step().resources;
  LEAT_ASSIGN_OR_RETURN(std::shared_ptr<Iterator> iterator,
                        store.FindOrMake<Iterator>(
                            named.container, named.name,
                            [&]() -> absl::StatusOr<std::shared_ptr<Iterator>> {
                              return std::make_shared<Iterator>(spec);
                            }));
  LEAT_RETURN_IF_ERROR(CheckSpec(spec, iterator->spec()));
  return iterator;
}

// Returns the iterator that the handle in input `i` names.
absl::StatusOr<std::shared_ptr<Iterator>> GetIterator(
    const KernelContext& context, int i = 0) {
  LEAT_ASSIGN_OR_RETURN(const ResourceHandle* handle, GetHandle(context, i));
  return LookupHandle<Iterator>(*context.step().resources, *handle,
                                context.step().device->name());
}

// Returns a stream of the elements of `dataset`, which must fit the iterator.
absl::StatusOr<std::shared_ptr<ElementStream>> NewStream(
    const KernelContext& context, DatasetPtr dataset,
    const Iterator& iterator) {
  LEAT_RETURN_IF_ERROR(CheckSpec(iterator.spec(), dataset->spec()));
  LEAT_ASSIGN_OR_RETURN(const SessionServices* const session,
                        SessionOf(context, "an iterator"));
  return ElementStream::Create(std::move(dataset), *session,
                               context.step().call_depth);
}

// Makes the node's iterator if there is none of its name, and outputs its
// handle.
class IteratorHandle final : public Kernel {
 public:
  IteratorHandle(ResourceName name, ElementSpec spec)
      : spec_(std::move(spec)), handle_(std::move(name), Iterator::kTypeName) {}

  absl::Status Compute(KernelContext& context) const final {
    const Tensor& handle = handle_.Get(context);
    LEAT_RETURN_IF_ERROR(
        FindOrMake(context, handle.scalar<ResourceHandle>(), spec_).status());
    context.set_output(0, handle);
    return absl::OkStatus();
  }

 private:
  const ElementSpec spec_;
  const HandleOutput handle_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeIteratorHandle(
    const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(ResourceName name, GetPrivateResourceName(node));
  LEAT_ASSIGN_OR_RETURN(ElementSpec spec, OutputSpec(node));
  return std::unique_ptr<Kernel>(
      std::make_unique<IteratorHandle>(std::move(name), std::move(spec)));
}

// Makes an iterator over the dataset that a function returns, the first time
// that the kernel runs, and outputs its handle.
class OneShotIterator final : public AsyncKernel {
 public:
  OneShotIterator(ResourceName name, ElementSpec spec, FunctionRef factory)
      : spec_(std::move(spec)),
        factory_(std::move(factory)),
        handle_(std::move(name), Iterator::kTypeName) {}

  void ComputeAsync(KernelContext& context, Done done) const final {
    const Tensor& handle = handle_.Get(context);
    const absl::StatusOr<std::shared_ptr<Iterator>> iterator =
        FindOrMake(context, handle.scalar<ResourceHandle>(), spec_);
    if (!iterator.ok()) return std::move(done)(iterator.status());
    context.set_output(0, handle);
    if ((*iterator)->stream().ok()) return std::move(done)(absl::OkStatus());
    CallFunction({.function = factory_,
                  .device = context.step().device->name(),
                  .return_types = kReturnTypes},
                 context,
                 [&context, iterator = *iterator, done = std::move(done)](
                     CallableFunction::Results results) mutable {
                   std::move(done)(SetResult(context, results, *iterator));
                 });
  }

 private:
  static constexpr DType kReturnTypes[] = {DType::kVariant};

  // If two steps make the dataset at the same time, the iterator gets the first
  // one.
  static absl::Status SetResult(const KernelContext& context,
                                const CallableFunction::Results& results,
                                Iterator& iterator) {
    LEAT_RETURN_IF_ERROR(results.status());
    LEAT_ASSIGN_OR_RETURN(DatasetPtr dataset, DatasetOf((*results)[0]));
    LEAT_ASSIGN_OR_RETURN(std::shared_ptr<ElementStream> stream,
                          NewStream(context, std::move(dataset), iterator));
    iterator.SetFirstStream(std::move(stream));
    return absl::OkStatus();
  }

  const ElementSpec spec_;
  const FunctionRef factory_;
  const HandleOutput handle_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeOneShot(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(
      const std::string shared_name,
      node.attrs.GetOr<std::string>("shared_name", std::string()));
  if (!shared_name.empty()) {
    return absl::InvalidArgumentError(
        "OneShotIteratorOp does not currently support the 'shared_name' attr.");
  }
  LEAT_ASSIGN_OR_RETURN(ResourceName name, GetPrivateResourceName(node));
  LEAT_ASSIGN_OR_RETURN(ElementSpec spec, OutputSpec(node));
  LEAT_ASSIGN_OR_RETURN(FunctionRef factory,
                        node.attrs.Get<FunctionRef>("dataset_factory"));
  return std::unique_ptr<Kernel>(std::make_unique<OneShotIterator>(
      std::move(name), std::move(spec), std::move(factory)));
}

// Lets an iterator begin at the first element of a dataset.
absl::Status MakeIterator(KernelContext& context) {
  LEAT_ASSIGN_OR_RETURN(DatasetPtr dataset, InputDataset(context, 0));
  LEAT_ASSIGN_OR_RETURN(const std::shared_ptr<Iterator> iterator,
                        GetIterator(context, 1));
  LEAT_ASSIGN_OR_RETURN(std::shared_ptr<ElementStream> stream,
                        NewStream(context, std::move(dataset), *iterator));
  iterator->SetStream(std::move(stream));
  return absl::OkStatus();
}

// Sets the outputs to an element, or returns OUT_OF_RANGE if there is none.
absl::Status SetElement(const ElementSpec& spec, std::optional<Element> element,
                        KernelContext& context) {
  if (!element.has_value()) return absl::OutOfRangeError("End of sequence");
  LEAT_RETURN_IF_ERROR(CheckElement(spec, *element));
  for (size_t i = 0; i < element->size(); ++i) {
    context.set_output(static_cast<int>(i), std::move((*element)[i]));
  }
  return absl::OkStatus();
}

// Sets the output to an optional that holds an element, or nothing.
absl::Status SetOptional(const ElementSpec& spec,
                         std::optional<Element> element,
                         KernelContext& context) {
  OptionalValue value;
  if (element.has_value()) {
    LEAT_RETURN_IF_ERROR(CheckElement(spec, *element));
    LEAT_ASSIGN_OR_RETURN(value, OptionalValue::Create(*std::move(element)));
  }
  context.set_output(0, Tensor::Scalar(Variant::Of(std::move(value))));
  return absl::OkStatus();
}

// Returns INTERNAL, as TensorFlow does, if an error would look like the end of
// the sequence to the client.
absl::Status NotTheEnd(const absl::Status& status) {
  if (!absl::IsOutOfRange(status)) return status;
  return absl::InternalError(absl::StrCat(
      "Iterator returned `OutOfRange`. This indicates an implementation error "
      "as `OutOfRange` errors are not expected to be returned here. Original "
      "message: ",
      status.message()));
}

// Takes the next element of an iterator. `set` makes the outputs from it.
template <auto set>
class GetNext final : public AsyncKernel {
 public:
  explicit GetNext(ElementSpec spec) : spec_(std::move(spec)) {}

  void ComputeAsync(KernelContext& context, Done done) const final {
    const absl::StatusOr<std::shared_ptr<Iterator>> iterator =
        GetIterator(context);
    if (!iterator.ok()) return std::move(done)(iterator.status());
    const absl::StatusOr<std::shared_ptr<ElementStream>> stream =
        (*iterator)->stream();
    if (!stream.ok()) return std::move(done)(stream.status());
    // The callback keeps the stream, which another initializer may replace.
    (*stream)->GetNext(*context.step().cancellation,
                       [this, &context, keep = *stream, done = std::move(done)](
                           ElementStream::Result result) mutable {
                         absl::Status status = NotTheEnd(result.status());
                         if (result.ok()) {
                           status = set(spec_, *std::move(result), context);
                         }
                         keep.reset();
                         std::move(done)(std::move(status));
                       });
  }

 private:
  const ElementSpec spec_;
};

template <auto set>
absl::StatusOr<std::unique_ptr<Kernel>> MakeGetNext(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(ElementSpec spec, OutputSpec(node));
  return std::unique_ptr<Kernel>(
      std::make_unique<GetNext<set>>(std::move(spec)));
}

// The string is TensorFlow's message ResourceHandleProto.
absl::Status ToStringHandle(KernelContext& context) {
  LEAT_RETURN_IF_ERROR(GetIterator(context).status());
  LEAT_ASSIGN_OR_RETURN(const ResourceHandle* handle, GetHandle(context, 0));
  LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(0, Shape{}));
  output->mutable_data<std::string>()[0] = SerializeHandle(*handle);
  return absl::OkStatus();
}

// Checks that the handle names an iterator with the declared elements.
class FromStringHandle final : public Kernel {
 public:
  explicit FromStringHandle(ElementSpec spec) : spec_(std::move(spec)) {}

  absl::Status Compute(KernelContext& context) const final {
    LEAT_ASSIGN_OR_RETURN(
        const std::string bytes,
        ScalarArgument<std::string>(context, 0, "string_handle"));
    const std::optional<ResourceHandle> handle = ParseHandle(bytes);
    if (!handle.has_value()) {
      return absl::InvalidArgumentError(
          "Could not parse string_handle as a valid ResourceHandle");
    }
    const std::string& device = context.step().device->name();
    if (handle->device != device) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Attempted create an iterator on device \"", device,
          "\" from handle defined on device \"", handle->device, "\""));
    }
    LEAT_ASSIGN_OR_RETURN(
        const std::shared_ptr<Iterator> iterator,
        LookupHandle<Iterator>(*context.step().resources, *handle, device));
    if (!spec_.dtypes.empty()) {
      LEAT_RETURN_IF_ERROR(CheckSpec(spec_, iterator->spec()));
    }
    context.set_output(0, Tensor::Scalar(*handle));
    return absl::OkStatus();
  }

 private:
  const ElementSpec spec_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeFromStringHandle(
    const NodeDef& node) {
  ElementSpec spec;
  LEAT_ASSIGN_OR_RETURN(spec.dtypes,
                        node.attrs.Get<std::vector<DType>>("output_types"));
  LEAT_ASSIGN_OR_RETURN(
      spec.shapes, node.attrs.Get<std::vector<PartialShape>>("output_shapes"));
  if (!spec.dtypes.empty() && !spec.shapes.empty() &&
      spec.dtypes.size() != spec.shapes.size()) {
    return absl::InvalidArgumentError(
        "If both 'output_types' and 'output_shapes' are set, they must have "
        "the "
        "same length.");
  }
  return std::unique_ptr<Kernel>(
      std::make_unique<FromStringHandle>(std::move(spec)));
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("Iterator", kCpu, &MakeIteratorHandle);
  registry.Add("IteratorV2", kCpu, &MakeIteratorHandle);
  registry.Add("OneShotIterator", kCpu, &MakeOneShot);
  registry.Add("MakeIterator", kCpu, &MakeFunction<&MakeIterator>);
  registry.Add("IteratorGetNext", kCpu, &MakeGetNext<&SetElement>);
  registry.Add("IteratorGetNextSync", kCpu, &MakeGetNext<&SetElement>);
  registry.Add("IteratorGetNextAsOptional", kCpu, &MakeGetNext<&SetOptional>);
  registry.Add("IteratorToStringHandle", kCpu, &MakeFunction<&ToStringHandle>);
  registry.Add("IteratorFromStringHandleV2", kCpu, &MakeFromStringHandle);
}

}  // namespace leat::kernels::datasets::iterators
