// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernel of ParseExampleDatasetV2, which parses the serialized
// Examples of another dataset. All features are dense.
#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/core/buffer.h"
#include "leat/core/saturating.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/codecs/feature_types.h"
#include "leat/kernels/codecs/parse_examples.h"
#include "leat/kernels/pipeline/completion.h"
#include "leat/kernels/pipeline/dataset_kernel.h"
#include "leat/kernels/pipeline/element_checks.h"
#include "leat/kernels/pipeline/parallel_stage.h"

namespace leat::kernels::datasets::parse_example {
namespace {

// Says how to parse, and which tensor of the parser each component is.
struct Parser {
  ExampleParser parser;
  std::vector<size_t> tensors;
  ElementSpec spec;
};

// Charges the pipeline for copies of all strings of an element.
absl::StatusOr<BufferRef> ReserveCopies(const Element& element,
                                        const Pipeline& pipeline) {
  int64_t bytes = 0;
  for (const Tensor& tensor : element) {
    bytes = SaturatingAdd(
        bytes, SaturatingAdd(tensor.num_bytes(), tensor.held_bytes()));
  }
  BufferRef counted = pipeline.allocator().Reserve(bytes);
  if (counted == nullptr) {
    return absl::ResourceExhaustedError(
        absl::StrCat("The memory of '", pipeline.allocator().name(),
                     "' has no room for ", bytes, " bytes of Examples"));
  }
  return counted;
}

// Parses the strings of all components as one batch, as TensorFlow does.
absl::StatusOr<Element> Parse(const Parser& parser, const Element& element,
                              const Pipeline& pipeline) {
  std::vector<std::string> all;
  BufferRef counted;  // charged for the strings in `all`
  absl::Span<const std::string> examples;
  for (const Tensor& tensor : element) {
    if (tensor.dtype() != DType::kString) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Examples are strings, but an element has ", Name(tensor.dtype())));
    }
    examples = tensor.data<std::string>();
    if (element.size() == 1) break;
    if (counted == nullptr) {
      LEAT_ASSIGN_OR_RETURN(counted, ReserveCopies(element, pipeline));
    }
    all.insert(all.end(), examples.begin(), examples.end());
    examples = all;
  }
  LEAT_ASSIGN_OR_RETURN(
      std::vector<Tensor> parsed,
      parser.parser.ParseBatch(examples, {},
                               {pipeline.allocator(), pipeline.queue()}));
  Element result;
  for (const size_t tensor : parser.tensors) {
    const PartialShape& expected = parser.spec.shapes[result.size()];
    if (!expected.IsCompatibleWith(parsed[tensor].shape())) {
      return absl::InvalidArgumentError(
          absl::StrCat("Got wrong shape for FastParseExample return value ",
                       result.size(), " (expected ", expected.DebugString(),
                       ", got ", parsed[tensor].shape().DebugString(), ")."));
    }
    result.push_back(std::move(parsed[tensor]));
  }
  return result;
}

// Is the work of a ParallelStage.
struct Parsing {
  struct State {
    std::shared_ptr<const Pipeline> pipeline = {};  // ends last
    Completion completion = {};
    absl::StatusOr<Element> result = Element();
  };
  using Run = std::shared_ptr<State>;

  void Start(Run& run, const StageContext& context, Element element) const {
    run = std::make_shared<State>();
    run->pipeline = context.pipeline;
    run->completion.Begin(context);
    context.pipeline->queue().Add(
        [run, parser = parser, element = std::move(element)]() mutable {
          run->result = Parse(*parser, element, *run->pipeline);
          element.clear();
          run->completion.End();
        });
  }
  bool IsDone(Run& run) const { return run->completion.IsDone(); }
  absl::StatusOr<Progress> Finish(Run& run, Element& element) const {
    LEAT_ASSIGN_OR_RETURN(element, std::move(run->result));
    return Progress::kElement;
  }

  std::shared_ptr<const Parser> parser;
};

class ParseExampleDataset final : public Dataset {
 public:
  ParseExampleDataset(DatasetPtr input, std::shared_ptr<const Parser> parser,
                      const ParallelCalls& parallel)
      : Dataset(parser->spec),
        input_(std::move(input)),
        parser_(std::move(parser)),
        parallel_(parallel) {}

  absl::StatusOr<std::unique_ptr<Stage>> NewStage(
      const StageContext& context) const override {
    LEAT_ASSIGN_OR_RETURN(std::unique_ptr<Stage> input,
                          MakeStage(*input_, context));
    return std::make_unique<ParallelStage<Parsing>>(
        std::move(input), Parsing{parser_}, parallel_, context);
  }
  int64_t ComputeCardinality() const override { return input_->Cardinality(); }

 private:
  const DatasetPtr input_;
  const std::shared_ptr<const Parser> parser_;
  const ParallelCalls parallel_;
};

absl::Status CheckCount(absl::string_view what, size_t is, size_t wanted) {
  if (is == wanted) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("Expected ", what, " but got: ", is, " vs. ", wanted));
}

absl::StatusOr<std::shared_ptr<const Parser>> MakeParser(
    const KernelContext& context) {
  using Keys = std::vector<std::string>;
  const AttrMap& attrs = context.node().attrs;
  LEAT_ASSIGN_OR_RETURN(const Keys keys, attrs.Get<Keys>("dense_keys"));
  LEAT_ASSIGN_OR_RETURN(const FeatureTypes types,
                        ReadFeatureTypes(context.node()));
  LEAT_RETURN_IF_ERROR(CheckCount("len(dense_defaults) == len(dense_keys)",
                                  types.dense.size(), keys.size()));
  LEAT_ASSIGN_OR_RETURN(
      ExampleParser parser,
      ExampleParser::Create(MakeExampleSpec(types, {}, keys, {}, context)));
  // The components come in the order of their keys.
  std::vector<size_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&keys](size_t a, size_t b) { return keys[a] < keys[b]; });
  ElementSpec parsed;
  for (const size_t i : order) parsed.dtypes.push_back(types.dense[i]);
  LEAT_ASSIGN_OR_RETURN(ElementSpec spec, OutputSpec(context.node()));
  LEAT_RETURN_IF_ERROR(CheckSpec(parsed, spec));
  return std::make_shared<const Parser>(
      Parser{std::move(parser), std::move(order), std::move(spec)});
}

absl::StatusOr<DatasetPtr> MakeParsed(KernelContext& context) {
  LEAT_ASSIGN_OR_RETURN(DatasetPtr input, InputDataset(context));
  LEAT_ASSIGN_OR_RETURN(const ParallelCalls parallel,
                        GetParallelCalls(context, 1));
  LEAT_ASSIGN_OR_RETURN(auto parser, MakeParser(context));
  return std::make_shared<const ParseExampleDataset>(
      std::move(input), std::move(parser), parallel);
}

// Sparse and ragged features would be variants of tensors, which elements
// cannot have.
absl::StatusOr<std::unique_ptr<Kernel>> MakeKernel(const NodeDef& node) {
  for (const char* const name : {"sparse_keys", "ragged_keys"}) {
    LEAT_ASSIGN_OR_RETURN(const auto keys,
                          node.attrs.Get<std::vector<std::string>>(name));
    if (!keys.empty()) {
      return absl::UnimplementedError(
          absl::StrCat("ParseExampleDatasetV2 has dense features only, but ",
                       name, " has ", keys.size(), " keys"));
    }
  }
  return MakeDatasetKernel<&MakeParsed>(node);
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("ParseExampleDatasetV2", kCpu, &MakeKernel);
}

}  // namespace leat::kernels::datasets::parse_example
