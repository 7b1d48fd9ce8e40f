// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Runs steps on three tasks, as a training program does. The network of the
// tasks loses, duplicates, delays and reorders messages. A seed determines
// these faults. Some messages carry chunks of large tensors, and others carry
// bundles of small tensors. For every seed,
// - each step must have the right results or fail,
// - an update must be applied once if its step succeeds, and at most once if
//   its step fails,
// - everything must end within seconds, and
// - nothing may stay on any task.
//
// LEAT_TEST_SEEDS is the number of seeds (default: 200). LEAT_TEST_FIRST_SEED
// is the first seed (default: 0).
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "leat/core/threads/thread.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/builder/control_flow.h"
#include "leat/graph/ops.h"
#include "leat/protos/master.pb.h"
#include "leat/tests/testing/in_process_cluster.h"
#include "leat/tests/testing/simulated_clock.h"
#include "leat/tests/testing/task_client.h"

namespace leat::faulty_cluster_test {
namespace {

using testing::CallFaults;
using testing::FaultPlan;
using testing::InProcessCluster;
using testing::SimulatedClock;
using testing::TaskClient;
using Outputs = std::vector<Output>;
using testing::TestClock;

const TaskId kPs = {"ps", 0};
const TaskId kWorker = {"worker", 0};
const TaskId kOther = {"worker", 1};
constexpr char kOnPs[] = "/job:ps/task:0";
constexpr char kOnWorker[] = "/job:worker/task:0";
constexpr char kOnOther[] = "/job:worker/task:1";

constexpr int kShards = 10;  // each is a test of its own
constexpr int kClients = 2;
constexpr int kStepsOfClient = 12;
// Is the number of floats in a tensor that is sent in five chunks. The last
// chunk is shorter than the others.
constexpr int64_t kLarge = 5000;
constexpr ChunkOptions kChunks = {
    .inline_bytes = 8192, .chunk_bytes = 4096, .in_flight = 3};
// kWeight and kBias are the values of the two parameters. kParameters is the
// sum of all reads of the parameters in a step.
constexpr int kWeight = 10;
constexpr int kBias = 7;
constexpr int kParameters = 2 * (kWeight + kBias);
// The master waits this long for the replies of a step's tasks. So no step
// takes longer.
constexpr std::chrono::seconds kLongestStep(5);

int64_t NumberOf(const char* variable, int64_t otherwise) {
  const char* const text = std::getenv(variable);
  int64_t number = otherwise;
  if (text != nullptr) {
    EXPECT_TRUE(absl::SimpleAtoi(text, &number)) << text;
  }
  return number;
}

// All clients run this graph, and they share its variables. All steps receive
// bundles of the parameters, and a step that adds to the sums sends bundles
// too.
struct Program {
  Program() {
    {
      auto ps = b.OnDevice(kOnPs);
      weight = b.Variable("weight", b.Const(static_cast<float>(kWeight)));
      bias = b.Variable("bias", b.Const(static_cast<float>(kBias)));
      count = b.Variable("count", b.Const(int64_t{0}));
    }
    x = b.Placeholder<float>("x", Shape{});
    digit = b.Placeholder<int64_t>("digit", Shape{});
    n = b.Placeholder<int32_t>("n", Shape{});
    y = PlusParameters(At(kOnOther, [&] { return x * 3.0f; }));
    std::vector<Operation> adds;
    for (const char* const device :
         {kOnOther, kOnOther, kOnWorker, kOnWorker}) {
      adds.push_back(AddToNewSum(device));
    }
    add = At(kOnPs, [&] { return b.Group(adds, "add"); });
    const Output numbers = At(kOnOther, [&] { return x + b.Const(Numbers()); });
    const Output twice = At(kOnPs, [&] { return numbers * 2.0f; });
    large = PlusParameters(At(kOnWorker, [&] { return twice - numbers; }));
    sum = PlusParameters(Loop(/*counts=*/false));
    counted = PlusParameters(Loop(/*counts=*/true));
    graph = b.Build().value();
  }

  template <class F>
  std::invoke_result_t<F> At(const char* device, F f) {
    auto scope = b.OnDevice(device);
    return f();
  }

