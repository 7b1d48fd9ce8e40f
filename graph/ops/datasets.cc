// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the ops that make datasets, which describe sequences of elements, and
// ops on datasets.
#include <utility>

#include "leat/graph/op_registry.h"
#include "leat/graph/ops/declared_outputs.h"
#include "leat/graph/shape_functions.h"

namespace leat::ops::datasets {
namespace {

// Are attrs that nearly all datasets have.
constexpr char kTypes[] = "output_types: list(type) >= 1";
constexpr char kShapes[] = "output_shapes: list(shape) >= 1";
constexpr char kMetadata[] = "metadata: string = ''";

// Adds an op whose only output is a dataset. Sets what is the same for all of
// them in `spec`.
void AddDataset(OpRegistry& registry, OpSpec spec) {
  spec.outputs = {"handle: variant"};
  spec.shape = shapes::Scalar;
  registry.Add(std::move(spec), {NotFoldable(OnCpu())});
}

void AddSources(OpRegistry& registry) {
  AddDataset(registry,
             {.name = "TensorDataset",
              .doc = "Returns a dataset with one element, whose components are "
                     "the given tensors.",
              .inputs = {"components: Toutput_types"},
              .attrs = {"Toutput_types: list(type) >= 1", kShapes, kMetadata},
              .stateful = true});

  AddDataset(registry,
             {.name = "TensorSliceDataset",
              .doc = "Returns a dataset whose elements are the rows of the "
                     "given tensors.",
              .inputs = {"components: Toutput_types"},
              .attrs = {"Toutput_types: list(type) >= 1", kShapes,
                        "is_files: bool = false", kMetadata,
                        "replicate_on_split: bool = false"},
              .stateful = true});

  AddDataset(registry,
             {.name = "RangeDataset",
              .doc = "Returns a dataset of the numbers from start to stop, "
                     "without stop, in steps of step.",
              .inputs = {"start: int64", "stop: int64", "step: int64"},
              .attrs = {kTypes, kShapes, kMetadata,
                        "replicate_on_split: bool = false"},
              .stateful = true});

  AddDataset(registry,
             {.name = "RandomDataset",
              .doc = "Returns a dataset of random numbers, the same ones in "
                     "each pass.",
              .inputs = {"seed: int64", "seed2: int64"},
              .attrs = {kTypes, kShapes, kMetadata},
              .stateful = true});

  AddDataset(
      registry,
      {.name = "RandomDatasetV2",
       .doc = "Returns a dataset of random numbers, which may be other "
              "ones in each pass.",
       .inputs = {"seed: int64", "seed2: int64", "seed_generator: resource"},
       .attrs = {"rerandomize_each_iteration: bool = false", kTypes, kShapes,
                 kMetadata},
       .stateful = true});

  AddDataset(
      registry,
      {.name = "GeneratorDataset",
       .doc = "Returns a dataset of what next_func returns, until it "
              "fails with OUT_OF_RANGE.",
       .inputs = {"init_func_other_args: Tinit_func_args",
                  "next_func_other_args: Tnext_func_args",
                  "finalize_func_other_args: Tfinalize_func_args"},
       .attrs = {"init_func: func", "next_func: func", "finalize_func: func",
                 "Tinit_func_args: list(type) >= 0",
                 "Tnext_func_args: list(type) >= 0",
                 "Tfinalize_func_args: list(type) >= 0", kTypes, kShapes,
                 kMetadata},
       .stateful = true});
}

void AddSelections(OpRegistry& registry) {
  AddDataset(registry,
             {.name = "TakeDataset",
              .doc = "Returns a dataset of the first count elements of a "
                     "dataset.",
              .inputs = {"input_dataset: variant", "count: int64"},
              .attrs = {kTypes, kShapes, kMetadata}});

  AddDataset(registry,
             {.name = "SkipDataset",
              .doc = "Returns a dataset of all but the first count elements of "
                     "a dataset.",
              .inputs = {"input_dataset: variant", "count: int64"},
              .attrs = {kTypes, kShapes, kMetadata}});

  AddDataset(
      registry,
      {.name = "TakeWhileDataset",
       .doc = "Returns a dataset of the elements before the first one "
              "for which predicate returns false.",
       .inputs = {"input_dataset: variant", "other_arguments: Targuments"},
       .attrs = {"predicate: func", "Targuments: list(type) >= 0", kTypes,
                 kShapes, kMetadata}});

  AddDataset(registry,
             {.name = "ShardDataset",
              .doc = "Returns a dataset of the elements index, index + "
                     "num_shards and so on of a dataset.",
              .inputs = {"input_dataset: variant", "num_shards: int64",
                         "index: int64"},
              .attrs = {"require_non_empty: bool = false", kTypes, kShapes,
                        kMetadata}});

  AddDataset(
      registry,
      {.name = "FilterDataset",
       .doc = "Returns a dataset of the elements for which predicate "
              "returns true.",
       .inputs = {"input_dataset: variant", "other_arguments: Targuments"},
       .attrs = {"predicate: func", "Targuments: list(type) >= 0", kTypes,
                 kShapes, kMetadata}});
}

void AddCombinations(OpRegistry& registry) {
  AddDataset(registry,
             {.name = "RepeatDataset",
              .doc = "Returns a dataset that has the elements of a dataset "
                     "count times, or without end if count is -1.",
              .inputs = {"input_dataset: variant", "count: int64"},
              .attrs = {kTypes, kShapes, kMetadata}});

  AddDataset(registry,
             {.name = "ConcatenateDataset",
              .doc = "Returns a dataset of the elements of one dataset and "
                     "then of another one.",
              .inputs = {"input_dataset: variant", "another_dataset: variant"},
              .attrs = {kTypes, kShapes, kMetadata}});

  AddDataset(registry,
             {.name = "ZipDataset",
              .doc = "Returns a dataset whose elements are the elements of "
                     "several datasets side by side.",
              .inputs = {"input_datasets: N * variant"},
              .attrs = {kTypes, kShapes, "N: int >= 1", kMetadata}});

  AddDataset(registry,
             {.name = "DirectedInterleaveDataset",
              .doc = "Returns a dataset that takes each element from the "
                     "dataset that a selector names.",
              .inputs = {"selector_input_dataset: variant",
                         "data_input_datasets: N * variant"},
              .attrs = {kTypes, kShapes, "N: int >= 1",
                        "stop_on_empty_dataset: bool = false"}});
}

void AddBuffers(OpRegistry& registry) {
  AddDataset(registry,
             {.name = "CacheDataset",
              .doc = "Returns a dataset that reads a dataset once, and keeps "
                     "its elements for later passes.",
              .inputs = {"input_dataset: variant", "filename: string"},
              .attrs = {kTypes, kShapes, kMetadata}});

  AddDataset(registry,
             {.name = "CacheDatasetV2",
              .doc = "Returns a dataset that keeps the elements of a dataset, "
                     "with a handle of a cache.",
              .inputs = {"input_dataset: variant", "filename: string",
                         "cache: resource"},
              .attrs = {kTypes, kShapes, kMetadata},
              .stateful = true});

  registry.Add({.name = "DummyMemoryCache",
                .doc = "Returns a handle that names no cache.",
                .outputs = {"handle: resource"},
                .stateful = true,
                .shape = shapes::Scalar},
               {NotFoldable(OnCpu())});

  AddDataset(registry,
             {.name = "PrefetchDataset",
              .doc = "Returns a dataset that reads up to buffer_size elements "
                     "of a dataset ahead.",
              .inputs = {"input_dataset: variant", "buffer_size: int64"},
              .attrs = {kTypes, kShapes, "slack_period: int = 0",
                        "legacy_autotune: bool = true",
                        "buffer_size_min: int = 0", kMetadata}});
}

void AddShuffles(OpRegistry& registry) {
  AddDataset(registry,
             {.name = "ShuffleDataset",
              .doc = "Returns a dataset of the elements of a dataset in random "
                     "order.",
              .inputs = {"input_dataset: variant", "buffer_size: int64",
                         "seed: int64", "seed2: int64"},
              .attrs = {"reshuffle_each_iteration: bool = true", kTypes,
                        kShapes, kMetadata}});

  AddDataset(
      registry,
      {.name = "ShuffleDatasetV3",
       .doc = "Returns a dataset of the elements of a dataset in random "
              "order, with a generator of seeds.",
       .inputs = {"input_dataset: variant", "buffer_size: int64", "seed: int64",
                  "seed2: int64", "seed_generator: resource"},
       .attrs = {"reshuffle_each_iteration: bool = true", kTypes, kShapes,
                 kMetadata},
       .stateful = true});

  AddDataset(registry,
             {.name = "ShuffleAndRepeatDataset",
              .doc = "Returns a dataset of the elements of a dataset in random "
                     "order, count times.",
              .inputs = {"input_dataset: variant", "buffer_size: int64",
                         "seed: int64", "seed2: int64", "count: int64"},
              .attrs = {kTypes, kShapes,
                        "reshuffle_each_iteration: bool = true", kMetadata}});

  AddDataset(
      registry,
      {.name = "ShuffleAndRepeatDatasetV2",
       .doc = "Returns a dataset of shuffled elements, count times, "
              "with a generator of seeds.",
       .inputs = {"input_dataset: variant", "buffer_size: int64", "seed: int64",
                  "seed2: int64", "count: int64", "seed_generator: resource"},
       .attrs = {"reshuffle_each_iteration: bool = true", kTypes, kShapes,
                 kMetadata},
       .stateful = true});

  registry.Add({.name = "DummySeedGenerator",
                .doc = "Returns a handle that names no generator of seeds.",
                .outputs = {"handle: resource"},
                .stateful = true,
                .shape = shapes::Scalar},
               {NotFoldable(OnCpu())});
}

void AddBatches(OpRegistry& registry) {
  AddDataset(
      registry,
      {.name = "BatchDatasetV2",
       .doc = "Returns a dataset whose elements are batch_size elements "
              "of a dataset, stacked.",
       .inputs = {"input_dataset: variant", "batch_size: int64",
                  "drop_remainder: bool"},
       .attrs = {"parallel_copy: bool = false", kTypes, kShapes, kMetadata}});

  AddDataset(registry,
             {.name = "ParallelBatchDataset",
              .doc = "Returns a dataset whose elements are batch_size elements "
                     "of a dataset, stacked on several threads.",
              .inputs = {"input_dataset: variant", "batch_size: int64",
                         "num_parallel_calls: int64", "drop_remainder: bool"},
              .attrs = {"parallel_copy: bool = false", kTypes, kShapes,
                        "deterministic: string = 'default'", kMetadata}});

  AddDataset(
      registry,
      {.name = "PaddedBatchDatasetV2",
       .doc = "Returns a dataset of batches of elements of a dataset, "
              "which are padded to the same shape.",
       .inputs = {"input_dataset: variant", "batch_size: int64",
                  "padded_shapes: N * int64", "padding_values: Toutput_types",
                  "drop_remainder: bool"},
       .attrs = {"parallel_copy: bool = false",
                 "Toutput_types: list(type) >= 1", kShapes, "N: int >= 1",
                 kMetadata}});

  AddDataset(registry,
             {.name = "RebatchDatasetV2",
              .doc = "Returns a dataset that divides the batches of a dataset "
                     "into batches of other sizes.",
              .inputs = {"input_dataset: variant", "batch_sizes: int64",
                         "drop_remainder: bool"},
              .attrs = {kTypes, kShapes}});

  AddDataset(registry,
             {.name = "UnbatchDataset",
              .doc = "Returns a dataset whose elements are the rows of the "
                     "elements of a dataset.",
              .inputs = {"input_dataset: variant"},
              .attrs = {kTypes, kShapes, kMetadata}});

  AddDataset(
      registry,
      {.name = "WindowDataset",
       .doc = "Returns a dataset of datasets, each of which has size "
              "elements of a dataset.",
       .inputs = {"input_dataset: variant", "size: int64", "shift: int64",
                  "stride: int64", "drop_remainder: bool"},
       .attrs = {kTypes, kShapes, kMetadata}});
}

void AddMaps(OpRegistry& registry) {
  AddDataset(
      registry,
      {.name = "MapDataset",
       .doc = "Returns a dataset of the results of the function f for "
              "each element of a dataset.",
       .inputs = {"input_dataset: variant", "other_arguments: Targuments"},
       .attrs = {"f: func", "Targuments: list(type) >= 0", kTypes, kShapes,
                 "use_inter_op_parallelism: bool = true",
                 "preserve_cardinality: bool = false", kMetadata}});

  AddDataset(
      registry,
      {.name = "ParallelMapDatasetV2",
       .doc = "Returns a dataset of the results of f, which is called "
              "on several elements at the same time.",
       .inputs = {"input_dataset: variant", "other_arguments: Targuments",
                  "num_parallel_calls: int64"},
       .attrs = {"f: func", "Targuments: list(type) >= 0", kTypes, kShapes,
                 "use_inter_op_parallelism: bool = true",
                 "deterministic: string = 'default'",
                 "preserve_cardinality: bool = false", kMetadata}});

  AddDataset(
      registry,
      {.name = "MapAndBatchDataset",
       .doc = "Returns a dataset of batches of results of f, which is "
              "called on several elements at a time.",
       .inputs = {"input_dataset: variant", "other_arguments: Targuments",
                  "batch_size: int64", "num_parallel_calls: int64",
                  "drop_remainder: bool"},
       .attrs = {"f: func", "Targuments: list(type) >= 0", kTypes, kShapes,
                 "preserve_cardinality: bool = false", kMetadata}});

  AddDataset(registry,
             {.name = "ScanDataset",
              .doc = "Returns a dataset of the results of f, which also gets "
                     "and returns a state.",
              .inputs = {"input_dataset: variant", "initial_state: Tstate",
                         "other_arguments: Targuments"},
              .attrs = {"f: func", "Tstate: list(type) >= 1",
                        "Targuments: list(type) >= 0", kTypes, kShapes,
                        "preserve_cardinality: bool = false",
                        "use_default_device: bool = true", kMetadata}});
}

void AddFlatMaps(OpRegistry& registry) {
  AddDataset(
      registry,
      {.name = "FlatMapDataset",
       .doc = "Returns a dataset of the elements of all datasets that f "
              "returns, one dataset after another.",
       .inputs = {"input_dataset: variant", "other_arguments: Targuments"},
       .attrs = {"f: func", "Targuments: list(type) >= 0", kTypes, kShapes,
                 kMetadata}});

  AddDataset(
      registry,
      {.name = "InterleaveDataset",
       .doc = "Returns a dataset of the elements of the datasets that f "
              "returns, cycle_length of them in turns.",
       .inputs = {"input_dataset: variant", "other_arguments: Targuments",
                  "cycle_length: int64", "block_length: int64"},
       .attrs = {"f: func", "Targuments: list(type) >= 0", kTypes, kShapes,
                 kMetadata}});

  AddDataset(
      registry,
      {.name = "ParallelInterleaveDatasetV4",
       .doc = "Returns a dataset of the elements of datasets that f "
              "returns, which work ahead, in turns.",
       .inputs = {"input_dataset: variant", "other_arguments: Targuments",
                  "cycle_length: int64", "block_length: int64",
                  "buffer_output_elements: int64",
                  "prefetch_input_elements: int64",
                  "num_parallel_calls: int64"},
       .attrs = {"f: func", "deterministic: string = 'default'",
                 "Targuments: list(type) >= 0", kTypes, kShapes, kMetadata}});

  AddDataset(
      registry,
      {.name = "GroupByWindowDataset",
       .doc = "Returns a dataset of what reduce_func makes of each "
              "window of elements with the same key.",
       .inputs = {"input_dataset: variant",
                  "key_func_other_arguments: Tkey_func_other_arguments",
                  "reduce_func_other_arguments: Treduce_func_other_arguments",
                  "window_size_func_other_arguments: "
                  "Twindow_size_func_other_arguments"},
       .attrs = {"key_func: func", "reduce_func: func",
                 "window_size_func: func",
                 "Tkey_func_other_arguments: list(type) >= 0",
                 "Treduce_func_other_arguments: list(type) >= 0",
                 "Twindow_size_func_other_arguments: list(type) >= 0", kTypes,
                 kShapes, kMetadata}});
}

void AddOthers(OpRegistry& registry) {
  AddDataset(
      registry,
      {.name = "OptionsDataset",
       .doc = "Returns a dataset with the elements of a dataset and "
              "with options.",
       .inputs = {"input_dataset: variant"},
       .attrs = {"serialized_options: string", kTypes, kShapes, kMetadata}});

  AddDataset(
      registry,
      {.name = "OptimizeDatasetV2",
       .doc = "Returns a dataset, which TensorFlow optimizes.",
       .inputs = {"input_dataset: variant", "optimizations_enabled: string",
                  "optimizations_disabled: string",
                  "optimizations_default: string"},
       .attrs = {kTypes, kShapes, "optimization_configs: list(string) = []"}});

  AddDataset(registry,
             {.name = "RewriteDataset",
              .doc = "Returns a dataset, which TensorFlow rewrites in the way "
                     "that rewrite_name names.",
              .inputs = {"input_dataset: variant", "rewrite_name: string"},
              .attrs = {kTypes, kShapes}});

  AddDataset(registry,
             {.name = "ModelDataset",
              .doc = "Returns a dataset, which TensorFlow tunes while it runs.",
              .inputs = {"input_dataset: variant"},
              .attrs = {"algorithm: int = 0", "cpu_budget: int = 0",
                        "ram_budget: int = 0", kTypes, kShapes}});

  registry.Add({.name = "DatasetCardinality",
                .doc = "Returns the number of elements of a dataset, -1 if it "
                       "has no end, or -2 if it is not known.",
                .inputs = {"input_dataset: variant"},
                .outputs = {"cardinality: int64"},
                .attrs = {"cardinality_options: string = ''"},
                .shape = shapes::Scalar},
               {NotFoldable(OnCpu())});

  registry.Add({.name = "ReduceDataset",
                .doc = "Returns the state that f has made of the elements of a "
                       "dataset.",
                .inputs = {"input_dataset: variant", "initial_state: Tstate",
                           "other_arguments: Targuments"},
                .outputs = {"components: output_types"},
                .attrs = {"f: func", "Tstate: list(type) >= 1",
                          "Targuments: list(type) >= 0", kTypes, kShapes,
                          "use_inter_op_parallelism: bool = true", kMetadata},
                .stateful = true,
                .shape = DeclaredOutputs},
               {NotFoldable(OnCpu())});
}

}  // namespace

void Register(OpRegistry& registry) {
  AddSources(registry);
  AddSelections(registry);
  AddCombinations(registry);
  AddBuffers(registry);
  AddShuffles(registry);
  AddBatches(registry);
  AddMaps(registry);
  AddFlatMaps(registry);
  AddOthers(registry);
}

}  // namespace leat::ops::datasets
