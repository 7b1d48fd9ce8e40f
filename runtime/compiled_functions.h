// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// CompiledFunctions calls the functions of a graph at run time. It plans and
// compiles a function when a kernel asks for it for the first time, and runs
// each call as a step of its own.
#ifndef LEAT_RUNTIME_COMPILED_FUNCTIONS_H_
#define LEAT_RUNTIME_COMPILED_FUNCTIONS_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "leat/graph/function_library.h"
#include "leat/graph/graph.h"
#include "leat/kernels/function_caller.h"
#include "leat/runtime/function_planning.h"
#include "leat/runtime/graph_compiler.h"
#include "leat/runtime/plan_table.h"

namespace leat {

// Is thread-safe. A function that was compiled shares its stateful kernels
// among all calls, and no other function or node uses them. If the device that
// a node of a function requests does not exist, the node runs on another one.
// A shared_ptr owns it, and the functions that it finds share its ownership.
class CompiledFunctions final
    : public FunctionCaller,
      public std::enable_shared_from_this<CompiledFunctions> {
 public:
  // Limits how deep calls nest. Each level needs stack when the calls return.
  static constexpr int kMaxDepth = 1000;
  // Limits how many calls of one graph may be under way, over all its steps.
  static constexpr int64_t kMaxCalls = 100'000;

  // Copies the library of `graph`, whose op registry must outlive this object.
  // `compiler` compiles the functions. REQUIRES: planning.policies is not null.
  CompiledFunctions(const Graph& graph, std::shared_ptr<GraphCompiler> compiler,
                    const FunctionPlanning& planning);

  void Find(const FunctionRequest& request,
            absl::AnyInvocable<void(Found) &&> done) override;
  absl::StatusOr<std::vector<DType>> ReturnTypes(
      const FunctionRef& function) const override;

 private:
  using Functions = PlanTable<CallableFunction>;

  // Makes an object for the functions of `graph`, which is the body of a
  // function of `caller`. Their calls count as calls of `caller`.
  CompiledFunctions(const Graph& graph, const CompiledFunctions& caller);

  Found Compile(const FunctionRequest& request);
  // Compiles a function that was planned. Lowering may have made functions,
  // such as gradients, which only `graph` has.
  absl::StatusOr<std::shared_ptr<CompiledGraph>> Register(Graph graph);

  const FunctionLibrary library_;
  const OpRegistry& ops_;
  const std::shared_ptr<GraphCompiler> compiler_;
  const FunctionPlanning planning_;
  // Counts the calls that are under way.
  const std::shared_ptr<std::atomic<int64_t>> num_calls_;
  // The table has no release function, so a kernel may still use a function
  // that the table has evicted.
  const std::shared_ptr<Functions> functions_ =
      Functions::Create(/*release=*/nullptr);
};

}  // namespace leat

#endif  // LEAT_RUNTIME_COMPILED_FUNCTIONS_H_
