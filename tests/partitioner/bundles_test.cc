// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/partitioner/bundles.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/devices/device.h"
#include "leat/graph/analysis/consumers.h"
#include "leat/graph/analysis/control_flow_ops.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/builder/control_flow.h"
#include "leat/graph/ops.h"
#include "leat/partitioner/partition.h"
#include "leat/partitioner/plan_step.h"
#include "leat/partitioner/prepare_graph.h"

namespace leat::bundles_test {
namespace {

using ::testing::ElementsAre;

constexpr char kWorker[] = "/job:worker/replica:0/task:0/device:CPU:0";
constexpr char kWorkersOther[] = "/job:worker/replica:0/task:0/device:CPU:1";
constexpr char kPs[] = "/job:ps/replica:0/task:0/device:CPU:0";
constexpr char kOtherPs[] = "/job:ps/replica:0/task:1/device:CPU:0";

constexpr BundleLimits kLimits{.max_tensors = 64, .max_bytes = 1 << 20};
// Is the number of floats in the largest tensor that a bundle may contain.
constexpr int64_t kMostFloats = kLimits.max_bytes / 2 / 4;
constexpr auto kMostTensors = static_cast<int>(kLimits.max_tensors);

constexpr int64_t kAlone = -1;

std::vector<DeviceInfo> Cluster() {
  std::vector<DeviceInfo> devices;
  for (const char* name : {kWorker, kWorkersOther, kPs, kOtherPs}) {
    devices.push_back({.name = name, .type = "CPU", .incarnation = 1});
  }
  return devices;
}

// Describes a _Recv.
struct Received {
  std::string producer = {};  // the node that it receives from
  std::string device = {};
  int64_t bundle = kAlone;
};

// Returns "x" for "edge_3_x".
std::string ProducerOf(absl::string_view tensor_name) {
  tensor_name.remove_prefix(absl::string_view("edge_").size());
  return std::string(tensor_name.substr(tensor_name.find('_') + 1));
}

std::vector<Received> ReceivedBy(const std::vector<Partition>& partitions) {
  std::vector<Received> received;
  for (const Partition& part : partitions) {
    for (const NodeId id : part.graph.NodeIds()) {
      const Node& node = part.graph.node(id);
      if (node.op() != "_Recv") continue;
      const AttrMap& attrs = node.attrs();
      received.push_back(
          {.producer =
               ProducerOf(attrs.Get<std::string>("tensor_name").value()),
           .device = attrs.Get<std::string>("recv_device").value(),
           .bundle = attrs.GetOr<int64_t>(kBundleAttr, kAlone).value()});
    }
  }
  return received;
}

class BundlesTest : public ::testing::Test {
 protected:
  // Returns the value of a variable, which is ready at once.
  Output Value(const Shape& shape = {}, const char* device = kPs) {
    auto there = b.OnDevice(device);
    return b.Variable("v", b.Const(Tensor::Filled<float>(shape, 1))).value();
  }

  Output NewQueue() {
    auto there = b.OnDevice(kPs);
    return op::FIFOQueueV2(b, {DType::kFloat});
  }
  // Dequeues an element of the queue and gives it a known shape.
  Output Taken(const Output& queue) {
    auto there = b.OnDevice(kPs);
    return op::Reshape(op::QueueDequeueV2(queue, {DType::kFloat})[0],
                       Tensor::Vector<int32_t>({1}));
  }

  Output On(const char* device, Output (*op)(Operand, SourceLocation),
            const Output& x) {
    auto there = b.OnDevice(device);
    return op(x, SourceLocation::Current());
  }

