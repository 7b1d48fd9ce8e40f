// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/compiled_functions.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/cancellation.h"
#include "leat/graph/functions/instantiate.h"
#include "leat/kernels/collectives/collective_key.h"
#include "leat/partitioner/plan_function.h"
#include "leat/runtime/constant_evaluator.h"
#include "leat/runtime/device_set.h"
#include "leat/runtime/executor/step.h"
#include "leat/runtime/graph_runner.h"
#include "leat/runtime/local_rendezvous.h"

namespace leat {
namespace {

// A CallRendezvous is the rendezvous of one call. The members of a collective
// may be in other calls and tasks, so their buffers go through the rendezvous
// of the calling step.
class CallRendezvous final : public Rendezvous {
 public:
  // `caller` is borrowed and may be null.
  explicit CallRendezvous(Rendezvous* caller) : caller_(caller) {}

  absl::Status Send(const ParsedKey& key, Tensor tensor,
                    bool is_dead) override {
    return Of(key).Send(key, std::move(tensor), is_dead);
  }
  void RecvAsync(const ParsedKey& key, Done done) override {
    Of(key).RecvAsync(key, std::move(done));
  }
  void StartAbort(const absl::Status& reason) override {
    own_.StartAbort(reason);
  }

 private:
  Rendezvous& Of(const ParsedKey& key) {
    return caller_ != nullptr && IsBufferKey(key) ? *caller_ : own_;
  }

  Rendezvous* const caller_;
  LocalRendezvous own_;
};

// A RunningCall is one call of a function: a step with its arguments and
// results. The step's callback and the callback of the calling step's
// cancellation share its ownership.
class RunningCall : public std::enable_shared_from_this<RunningCall> {
 public:
  RunningCall(const std::string& function, std::vector<Tensor> args,
              size_t num_results, BufferRef memory, const StepServices& caller,
              std::shared_ptr<std::atomic<int64_t>> num_calls,
              CallableFunction::Done done)
      : function_(function),
        args_(std::move(args)),
        results_(num_results),
        memory_(std::move(memory)),
        caller_(*caller.cancellation),
        num_calls_(std::move(num_calls)),
        done_(std::move(done)),
        rendezvous_(caller.rendezvous),
        step_(caller.step_id, rendezvous_, args_, absl::MakeSpan(results_),
              caller.observer, /*allocations=*/nullptr,
              {.depth = caller.call_depth + 1,
               .resources = caller.step_resources},
              caller.collectives) {}

  void Start(std::shared_ptr<CompiledGraph> graph, bool computes) {
    const auto self = shared_from_this();
    const bool registered = caller_.Register(
        [self](const absl::Status& why) { self->step_.Fail(why); }, &token_);
    if (!registered) return End(caller_.status());
    GraphRunner::Start(
        std::move(graph), step_,
        [self](absl::Status status) {
          self->caller_.Deregister(self->token_);
          self->End(std::move(status));
        },
        computes);
  }

 private:
  // Frees what the call holds before it calls `done`, because the session may
  // end as soon as `done` is called.
  void End(absl::Status status) {
    if (status.ok()) status = CheckResults();
    num_calls_->fetch_sub(1, std::memory_order_relaxed);
    memory_.reset();
    args_.clear();
    std::vector<Tensor> results = std::move(results_);
    CallableFunction::Done done = std::move(done_);
    if (status.ok()) return std::move(done)(std::move(results));
    results.clear();
    std::move(done)(std::move(status));
  }

  absl::Status CheckResults() const {
    for (size_t i = 0; i < results_.size(); ++i) {
      if (results_[i].IsValid()) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("result ", i, " of function '", function_,
                       "' has no value: it is on a branch that was not taken"));
    }
    return absl::OkStatus();
  }

  const std::string function_;
  std::vector<Tensor> args_;
  std::vector<Tensor> results_;
  BufferRef memory_;  // counts the memory of the step
  Cancellation& caller_;
  const std::shared_ptr<std::atomic<int64_t>> num_calls_;
  CallableFunction::Done done_;
  Cancellation::Token token_ = 0;
  CallRendezvous rendezvous_;
  Step step_;
};

class CompiledFunction final : public CallableFunction {
 public:
  // Compiles a graph with new kernels.
  using Compile =
      std::function<absl::StatusOr<std::shared_ptr<CompiledGraph>>(Graph)>;