  // Returns the sum of `value` and all reads of the parameters. Two tasks read
  // the parameters. Each task reads both parameters, so that one bundle can
  // carry both.
  Output PlusParameters(const Output& value) {
    const auto parameters = [&] { return weight.value() + bias.value(); };
    const Output there = At(kOnOther, parameters);
    const Output here = At(kOnWorker, parameters);
    return At(kOnWorker, [&] { return value + there + here; });
  }

  // Adds a new variable, and returns an operation that adds `digit` * factor to
  // it. The planner bundles a computed tensor only if its shape is known, and
  // the shape of the feed `digit` is unknown. So `digit` is reshaped to [1]. (A
  // Reshape to a scalar would be optimized away.)
  Operation AddToNewSum(const char* device) {
    Sum& to = sums.emplace_back();
    to.factor = static_cast<int64_t>(sums.size()) + 1;
    auto ps = b.OnDevice(kOnPs);
    to.variable = b.Variable("sum", b.Const(Tensor::Vector<int64_t>({0})));
    const Output delta = At(device, [&] {
      return op::Reshape(digit, Tensor::Vector<int32_t>({1})) * to.factor;
    });
    return op::AssignAddVariableOp(to.variable.handle(), delta);
  }

  static Tensor Numbers() {
    Tensor numbers = Tensor::Filled<float>(Shape{kLarge}, 0.0f);
    const absl::Span<float> data = numbers.mutable_data<float>();
    for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>(i);
    return numbers;
  }

  // Computes 0 + 1 + ... + (n - 1) on all tasks. If `counts` is true, each
  // iteration adds 1 to `count`.
  Output Loop(bool counts) {
    return While(
        {b.Const<int32_t>(0), b.Const(0.0f)},
        [&](absl::Span<const Output> v) { return op::Less(v[0], n); },
        [&](absl::Span<const Output> v) {
          const Output half =
              At(kOnPs, [&] { return op::Cast(v[0], DType::kFloat) * 0.5f; });
          const Output whole = At(kOnOther, [&] { return half + half; });
          if (counts) {
            auto after = b.ControlDependencies({whole.operation()});
            auto ps = b.OnDevice(kOnPs);
            const Operation one =
                op::AssignAddVariableOp(count.handle(), b.Const(int64_t{1}));
            auto next = b.ControlDependencies({one});
            auto worker = b.OnDevice(kOnWorker);
            return Outputs{v[0] + 1, v[1] + whole};
          }
          auto worker = b.OnDevice(kOnWorker);
          return Outputs{v[0] + 1, v[1] + whole};
        })[1];
  }

  // Describes a variable with one element. Its value is `factor` times the sum
  // of all digits that were added.
  struct Sum {
    Variable variable = {};
    int64_t factor = 1;
  };

  GraphBuilder b;
  Variable weight, bias, count;
  std::vector<Sum> sums;
  Output x, digit, n, y, large, sum, counted;
  Operation add;
  Graph graph{BuiltinOps()};
};

// Describes what a client knows about its updates. Each step that updates a sum
// adds one digit. Each digit has two bits of the sum for itself. These bits
// show how often the digit was added.
struct Ledger {
  // Holds a pair for each digit: the position of its bits in a sum, and whether
  // it is certain that the digit was added.
  std::vector<std::pair<int, bool>> digits = {};
  int64_t min_count = 0;
  int64_t max_count = 0;
  int num_ok = 0;
  int num_failed = 0;
  int num_large_ok = 0;
  bool lost_sessions = false;  // The master may still have these.
};

// Returns true for the errors that the faults may cause.
bool IsExpected(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsAborted(status) ||
         absl::IsCancelled(status) || absl::IsDeadlineExceeded(status);
}

// A Client runs steps on a session. After two steps in a row have failed, it
// makes a new session.
class Client {
 public:
  Client(InProcessCluster& cluster, const Program& program, int number,
         const TaskId& master, uint64_t seed)
      : cluster_(cluster),
        program_(program),
        number_(number),
        master_(master),
        random_(seed * kClients + number) {}