  // Adds a target on `device` that uses `x`.
  Output Use(const Output& x, const char* device = kWorker) {
    auto there = b.OnDevice(device);
    const Output used = op::Identity(x);
    targets.push_back(used.operation().name());
    return used;
  }
  // Adds a target on `device` that assigns `x` to a variable.
  void Update(const Output& x, const char* device = kWorker) {
    auto there = b.OnDevice(device);
    const Output handle = op::VarHandleOp(b, x.dtype(), {});
    targets.push_back(op::AssignVariableOp(handle, x).name());
  }
  // Adds a target on `device` that assigns 1 to a variable after `operation`.
  // Only the assignment waits for `operation`.
  void UpdateAfter(const Operation& operation, const char* device = kWorker) {
    auto there = b.OnDevice(device);
    const Output one = b.Const(1.0f);
    const Output handle = op::VarHandleOp(b, one.dtype(), {});
    auto after = b.ControlDependencies({operation});
    targets.push_back(op::AssignVariableOp(handle, one).name());
  }
  // Adds a target on `device` that runs after `operation`.
  void WaitFor(const Operation& operation, const char* device = kWorker) {
    auto there = b.OnDevice(device);
    auto after = b.ControlDependencies({operation});
    targets.push_back(op::NoOp(b).name());
  }

  void Prepare(absl::StatusOr<Graph>& prepared) {
    PrepareOptions options;
    options.policies = &BuiltinPolicies();
    options.foreign_tasks = foreign_tasks;
    auto graph = b.Build();
    ASSERT_TRUE(graph.ok()) << graph.status();
    prepared = PrepareGraph(*graph, Cluster(), options);
    ASSERT_TRUE(prepared.ok()) << prepared.status();
  }

  // Plans a step that runs all targets.
  void Plan() {
    absl::StatusOr<Graph> prepared = absl::UnknownError("");
    ASSERT_NO_FATAL_FAILURE(Prepare(prepared));
    auto plan = PlanStep(*prepared, {.targets = targets}, Cluster(),
                         {.foreign_tasks = foreign_tasks,
                          .bundles = kLimits,
                          .keep_whole = true});
    ASSERT_TRUE(plan.ok()) << plan.status();
    plan_ = *std::move(plan);
    received = ReceivedBy(plan_.partitions);
  }
  const Graph& whole() const { return *plan_.whole; }

  // Returns the number of the bundle in which `device` receives the tensor or
  // control edge of `from`, or kAlone if it is in no bundle. Fails the test if
  // there is no such tensor or edge, or more than one.
  int64_t BundleOf(const Operation& from, absl::string_view device = kWorker) {
    std::vector<int64_t> bundles;
    for (const Received& one : received) {
      if (one.producer != from.name() || one.device != device) continue;
      bundles.push_back(one.bundle);
    }
    EXPECT_EQ(bundles.size(), 1u) << from.name() << " to " << device;
    return bundles.size() == 1 ? bundles[0] : kAlone - 1;
  }
  int64_t BundleOf(const Output& from, absl::string_view device = kWorker) {
    return BundleOf(from.operation(), device);
  }

  void ExpectAlone(const std::vector<Output>& outputs,
                   absl::string_view device = kWorker) {
    for (const Output& output : outputs) {
      EXPECT_EQ(BundleOf(output, device), kAlone) << output.name();
    }
  }
  void ExpectTogether(const std::vector<Output>& outputs,
                      absl::string_view device = kWorker) {
    const int64_t first = BundleOf(outputs[0], device);
    EXPECT_GE(first, 0) << outputs[0].name();
    for (const Output& output : outputs) {
      EXPECT_EQ(BundleOf(output, device), first) << output.name();
    }
  }
  // Checks that the control edges from two enqueues into one queue are not
  // bundled. The second enqueue can depend on a node that runs only after the
  // first enqueue has ended.
  void ExpectEnqueuesApart(const Output& element) {
    const Output queue = NewQueue();
    std::vector<Operation> enqueues;
    for (int i = 0; i < 2; ++i) {
      auto there = b.OnDevice(kPs);
      enqueues.push_back(op::QueueEnqueueV2(queue, {element}));
    }
    for (const Operation& enqueue : enqueues) UpdateAfter(enqueue);
    Plan();
    for (const Operation& enqueue : enqueues) {
      EXPECT_EQ(BundleOf(enqueue), kAlone) << enqueue.name();
    }
  }