  // `source` is the graph that was compiled, if it has ops with state.
  CompiledFunction(std::string name, size_t num_results,
                   std::shared_ptr<CompiledGraph> graph,
                   std::shared_ptr<const Graph> source, Compile compile,
                   std::shared_ptr<std::atomic<int64_t>> num_calls)
      : name_(std::move(name)),
        num_results_(num_results),
        graph_(std::move(graph)),
        source_(std::move(source)),
        compile_(std::move(compile)),
        call_bytes_(BytesOfCall(*graph_)),
        num_calls_(std::move(num_calls)) {}

  void Call(std::vector<Tensor> args, const StepServices& caller, Done done,
            bool computes) const override {
    if (caller.call_depth >= CompiledFunctions::kMaxDepth) {
      return std::move(done)(absl::ResourceExhaustedError(absl::StrCat(
          "calls of function '", name_, "' nest deeper than ",
          CompiledFunctions::kMaxDepth,
          ", the limit; the function probably calls itself without end")));
    }
    if (num_calls_->fetch_add(1, std::memory_order_relaxed) >=
        CompiledFunctions::kMaxCalls) {
      num_calls_->fetch_sub(1, std::memory_order_relaxed);
      return std::move(done)(absl::ResourceExhaustedError(absl::StrCat(
          "function '", name_, "' cannot be called, because ",
          CompiledFunctions::kMaxCalls,
          " calls of functions are under way, which is the limit")));
    }
    BufferRef memory = caller.device->host_allocator().Reserve(call_bytes_);
    if (memory == nullptr) {
      num_calls_->fetch_sub(1, std::memory_order_relaxed);
      return std::move(done)(absl::ResourceExhaustedError(
          absl::StrCat("there is no memory for the ", call_bytes_,
                       " bytes of a call of function '", name_, "'")));
    }
    std::make_shared<RunningCall>(name_, std::move(args), num_results_,
                                  std::move(memory), caller, num_calls_,
                                  std::move(done))
        ->Start(graph_, computes);
  }

  bool HasState() const override { return source_ != nullptr; }

  // REQUIRES: HasState().
  absl::StatusOr<std::shared_ptr<const CallableFunction>> NewInstance()
      const override {
    LEAT_ASSIGN_OR_RETURN(std::shared_ptr<CompiledGraph> graph,
                          compile_(*source_));
    return std::make_shared<const CompiledFunction>(
        name_, num_results_, std::move(graph), source_, compile_, num_calls_);
  }

 private:
  // Returns how many bytes a call needs besides its tensors.
  static int64_t BytesOfCall(const CompiledGraph& graph) {
    int64_t bytes = sizeof(RunningCall);
    for (const auto& executor : graph.executors) {
      bytes += executor->step_bytes();
    }
    return bytes;
  }

  const std::string name_;
  const size_t num_results_;
  const std::shared_ptr<CompiledGraph> graph_;
  const std::shared_ptr<const Graph> source_;  // null without state
  const Compile compile_;
  const int64_t call_bytes_;
  const std::shared_ptr<std::atomic<int64_t>> num_calls_;
};

// Returns true if an op of `graph` has state.
bool HasState(const Graph& graph) {
  const std::vector<NodeId> ids = graph.NodeIds();
  return std::any_of(ids.begin(), ids.end(), [&graph](NodeId id) {
    return graph.node(id).def->op->is_stateful;
  });
}

// Returns `function` as a pointer that also keeps `owner` alive, whose
// functions `function` may call.
std::shared_ptr<const CallableFunction> Owning(
    std::shared_ptr<const CallableFunction> function,
    std::shared_ptr<const CompiledFunctions> owner) {
  struct Both {
    std::shared_ptr<const CompiledFunctions> owner;
    std::shared_ptr<const CallableFunction> function;
  };
  const auto both =
      std::make_shared<const Both>(Both{std::move(owner), std::move(function)});
  return {both, both->function.get()};
}

// Returns a text that differs between requests that need different plans. Names
// come from clients, so each has its length before it.
std::string KeyOf(const FunctionRequest& request) {
  std::string key;
  for (const auto types : {request.arg_types, request.return_types}) {
    for (const DType type : types) absl::StrAppend(&key, Name(type), ",");
    absl::StrAppend(&key, "\n");
  }
  const auto add = [&key](absl::string_view name) {
    absl::StrAppend(&key, name.size(), ":", name);
  };
  add(request.device);
  for (const std::string& device : request.arg_devices) add(device);
  add(request.function.name);
  add(DebugString(AttrValue(request.function),
                  std::numeric_limits<int>::max()));
  return key;
}

}  // namespace