  void Run() {
    for (int step = 0; step < kStepsOfClient; ++step) {
      if (session_ == nullptr && !Connect()) continue;
      const Clock::time_point start = TestClock().Now();
      const absl::Status status = RunOne(step);
      EXPECT_LE(TestClock().Now() - start, kLongestStep) << status;
      ++(status.ok() ? ledger_.num_ok : ledger_.num_failed);
      if (status.ok()) {
        failures_ = 0;
        continue;
      }
      EXPECT_TRUE(IsExpected(status)) << status;
      if (++failures_ == 2) Disconnect();
    }
    Disconnect();
  }

  const Ledger& ledger() const { return ledger_; }

 private:
  int Draw(int range) {
    return static_cast<int>(random_() % static_cast<uint64_t>(range));
  }

  bool Connect() {
    for (int i = 0; i < 10; ++i) {
      auto session = cluster_.NewSession(program_.graph, master_);
      if (session.ok()) {
        session_ = *std::move(session);
        failures_ = 0;
        return true;
      }
      EXPECT_TRUE(IsExpected(session.status())) << session.status();
      ledger_.lost_sessions = true;
    }
    return false;
  }

  void Disconnect() {
    if (session_ == nullptr) return;
    const absl::Status status = session_->Close();
    if (!status.ok()) {
      EXPECT_TRUE(IsExpected(status)) << status;
      ledger_.lost_sessions = true;
    }
    session_ = nullptr;
  }

  RunOptions Options() {
    RunOptions options;
    if (Draw(8) == 0) options.timeout = std::chrono::milliseconds(1 + Draw(20));
    return options;
  }

  absl::Status RunOne(int step) {
    switch (Draw(5)) {
      case 0:
        return Read();
      case 1:
        return Loop(program_.sum, /*counts=*/false);
      case 2:
        return Loop(program_.counted, /*counts=*/true);
      case 3:
        return ReadLarge();
      default:
        return Add(step);
    }
  }

  absl::Status Read() {
    const auto x = static_cast<float>(Draw(1000));
    const auto out = session_->Run({.feeds = {{program_.x, Tensor::Scalar(x)}},
                                    .fetches = {program_.y},
                                    .options = Options()});
    if (out.ok()) {
      EXPECT_EQ((*out)[0].scalar<float>(), 3 * x + kParameters);
    }
    return out.status();
  }

  absl::Status ReadLarge() {
    const int x = Draw(1000);
    const auto out = session_->Run(
        {.feeds = {{program_.x, Tensor::Scalar(static_cast<float>(x))}},
         .fetches = {program_.large},
         .options = Options()});
    if (!out.ok()) return out.status();
    ++ledger_.num_large_ok;
    const absl::Span<const float> numbers = (*out)[0].data<float>();
    EXPECT_EQ(numbers.size(), static_cast<size_t>(kLarge));
    int num_wrong = 0;
    for (size_t i = 0; i < numbers.size(); ++i) {
      num_wrong += numbers[i] !=
                   static_cast<float>(i) + static_cast<float>(x + kParameters);
    }
    EXPECT_EQ(num_wrong, 0);
    return absl::OkStatus();
  }

  absl::Status Add(int step) {
    const int position = 2 * (number_ * kStepsOfClient + step);
    const auto x = static_cast<float>(Draw(1000));
    const auto out = session_->Run(
        {.feeds = {{program_.x, Tensor::Scalar(x)},
                   {program_.digit, Tensor::Scalar(int64_t{1} << position)}},
         .fetches = {program_.y},
         .targets = {program_.add},
         .options = Options()});
    if (out.ok()) {
      EXPECT_EQ((*out)[0].scalar<float>(), 3 * x + kParameters);
    }
    ledger_.digits.emplace_back(position, out.ok());
    return out.status();
  }

  absl::Status Loop(const Output& fetch, bool counts) {
    const int32_t n = Draw(6);
    const auto out = session_->Run({.feeds = {{program_.n, Tensor::Scalar(n)}},
                                    .fetches = {fetch},
                                    .options = Options()});
    if (out.ok()) {
      EXPECT_EQ((*out)[0].scalar<float>(),
                static_cast<float>(n * (n - 1) / 2 + kParameters));
    }
    if (counts) {
      ledger_.max_count += n;
      if (out.ok()) ledger_.min_count += n;
    }
    return out.status();
  }