  // Returns the number of tensors in each bundle, in ascending order. Leaves
  // out the tensors that are in no bundle.
  std::vector<int> Sizes() const {
    std::map<int64_t, int> counts;
    for (const Received& one : received) ++counts[one.bundle];
    std::vector<int> sizes;
    for (const auto& [bundle, count] : counts) {
      if (bundle != kAlone) sizes.push_back(count);
    }
    std::sort(sizes.begin(), sizes.end());
    return sizes;
  }
  int CountAlone() const {
    return static_cast<int>(std::count_if(
        received.begin(), received.end(),
        [](const Received& one) { return one.bundle == kAlone; }));
  }

  GraphBuilder b;
  std::vector<std::string> foreign_tasks;
  std::vector<std::string> targets;
  std::vector<Received> received;

 private:
  StepPlan plan_;
};

TEST_F(BundlesTest, VariablesOfATaskComeTogether) {
  const Output v = Value(), w = Value({2, 3});
  const Output other = Value({}, kOtherPs);
  for (const Output& value : {v, w, other}) Use(value);
  Plan();
  ExpectTogether({v, w});
  ExpectAlone({other});
  EXPECT_EQ(received.size(), 3u);
}

TEST_F(BundlesTest, EachTaskHasItsOwn) {
  const Output v = Value(), w = Value();
  const Output x = Value({}, kOtherPs), y = Value({}, kOtherPs);
  for (const Output& value : {v, x, w, y}) Use(value);
  Plan();
  ExpectTogether({v, w});
  ExpectTogether({x, y});
  EXPECT_NE(BundleOf(v), BundleOf(x));
}

TEST_F(BundlesTest, EachReceivingDeviceHasItsOwn) {
  const Output v = Value(), w = Value(), once = Value();
  for (const Output& value : {v, w}) {
    Use(value);
    Use(value, kWorkersOther);
  }
  Use(once);
  Use(once);  // used by two nodes, but sent once
  Plan();
  ExpectTogether({v, w, once});
  ExpectTogether({v, w}, kWorkersOther);
  EXPECT_NE(BundleOf(v), BundleOf(v, kWorkersOther));
  EXPECT_EQ(received.size(), 5u);
}

TEST_F(BundlesTest, LargeTensorsComeAlone) {
  const Output v = Value(), w = Value({kMostFloats});
  const Output large = Value({kMostFloats + 1});
  const Output another = Value({kMostFloats + 1});
  for (const Output& value : {large, v, another, w}) Use(value);
  Plan();
  ExpectTogether({v, w});
  ExpectAlone({large, another});
}

// Only updates use the tensors `sum` and `product`, as is usual for gradients.
// Updates may wait for the slowest tensor of a bundle, because the step cannot
// end before them anyway. A tensor that takes long to compute and has other
// users comes alone, so that these users need not wait for other tensors.
TEST_F(BundlesTest, WhatTakesAWhileComesTogetherForUpdatesOnly) {
  const Output v = Value(), w = Value();
  const Output sum = On(kPs, op::Neg, v), product = On(kPs, op::Exp, v);
  const Output used = On(kPs, op::Neg, w), both = On(kPs, op::Exp, w);
  for (const Output& value : {sum, product, both}) Update(value);
  for (const Output& value : {used, both}) Use(value);
  Use(v);
  Plan();
  ExpectTogether({sum, product});
  ExpectAlone({used, both, v});
}

TEST_F(BundlesTest, TensorsOfUnknownSizeComeAlone) {
  std::vector<Output> known, unknown;
  {
    auto there = b.OnDevice(kPs);
    known = {b.Placeholder<float>("known", {4}),
             b.Placeholder<int32_t>("number", Shape())};
    unknown = {b.Placeholder<float>("unknown"),
               b.Placeholder<float>("rows", {-1, 4}),
               b.Placeholder<float>("more_rows", {-1, 4}),
               b.Placeholder(DType::kString, "text", Shape()),
               b.Placeholder(DType::kString, "more_text", Shape())};
  }
  for (const Output& each : known) Update(each);
  for (const Output& each : unknown) Update(each);
  Plan();
  ExpectTogether(known);
  ExpectAlone(unknown);
}

TEST_F(BundlesTest, WhatIsComputedForUpdatesComesTogether) {
  const Output v = Value(), w = Value();
  const Output neg = On(kPs, op::Neg, v), exp = On(kPs, op::Exp, w);
  const Output square = On(kPs, op::Square, v);
  {
    auto there = b.OnDevice(kWorker);
    const Variable r = b.Variable("r", b.Const(1.0f), {.use_resource = false});
    targets.push_back(op::AssignAdd(r.handle(), square).operation().name());
  }
  Update(neg);
  Update(exp);
  Update(v);
  Update(w);
  Plan();
  ExpectTogether({neg, exp, square});
  // `neg`, `exp` and `square` are not in one bundle with v and w, because v and
  // w are ready at once.
  ExpectTogether({v, w});
  EXPECT_NE(BundleOf(v), BundleOf(neg));
}

TEST_F(BundlesTest, OtherUsesThanUpdatesCountByDevice) {
  const Output v = Value();
  const Output neg = On(kPs, op::Neg, v), exp = On(kPs, op::Exp, v);
  const Output square = On(kPs, op::Square, v);
  for (const Output& value : {neg, exp, square}) Update(value);
  Use(square);
  Use(neg, kWorkersOther);
  Use(exp, kWorkersOther);
  Plan();
  ExpectTogether({neg, exp});
  ExpectAlone({square});
  ExpectAlone({neg, exp}, kWorkersOther);
}

// A tensor can be late if it depends on a node that computes something,
// whichever task this node is on. Every task receives such a tensor without a
// bundle.
TEST_F(BundlesTest, WhatIsPassedOnComesAsItCame) {
  const Output v = Value(), w = Value(), x = Value();
  const Output neg = On(kPs, op::Neg, v), exp = On(kPs, op::Exp, v);
  const Output neg_there = Use(neg), exp_there = Use(exp);
  const Output w_there = Use(w), x_there = Use(x);
  for (const Output& there : {neg_there, exp_there, w_there, x_there}) {
    Use(there, kPs);
  }
  Plan();
  ExpectAlone({neg, exp});
  ExpectAlone({neg_there, exp_there}, kPs);
  ExpectTogether({w_there, x_there}, kPs);
}

TEST_F(BundlesTest, WhatIsComputedFromATensorIsNotInItsBundle) {
  const Output v = Value(), w = Value();
  const Output v_there = Use(v), w_there = Use(w);
  const Output v_back = On(kPs, op::Identity, v_there);
  const Output w_back = On(kPs, op::Identity, w_there);
  Use(v_back);
  Use(w_back);
  Plan();
  ExpectTogether({v, w});
  ExpectTogether({v_there, w_there}, kPs);
  ExpectTogether({v_back, w_back});
  EXPECT_NE(BundleOf(v), BundleOf(v_back));
  EXPECT_NE(BundleOf(v), BundleOf(v_there, kPs));
}

// The tensor v crosses to another task before Neg reads it, but w does not. So
// the Neg of w is ready long before the Neg of v.
TEST_F(BundlesTest, TensorsThatHaveComeDifferentlyFarAreApart) {
  const Output v = Value({}, kOtherPs), w = Value();
  const Output made = On(kPs, op::Neg, v);
  Update(made);
  Update(On(kPs, op::Neg, w));
  Plan();
  EXPECT_EQ(Sizes(), std::vector<int>());
}

TEST_F(BundlesTest, ControlEdgesJoin) {
  const Output v = Value();
  const Output large = Value({kMostFloats + 1});
  Use(v);
  WaitFor(large.operation());
  Plan();
  ExpectTogether({v, large});
}

TEST_F(BundlesTest, ControlEdgesOfWhatIsComputedJoinForUpdates) {
  const Output v = Value({kMostFloats + 1});
  const Output neg = On(kPs, op::Neg, v), exp = On(kPs, op::Exp, v);
  const Output square = On(kPs, op::Square, v);
  UpdateAfter(neg.operation());
  UpdateAfter(exp.operation());
  WaitFor(square.operation());
  Plan();
  ExpectTogether({neg, exp});
  ExpectAlone({square});
}

TEST_F(BundlesTest, WhatWaitsForAQueueKeepsNothingElseBack) {
  const Output v = Value();
  const Output neg = On(kPs, op::Neg, v), exp = On(kPs, op::Exp, v);
  const Output taken = Taken(NewQueue());
  for (const Output& value : {neg, taken, exp}) Update(value);
  Plan();
  ExpectTogether({neg, exp});
  ExpectAlone({taken});
}

TEST_F(BundlesTest, WhatWaitsForTheSameComesTogether) {
  const Output computed = On(kPs, op::Neg, Value());
  const Output taken = Taken(NewQueue());
  const Output neg = On(kPs, op::Neg, taken), exp = On(kPs, op::Exp, taken);
  for (const Output& value : {computed, neg, exp}) Update(value);
  Plan();
  ExpectTogether({neg, exp});
  ExpectAlone({computed});
}

TEST_F(BundlesTest, WhatWaitsForMoreIsApart) {
  const Output first = Taken(NewQueue()), second = Taken(NewQueue());
  const Output neg = On(kPs, op::Neg, first);
  Output sum, product;
  {
    auto there = b.OnDevice(kPs);
    sum = op::AddV2(first, second);
    product = op::Mul(first, second);
  }
  for (const Output& value : {neg, second, sum, product}) Update(value);
  Plan();
  ExpectTogether({sum, product});
  ExpectAlone({neg, second});
}

TEST_F(BundlesTest, TwoElementsOfAQueueAreApart) {
  const Output queue = NewQueue();
  const Output first = Taken(queue), second = Taken(queue);
  Update(first);
  Update(second);
  Plan();
  ExpectAlone({first, second});
}

TEST_F(BundlesTest, EnqueuesAreApart) {
  Output element;
  {
    auto there = b.OnDevice(kPs);
    element = b.Const(1.0f);
  }
  ExpectEnqueuesApart(element);
}

// An enqueue may have to wait, even if its element is ready at once. Here, the
// element is a reference to a variable.
TEST_F(BundlesTest, EnqueuesOfAReferenceAreApart) {
  Output element;
  {
    auto there = b.OnDevice(kPs);
    element = b.Variable("r", b.Const(1.0f), {.use_resource = false}).handle();
  }
  ASSERT_TRUE(element.is_ref());
  ExpectEnqueuesApart(element);
}

// A variable may hold the name of a queue.
TEST_F(BundlesTest, WhatAQueueOfAVariableGivesIsApart) {
  const Output computed = On(kPs, op::Neg, Value({1}));
  Output taken;
  {
    auto there = b.OnDevice(kPs);
    const Output name =
        b.Variable("q", b.Const(Tensor::Vector<std::string>({"", "queue"})),
                   {.use_resource = false})
            .handle();
    ASSERT_TRUE(name.is_ref());
    taken = op::Reshape(op::QueueDequeue(name, {DType::kFloat})[0],
                        Tensor::Vector<int32_t>({1}));
  }
  Update(computed);
  Update(taken);
  Plan();
  ExpectAlone({computed, taken});
}

// Taking a gradient waits until gradients have been applied, but counting
// gradients does not wait. So the two results must not be in one bundle.
TEST_F(BundlesTest, WhatAnAccumulatorGivesIsApart) {
  Output taken, count;
  {
    auto there = b.OnDevice(kPs);
    const Output handle =
        op::ResourceConditionalAccumulator(b, DType::kFloat, PartialShape{1});
    taken = op::Reshape(
        op::ResourceAccumulatorTakeGradient(handle, 1, DType::kFloat),
        Tensor::Vector<int32_t>({1}));
    count = op::ResourceAccumulatorNumAccumulated(handle);
  }
  Update(taken);
  Update(count);
  Plan();
  ExpectAlone({taken, count});
}

// AccumulatorTakeGradient and AccumulatorNumAccumulated are not declared
// stateful. Only their input, a reference to the handle, shows that they use
// state.
TEST_F(BundlesTest, WhatAnAccumulatorWithAReferenceGivesIsApart) {
  Output taken, count;
  {
    auto there = b.OnDevice(kPs);
    const Output handle =
        op::ConditionalAccumulator(b, DType::kFloat, PartialShape{1});
    taken = op::Reshape(op::AccumulatorTakeGradient(handle, 1, DType::kFloat),
                        Tensor::Vector<int32_t>({1}));
    count = op::AccumulatorNumAccumulated(handle);
  }
  Update(taken);
  Update(count);
  Plan();
  ExpectAlone({taken, count});
}

// If p is false, `merged` is ready before the queue has an element. So `merged`
// must not be bundled with tensors that are computed from the element.
TEST_F(BundlesTest, AChoiceBetweenWhatWaitsComesAlone) {
  const Output v = Value({1});
  const Output taken = Taken(NewQueue());
  Output merged, harmless;
  {
    auto there = b.OnDevice(kPs);
    const Output p = b.Placeholder<bool>("p", Shape());
    const auto value = op::Switch(v, p);
    merged = op::Merge({op::Switch(taken, p).output_true, value.output_false})
                 .output;
    harmless =
        op::Merge({op::Neg(value.output_true), value.output_false}).output;
  }
  const Output of_taken = On(kPs, op::Neg, taken);
  const Output of_v = On(kPs, op::Neg, v);
  for (const Output& each : {merged, of_taken, harmless, of_v}) Update(each);
  Plan();
  ExpectAlone({merged, of_taken});
  ExpectTogether({harmless, of_v});
}

// Returns, for each NodeId, whether the node is in a loop or after one.
std::vector<bool> InOrBehindLoops(const Graph& graph) {
  std::vector<bool> result(static_cast<size_t>(graph.num_ids()));
  const std::vector<NodeId> order = TopologicalOrder(graph).value();
  for (const NodeId id : order) {
    const Node& node = graph.node(id);
    bool is_behind = IsEnter(node) || IsNextIteration(node);
    for (const Endpoint& input : node.inputs) {
      is_behind = is_behind || result[input.node];
    }
    for (const NodeId control : node.controls) {
      is_behind = is_behind || result[control];
    }
    result[id] = is_behind;
  }
  return result;
}

TEST_F(BundlesTest, NothingInALoopOrBehindItComesTogether) {
  std::vector<Output> results;
  {
    auto here = b.OnDevice(kPs);
    results = While(
        {b.Const(0.0f), b.Const(1.0f)},
        [&](absl::Span<const Output> v) {
          auto ps = b.OnDevice(kPs);
          return op::Less(v[0], 5.0f);
        },
        [&](absl::Span<const Output> v) {
          Output sum, product;
          {
            auto worker = b.OnDevice(kWorker);
            sum = op::AddV2(v[0], v[1]);
            product = op::Mul(v[0], v[1]);
          }
          auto ps = b.OnDevice(kPs);
          return std::vector<Output>{op::AddV2(v[0], 1.0f),
                                     op::AddV2(sum, product)};
        });
  }
  const Output v = Value(), w = Value();
  for (const Output& value : {v, results[0], results[1], w}) Update(value);
  Plan();
  ExpectTogether({v, w});
  const std::vector<bool> behind = InOrBehindLoops(whole());
  int count = 0;
  for (const Received& one : received) {
    const NodeId id = whole().Find(one.producer);
    ASSERT_NE(id, kNoNode) << one.producer;
    if (!behind[id]) continue;
    ++count;
    EXPECT_EQ(one.bundle, kAlone) << one.producer;
  }
  // At least these tensors were counted: the predicate, both loop variables,
  // sum, product and both results.
  EXPECT_GE(count, 7);
}

TEST_F(BundlesTest, ForeignTasksGetAndSendOneByOne) {
  foreign_tasks = {"/job:ps/replica:0/task:0"};
  const Output v = Value(), w = Value();
  const Output x = Value({}, kOtherPs), y = Value({}, kOtherPs);
  Use(v);
  Use(w);
  const Output x_there = Use(x), y_there = Use(y);
  for (const char* ps : {kPs, kOtherPs}) {
    Use(x_there, ps);
    Use(y_there, ps);
  }
  Plan();
  ExpectAlone({v, w});
  ExpectTogether({x, y});
  ExpectAlone({x_there, y_there}, kPs);
  ExpectTogether({x_there, y_there}, kOtherPs);
}

TEST_F(BundlesTest, HaveNoMoreTensorsThanTheLimit) {
  for (int i = 0; i < kMostTensors + 2; ++i) Use(Value());
  Plan();
  EXPECT_THAT(Sizes(), ElementsAre(2, kMostTensors));
  EXPECT_EQ(CountAlone(), 0);
}

TEST_F(BundlesTest, TheOneThatIsLeftComesAlone) {
  for (int i = 0; i < kMostTensors + 1; ++i) Use(Value());
  Plan();
  EXPECT_THAT(Sizes(), ElementsAre(kMostTensors));
  EXPECT_EQ(CountAlone(), 1);
}

TEST_F(BundlesTest, HaveNoMoreBytesThanTheLimit) {
  constexpr int64_t kInOne = 2;
  for (int64_t i = 0; i < 2 * kInOne; ++i) Use(Value({kMostFloats}));
  Plan();
  EXPECT_THAT(Sizes(), ElementsAre(kInOne, kInOne));
  EXPECT_EQ(CountAlone(), 0);
}

// The planner tells at most 64 blocking nodes apart. The queue is one of them,
// and so is each QueueDequeueV2. So the last pair is not bundled.
TEST_F(BundlesTest, WhatWaitsForOneNodeTooManyComesAlone) {
  constexpr int kMostOthers = 64;
  const Output queue = NewQueue();
  for (int i = 0; i < kMostOthers; ++i) {
    const Output taken = Taken(queue);
    Update(On(kPs, op::Neg, taken));
    Update(On(kPs, op::Exp, taken));
  }
  Plan();
  EXPECT_EQ(Sizes(), std::vector<int>(kMostOthers - 1, 2));
  EXPECT_EQ(CountAlone(), 2);
}

TEST_F(BundlesTest, ThereAreNoneBetweenDevices) {
  const Output v = Value(), w = Value();
  const Output x = Value({}, kWorkersOther), y = Value({}, kWorkersOther);
  for (const Output& value : {v, w, x, y}) Use(value);
  absl::StatusOr<Graph> prepared = absl::UnknownError("");
  ASSERT_NO_FATAL_FAILURE(Prepare(prepared));
  const auto partitions =
      PartitionGraph(*prepared, PartitionBy::kDevice, Cluster(), {}, kLimits);
  ASSERT_TRUE(partitions.ok()) << partitions.status();
  received = ReceivedBy(*partitions);
  EXPECT_GE(received.size(), 4u);
  ExpectAlone({v, w, x, y});
}

}  // namespace
}  // namespace leat::bundles_test
