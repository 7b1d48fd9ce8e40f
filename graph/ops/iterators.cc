// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the ops on iterators, which give out the elements of datasets.
#include "leat/graph/op_registry.h"
#include "leat/graph/ops/declared_outputs.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/work_functions.h"

namespace leat::ops::iterators {

void Register(OpRegistry& registry) {
  registry.Add({.name = "Iterator",
                .doc = "Returns the handle of an iterator of an old client, to "
                       "which an initializer gives a dataset.",
                .outputs = {"handle: resource"},
                .attrs = {"shared_name: string", "container: string",
                          "output_types: list(type) >= 1",
                          "output_shapes: list(shape) >= 1"},
                .stateful = true,
                .shape = shapes::Scalar},
               {NotFoldable(OnCpu())});

  registry.Add({.name = "IteratorV2",
                .doc = "Returns the handle of an iterator, to which an "
                       "initializer gives a dataset.",
                .outputs = {"handle: resource"},
                .attrs = {"shared_name: string", "container: string",
                          "output_types: list(type) >= 1",
                          "output_shapes: list(shape) >= 1"},
                .stateful = true,
                .shape = shapes::Scalar},
               {NotFoldable(OnCpu())});

  registry.Add(
      {.name = "OneShotIterator",
       .doc = "Returns the handle of an iterator over the dataset that "
              "dataset_factory returns.",
       .outputs = {"handle: resource"},
       .attrs = {"dataset_factory: func", "output_types: list(type) >= 1",
                 "output_shapes: list(shape) >= 1", "container: string = ''",
                 "shared_name: string = ''"},
       .stateful = true,
       .shape = shapes::Scalar},
      {NotFoldable(OnCpu())});

  registry.Add({.name = "MakeIterator",
                .doc = "Lets an iterator begin at the first element of a "
                       "dataset.",
                .inputs = {"dataset: variant", "iterator: resource"},
                .stateful = true,
                .shape = shapes::NoOutputs},
               {NotFoldable(OnCpu())});

  registry.Add({.name = "IteratorGetNext",
                .doc = "Returns the next element of an iterator, or fails with "
                       "OUT_OF_RANGE at the end.",
                .inputs = {"iterator: resource"},
                .outputs = {"components: output_types"},
                .attrs = {"output_types: list(type) >= 1",
                          "output_shapes: list(shape) >= 1"},
                .stateful = true,
                .shape = DeclaredOutputs,
                .work = works::Nothing},
               {NotFoldable(OnCpu())});

  registry.Add({.name = "IteratorGetNextSync",
                .doc = "Does what IteratorGetNext does, on whose thread "
                       "TensorFlow waits.",
                .inputs = {"iterator: resource"},
                .outputs = {"components: output_types"},
                .attrs = {"output_types: list(type) >= 1",
                          "output_shapes: list(shape) >= 1"},
                .stateful = true,
                .shape = DeclaredOutputs,
                .work = works::Nothing},
               {NotFoldable(OnCpu())});

  registry.Add({.name = "IteratorGetNextAsOptional",
                .doc = "Returns an optional with the next element of an "
                       "iterator, or without a value at the end.",
                .inputs = {"iterator: resource"},
                .outputs = {"optional: variant"},
                .attrs = {"output_types: list(type) >= 1",
                          "output_shapes: list(shape) >= 1"},
                .stateful = true,
                .shape = shapes::Scalar},
               {NotFoldable(OnCpu())});

  registry.Add(
      {.name = "IteratorToStringHandle",
       .doc = "Returns the handle of an iterator as a string, which can "
              "be fed.",
       .inputs = {"resource_handle: resource"},
       .outputs = {"string_handle: string"},
       .stateful = true,
       .shape = shapes::Scalar},
      {NotFoldable(OnCpu())});

  registry.Add({.name = "IteratorFromStringHandleV2",
                .doc = "Returns the handle of an iterator that a string "
                       "describes.",
                .inputs = {"string_handle: string"},
                .outputs = {"resource_handle: resource"},
                .attrs = {"output_types: list(type) >= 0 = []",
                          "output_shapes: list(shape) >= 0 = []"},
                .stateful = true,
                .shape = shapes::Scalar},
               {NotFoldable(OnCpu())});
}

}  // namespace leat::ops::iterators