  InProcessCluster& cluster_;
  const Program& program_;
  const int number_;
  const TaskId master_;
  std::mt19937_64 random_;
  std::shared_ptr<Session> session_;
  int failures_ = 0;
  Ledger ledger_;
};

// Returns the network faults for `seed`.
FaultPlan PlanOf(uint64_t seed) {
  std::mt19937_64 random(seed + 0x1ea7);
  const auto choose = [&](const std::vector<double>& of) {
    return of[random() % of.size()];
  };
  FaultPlan plan;
  plan.seed = seed;
  plan.drop = choose({0, 0.01, 0.03, 0.08});
  plan.duplicate = choose({0, 0.1, 0.3});
  plan.delay = choose({0, 0.1, 0.3});
  plan.reorder = choose({0, 0.1, 0.3});
  plan.max_delay = std::chrono::milliseconds(3);
  return plan;
}

class FaultyCluster {
 public:
  explicit FaultyCluster(uint64_t seed)
      : seed_(seed),
        faults_(std::make_shared<CallFaults>(PlanOf(seed))),
        cluster_({{"ps", 1}, {"worker", 2}},
                 {.waiting_step_timeout = std::chrono::seconds(4)}, faults_,
                 kChunks) {}

  void Run() {
    faults_->SetEnabled(false);
    // Without faults, makes each task a master once. So each task learns which
    // tasks can send chunks.
    for (const TaskId& task : {kPs, kWorker, kOther}) {
      WithSession(
          [&](Session& session) {
            EXPECT_EQ(
                session.Run({.targets = {program_.graph.init_op()}}).status(),
                absl::OkStatus());
          },
          task);
    }
    faults_->SetEnabled(true);
    RunClients();
    faults_->SetEnabled(false);
    WithSession([&](Session& session) { CheckUpdates(session); });
    bool lost_sessions = false;
    for (const Client& client : clients_) {
      lost_sessions |= client.ledger().lost_sessions;
    }
    if (lost_sessions) Reset();
    std::string leaks = cluster_.Leaks();
    if (lost_sessions && !leaks.empty()) {
      // A client may have cancelled its request while the master was still
      // creating the session. So this closes all sessions once more.
      Reset();
      leaks = cluster_.Leaks();
    }
    EXPECT_EQ(leaks, "");
  }

  const std::vector<Client>& clients() const { return clients_; }
  const CallFaults& faults() const { return *faults_; }

 private:
  template <class F>
  void WithSession(F f, const TaskId& master = kWorker) {
    auto session = cluster_.NewSession(program_.graph, master);
    ASSERT_TRUE(session.ok()) << session.status();
    f(**session);
    EXPECT_EQ((*session)->Close(), absl::OkStatus());
  }

  // Runs all clients. For every third seed, restarts the task that is not a
  // master while the clients run.
  void RunClients() {
    const bool restarts = seed_ % 3 == 2;
    for (int i = 0; i < kClients; ++i) {
      clients_.emplace_back(cluster_, program_, i,
                            i == 1 && !restarts ? kOther : kWorker, seed_);
    }
    std::vector<Thread> threads;
    for (Client& client : clients_) {
      threads.emplace_back("client", [&client] { client.Run(); });
    }
    if (restarts) {
      TestClock().Sleep(std::chrono::milliseconds(20));
      cluster_.Restart(kOther);
    }
    for (Thread& thread : threads) thread.Join();
  }

  void CheckUpdates(Session& session) {
    RunArgs args = {.fetches = {program_.count.value()}};
    for (const Program::Sum& sum : program_.sums) {
      args.fetches.push_back(sum.variable.value());
    }
    const auto out = session.Run(args);
    ASSERT_TRUE(out.ok()) << out.status();
    const int64_t count = (*out)[0].scalar<int64_t>();
    int64_t min_count = 0, max_count = 0;
    for (const Client& client : clients_) {
      min_count += client.ledger().min_count;
      max_count += client.ledger().max_count;
    }
    EXPECT_GE(count, min_count);
    EXPECT_LE(count, max_count);
    for (size_t i = 0; i < program_.sums.size(); ++i) {
      SCOPED_TRACE(program_.sums[i].variable.name());
      const int64_t factor = program_.sums[i].factor;
      const int64_t sum = (*out)[i + 1].data<int64_t>()[0];
      EXPECT_EQ(sum % factor, 0) << sum;
      CheckDigits(sum / factor);
    }
  }