CompiledFunctions::CompiledFunctions(const Graph& graph,
                                     std::shared_ptr<GraphCompiler> compiler,
                                     const FunctionPlanning& planning)
    : library_(graph.functions()),
      ops_(graph.ops()),
      compiler_(std::move(compiler)),
      planning_(planning),
      num_calls_(std::make_shared<std::atomic<int64_t>>(0)) {}

CompiledFunctions::CompiledFunctions(const Graph& graph,
                                     const CompiledFunctions& caller)
    : library_(graph.functions()),
      ops_(graph.ops()),
      compiler_(caller.compiler_),
      planning_(caller.planning_),
      num_calls_(caller.num_calls_) {}

void CompiledFunctions::Find(const FunctionRequest& request,
                             absl::AnyInvocable<void(Found) &&> done) {
  functions_->Get(
      KeyOf(request), /*graph_version=*/0,
      [&](Functions::Done made) { std::move(made)(Compile(request)); },
      [self = shared_from_this(), done = std::move(done)](Found found) mutable {
        if (!found.ok()) return std::move(done)(found.status());
        std::move(done)(Owning(*std::move(found), std::move(self)));
      });
}

absl::StatusOr<std::vector<DType>> CompiledFunctions::ReturnTypes(
    const FunctionRef& function) const {
  const Function* const found = library_.Find(function.name);
  if (found == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("function '", function.name, "' is not in the library"));
  }
  LEAT_ASSIGN_OR_RETURN(
      FunctionBody body,
      Instantiate(*found, function.attrs ? *function.attrs : AttrMap(), ops_,
                  library_, planning_.limits.max_outputs));
  return std::move(body.return_types);
}

FunctionCaller::Found CompiledFunctions::Compile(
    const FunctionRequest& request) {
  DeviceSet& devices = compiler_->devices();
  if (devices.Find(request.device) == nullptr) {
    return absl::InternalError(absl::StrCat(
        "Currently don't support instantiating functions on device: ",
        request.device));
  }
  const std::unique_ptr<ConstantEvaluator> evaluator =
      NewConstantEvaluator(compiler_->registry(), devices.compute_queue());
  LEAT_ASSIGN_OR_RETURN(StepPlan plan,
                        PlanFunction({.function = request.function,
                                      .library = library_,
                                      .ops = ops_,
                                      .arg_types = request.arg_types,
                                      .return_types = request.return_types,
                                      .device = request.device,
                                      .arg_devices = request.arg_devices},
                                     devices.Infos(),
                                     {.allow_soft_placement = true,
                                      .policies = planning_.policies,
                                      .lower_limits = planning_.limits},
                                     {.optimizer = planning_.optimizer,
                                      .passes = planning_.passes,
                                      .evaluator = evaluator.get()}));
  auto graph = std::make_shared<CompiledGraph>();
  std::shared_ptr<const Graph> source;
  for (Partition& partition : plan.partitions) {
    if (HasState(partition.graph)) {
      source = std::make_shared<const Graph>(partition.graph);
    }
    LEAT_ASSIGN_OR_RETURN(graph, Register(std::move(partition.graph)));
  }
  return std::make_shared<const CompiledFunction>(
      request.function.name, request.return_types.size(), std::move(graph),
      std::move(source),
      [this](Graph copy) { return Register(std::move(copy)); }, num_calls_);
}

absl::StatusOr<std::shared_ptr<CompiledGraph>> CompiledFunctions::Register(
    Graph graph) {
  const FunctionLibrary::Map& functions = graph.functions().functions();
  const bool has_others =
      std::any_of(functions.begin(), functions.end(), [this](const auto& each) {
        return library_.Find(each.first) == nullptr;
      });
  auto compiled = std::make_shared<CompiledGraph>();
  if (has_others) {
    compiled->functions.reset(new CompiledFunctions(graph, *this));
  }
  SessionKernels kernels(compiler_->registry());
  LEAT_RETURN_IF_ERROR(compiler_->Compile(
      std::move(graph), kernels, has_others ? compiled->functions.get() : this,
      *compiled));
  return compiled;
}

}  // namespace leat