  void CheckDigits(int64_t total) const {
    int64_t known = 0;
    for (const Client& client : clients_) {
      for (const auto& [position, is_certain] : client.ledger().digits) {
        const int64_t times = (total >> position) & 3;
        known |= int64_t{3} << position;
        if (is_certain) {
          EXPECT_EQ(times, 1) << "the step succeeded";
        } else {
          EXPECT_LE(times, 1) << "the step failed";
        }
      }
    }
    EXPECT_EQ(total & ~known, 0);
  }

  // Closes all sessions. A client may have failed to get the handle of its
  // session, or to close the session. Without this call, such a session would
  // stay until it has been idle for a long time.
  void Reset() {
    auto transport = cluster_.transports().Create("in-process");
    ASSERT_TRUE(transport.ok()) << transport.status();
    for (const TaskId& task : {kWorker, kOther}) {
      TaskClient client(**transport, cluster_.Address(task));
      pb::ResetResponse response;
      EXPECT_EQ(client.Call(methods::kReset, pb::ResetRequest(), response),
                absl::OkStatus());
    }
  }

  const uint64_t seed_;
  Program program_;
  const std::shared_ptr<CallFaults> faults_;
  InProcessCluster cluster_;
  std::vector<Client> clients_;
};

void Add(const CallFaults::Counts& counts, CallFaults::Counts& sum) {
  sum.lost_requests += counts.lost_requests;
  sum.lost_replies += counts.lost_replies;
  sum.delayed += counts.delayed;
  sum.doubled += counts.doubled;
  sum.overtaken += counts.overtaken;
}

void ExpectAllFaults(const CallFaults::Counts& counts) {
  EXPECT_GT(counts.lost_requests, 0u);
  EXPECT_GT(counts.lost_replies, 0u);
  EXPECT_GT(counts.delayed, 0u);
  EXPECT_GT(counts.doubled, 0u);
  EXPECT_GT(counts.overtaken, 0u);
}

class FaultyClusterTest : public ::testing::TestWithParam<int> {};

INSTANTIATE_TEST_SUITE_P(Shards, FaultyClusterTest,
                         ::testing::Range(0, kShards));

TEST_P(FaultyClusterTest, NoWrongResultNoHangNothingLeft) {
  const int64_t num_seeds = NumberOf("LEAT_TEST_SEEDS", 200);
  const int64_t first = NumberOf("LEAT_TEST_FIRST_SEED", 0);
  int num_ok = 0, num_failed = 0, num_large_ok = 0;
  CallFaults::Counts all, chunks, bundles;
  for (int64_t seed = first + GetParam(); seed < first + num_seeds;
       seed += kShards) {
    SCOPED_TRACE(
        absl::StrCat("LEAT_TEST_FIRST_SEED=", seed, " LEAT_TEST_SEEDS=1"));
    // If a seed hangs, the SimulatedClock ends the program with a message that
    // names the seed.
    const SimulatedClock clock(absl::StrCat("seed ", seed));
    FaultyCluster cluster(static_cast<uint64_t>(seed));
    cluster.Run();
    for (const Client& client : cluster.clients()) {
      num_ok += client.ledger().num_ok;
      num_failed += client.ledger().num_failed;
      num_large_ok += client.ledger().num_large_ok;
    }
    Add(cluster.faults().counts(), all);
    Add(cluster.faults().counts(methods::kFetchChunk.path), chunks);
    Add(cluster.faults().counts(methods::kRecvTensors.path), bundles);
    if (HasFailure()) {
      ADD_FAILURE() << "seed " << seed;
      return;
    }
  }
  RecordProperty("steps_ok", num_ok);
  RecordProperty("steps_failed", num_failed);
  if (num_seeds < 100) return;
  // The test is useful only if many steps fail and many steps succeed.
  EXPECT_GT(num_ok, num_failed / 10);
  EXPECT_GT(num_failed, 0);
  EXPECT_GT(num_large_ok, 0);
  ExpectAllFaults(all);
  {
    SCOPED_TRACE("calls that fetch chunks");
    ExpectAllFaults(chunks);
  }
  {
    SCOPED_TRACE("calls that fetch bundles");
    ExpectAllFaults(bundles);
  }
}

}  // namespace
}  // namespace leat::faulty_cluster_test
