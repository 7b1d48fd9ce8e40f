// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests how a master creates, extends, limits and closes its sessions. The
// tasks are fake.
#include "leat/distributed/master/master_sessions.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/threads/mutex.h"
#include "leat/distributed/master/create_master_session.h"
#include "leat/distributed/master/master.h"
#include "leat/distributed/master/master_session.h"
#include "leat/distributed/tasks/end_notices.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/io/graph_def.h"
#include "leat/graph/ops.h"
#include "leat/protos/graph.pb.h"
#include "leat/protos/worker.pb.h"
#include "leat/runtime/local_session.h"
#include "leat/tests/distributed/fake_task_caller.h"
#include "leat/tests/testing/eventually.h"
#include "leat/tests/testing/held_queue.h"
#include "leat/tests/testing/simulated_clock.h"
#include "leat/tests/testing/test_service.h"

namespace leat::master_sessions_test {
namespace {

using ::leat::testing::Eventually;
using ::leat::testing::HeldQueue;
using ::leat::testing::SimulatedClock;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Code = absl::StatusCode;
using std::chrono::seconds;
using SessionPtr = MasterSessions::SessionPtr;

constexpr char kPs[] = "/job:ps/replica:0/task:0";
constexpr char kWorker[] = "/job:worker/replica:0/task:0";

class MasterSessionsTest : public ::testing::Test {
 protected:
  explicit MasterSessionsTest(const ServerLimits& limits = {}) {
    environment_.task = kWorker;
    environment_.devices = devices_.get();
    environment_.ops = &BuiltinOps();
    environment_.kernels = &BuiltinKernels();
    environment_.policies = &BuiltinPolicies();
    environment_.passes = &BuiltinPasses();
    environment_.tasks = &tasks_;
    environment_.cluster = {kPs, kWorker};
    environment_.timers = &timers_;
    environment_.blocking = &blocking_;
    environment_.limits = limits;
    environment_.notices =
        std::make_shared<EndNotices>(kWorker, tasks_, timers_);
    sessions_ = std::make_shared<MasterSessions>(
        kWorker, limits, ServerIntervals().look_for_idle, timers_);
  }

  static pb::GraphDef SomeGraph(absl::string_view name, size_t bytes = 4) {
    GraphBuilder b;
    std::vector<float> values(bytes / sizeof(float));
    for (size_t i = 0; i < values.size(); ++i) values[i] = 0.5f + i;
    b.Const(Tensor::FromSpan<float>(Shape{static_cast<int64_t>(values.size())},
                                    values),
            name);
    pb::GraphDef graph;
    const absl::Status exported = ExportGraphDef(*b.Build(), graph);
    EXPECT_TRUE(exported.ok()) << exported;
    // Leaves out the node "init", which every builder makes.
    pb::GraphDef without_init;
    *without_init.mutable_versions() = graph.versions();
    for (pb::NodeDef& node : *graph.mutable_node()) {
      if (node.name() == name) without_init.add_node()->Swap(&node);
    }
    return without_init;
  }

  // Creates a session and runs the closures of the blocking queue on this
  // thread.
  absl::StatusOr<SessionPtr> Create(const pb::GraphDef& graph,
                                    const pb::ConfigProto& config = {}) {
    pb::CreateSessionRequest request;
    *request.mutable_graph_def() = graph;
    *request.mutable_config() = config;
    struct Result {
      Mutex mutex;
      std::optional<absl::StatusOr<SessionPtr>> session ABSL_GUARDED_BY(mutex);
      bool has_come() {
        MutexLock lock(mutex);
        return session.has_value();
      }
    };
    const auto result = std::make_shared<Result>();
    CreateMasterSession(environment_, std::move(request),
                        std::make_shared<Cancellation>(), nullptr,
                        [result](absl::StatusOr<SessionPtr> session) {
                          MutexLock lock(result->mutex);
                          result->session = std::move(session);
                        });
    EXPECT_TRUE(Eventually([&] {
      while (blocking_.size() > 0) blocking_.RunOne();
      return result->has_come();
    }));
    MutexLock lock(result->mutex);
    return *std::move(result->session);
  }

  // Creates a session and adds it to `sessions`, which must not be full.
  SessionPtr AddTo(MasterSessions& sessions) {
    auto session = Create(SomeGraph("x"));
    EXPECT_TRUE(session.ok()) << session.status();
    auto under_way = sessions.Begin();
    EXPECT_TRUE(under_way.ok()) << under_way.status();
    if (!session.ok() || !under_way.ok()) return nullptr;
    CallContext client;
    EXPECT_TRUE(sessions.Add(*session, client, *std::move(under_way)).ok());
    return *session;
  }

  int num_calls(const Method& method) const {
    MutexLock lock(mutex_);
    int calls = 0;
    for (const std::string& path : called_) calls += path == method.path;
    return calls;
  }

  SimulatedClock clock_;
  mutable Mutex mutex_;
  std::vector<std::string> called_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::string> messages_ ABSL_GUARDED_BY(mutex_);
  std::atomic<int> unreachable_{0};  // GetStatus calls that will fail
  // If true, `tasks_` keeps calls of RegisterGraph until the test answers them.
  std::atomic<bool> keeps_graphs_{false};
  const std::unique_ptr<DeviceSet> devices_ =
      *DeviceSet::Create({.task = kWorker, .num_threads = 1});
  FakeTaskCaller tasks_{
      [this](const FakeTaskCaller::Received& call,
             std::optional<absl::StatusOr<Payload>>& answer) {
        MutexLock lock(mutex_);
        called_.push_back(call.path);
        if (keeps_graphs_ && call.path == methods::kRegisterGraph.path) return;
        answer = Payload();
      },
      [this](const std::string& task,
             const CallOptions&) -> absl::StatusOr<PeerStatus> {
        if (unreachable_.fetch_sub(1) > 0) {
          return absl::UnavailableError("nobody listens there");
        }
        return PeerStatus{.devices = {{.name = task + "/device:CPU:0",
                                       .type = kCpu,
                                       .memory_bytes = 1 << 20,
                                       .incarnation = 7}},
                          .is_leat = true};
      },
      clock_};
  HeldQueue blocking_;
  TimerQueue timers_{"test-timers", clock_};
  MasterEnvironment environment_;
  std::shared_ptr<MasterSessions> sessions_;
};

TEST_F(MasterSessionsTest, ASessionWhoseClientHasGoneIsClosed) {
  auto session = Create(SomeGraph("x"));
  ASSERT_TRUE(session.ok()) << session.status();
  auto under_way = sessions_->Begin();
  ASSERT_TRUE(under_way.ok());
  CallContext client;
  client.cancellation.Cancel(absl::CancelledError("gone"));
  const absl::Status added =
      sessions_->Add(*session, client, *std::move(under_way));
  EXPECT_EQ(added.code(), Code::kCancelled) << added;
  EXPECT_EQ(sessions_->size(), 0u);
  EXPECT_EQ(num_calls(methods::kDeleteWorkerSession), 2);
  EXPECT_TRUE(sessions_->WaitUntil(clock_.Now()));
  // If the client still waits for the answer, the session is added.
  auto other = Create(SomeGraph("x"));
  ASSERT_TRUE(other.ok()) << other.status();
  under_way = sessions_->Begin();
  CallContext waiting;
  EXPECT_TRUE(sessions_->Add(*other, waiting, *std::move(under_way)).ok());
  EXPECT_EQ(sessions_->Find((*other)->handle()), *other);
  EXPECT_EQ(sessions_->List(10), std::vector<SessionPtr>{*other});
  const absl::Status stopping = absl::UnavailableError("is stopping");
  sessions_->BeginStop(stopping);
  EXPECT_EQ(sessions_->size(), 0u);
  EXPECT_EQ(sessions_->Begin().status(), stopping);
  EXPECT_EQ(sessions_->BeginOther().status(), stopping);
}

TEST_F(MasterSessionsTest, ASessionWhoseReplyIsLostIsClosed) {
  const auto session = Create(SomeGraph("x"));
  ASSERT_TRUE(session.ok()) << session.status();
  auto under_way = sessions_->Begin();
  ASSERT_TRUE(under_way.ok());
  CallContext client;
  EXPECT_TRUE(sessions_->Add(*session, client, *std::move(under_way)).ok());
  EXPECT_EQ(sessions_->size(), 1u);
  client.cancellation.Cancel(absl::CancelledError("gone"));
  EXPECT_EQ(sessions_->size(), 0u);
  EXPECT_EQ(num_calls(methods::kDeleteWorkerSession), 2);
  EXPECT_TRUE(sessions_->WaitUntil(clock_.Now()));
}

TEST_F(MasterSessionsTest, RoomIsGivenBackByWhatWasNotCreated) {
  auto sessions = std::make_shared<MasterSessions>(
      kWorker, ServerLimits{.max_sessions = 2}, ServerIntervals().look_for_idle,
      timers_);
  auto first = sessions->Begin();
  auto second = sessions->Begin();
  EXPECT_EQ(sessions->Begin().status().code(), Code::kResourceExhausted);
  first = absl::CancelledError("was not created");
  EXPECT_TRUE(sessions->Begin().ok());
  EXPECT_FALSE(sessions->WaitUntil(clock_.Now()));
  second = absl::CancelledError("was not created");
  EXPECT_TRUE(sessions->WaitUntil(clock_.Now()));
}

TEST_F(MasterSessionsTest, TheSessionIdleForLongestMakesRoom) {
  const auto sessions = std::make_shared<MasterSessions>(
      kWorker,
      ServerLimits{.max_sessions = 2,
                   .session_idle_when_full = std::chrono::nanoseconds(1)},
      ServerIntervals().look_for_idle, timers_);
  const SessionPtr first = AddTo(*sessions);
  const SessionPtr second = AddTo(*sessions);
  ASSERT_TRUE(first != nullptr && second != nullptr);
  EXPECT_EQ(num_calls(methods::kDeleteWorkerSession), 0);
  clock_.Advance(seconds(1));
  EXPECT_FALSE(first->ReleaseCallable(7).ok());  // also counts as a use
  clock_.Advance(seconds(1));
  {
    const auto room = sessions->Begin();
    EXPECT_TRUE(room.ok()) << room.status();
    EXPECT_EQ(sessions->Find(first->handle()), first);
    EXPECT_EQ(sessions->Find(second->handle()), nullptr);
    EXPECT_EQ(num_calls(methods::kDeleteWorkerSession), 2);
    const absl::Status closed = second->ReleaseCallable(7);
    EXPECT_EQ(closed.code(), Code::kAborted) << closed;
    EXPECT_THAT(std::string(closed.message()),
                HasSubstr("(--session-idle-when-full)"));
  }
  EXPECT_TRUE(sessions->WaitUntil(clock_.Now()));
}

TEST_F(MasterSessionsTest, SaysForHowLongSessionsThatStayWereIdle) {
  const auto sessions = std::make_shared<MasterSessions>(
      kWorker, ServerLimits{.max_sessions = 2}, ServerIntervals().look_for_idle,
      timers_);
  const SessionPtr first = AddTo(*sessions);
  ASSERT_NE(first, nullptr);
  clock_.Advance(std::chrono::minutes(5));
  const auto being_created = sessions->Begin();
  EXPECT_TRUE(being_created.ok()) << being_created.status();
  const absl::Status full = sessions->Begin().status();
  EXPECT_EQ(full.code(), Code::kResourceExhausted);
  EXPECT_THAT(
      std::string(full.message()),
      AllOf(HasSubstr("has 2 sessions, as many as it may (--max-sessions)"),
            HasSubstr("the one idle for longest, 5m, makes room"),
            HasSubstr("after 10m (--session-idle-when-full)")));
  EXPECT_EQ(sessions->Find(first->handle()), first);
}

TEST_F(MasterSessionsTest, SaysWhichTasksASessionWaitsFor) {
  environment_.log = [this](absl::string_view message) {
    MutexLock lock(mutex_);
    messages_.emplace_back(message);
  };
  environment_.intervals.waiting_notice = std::chrono::milliseconds(20);
  unreachable_ = 2;  // The task is asked again after 100 and 200 ms.
  const auto session = Create(SomeGraph("x"));
  ASSERT_TRUE(session.ok()) << session.status();
  MutexLock lock(mutex_);
  EXPECT_GE(messages_.size(), 2u);
  EXPECT_THAT(messages_,
              Each(std::string("CreateSession still waiting for response "
                               "from /job:ps/replica:0/task:0")));
}

class Extensions {
 public:
  SessionPlans::Extended Done() {
    return [this](const absl::StatusOr<int64_t>& version) {
      results.push_back(version.ok() ? absl::OkStatus() : version.status());
    };
  }
  std::vector<absl::Status> results;
};

TEST_F(MasterSessionsTest, ExtensionsOfASessionHoldOneThread) {
  const auto session = Create(SomeGraph("x"));
  ASSERT_TRUE(session.ok()) << session.status();
  Extensions extensions;
  const auto call = std::make_shared<CallContext>();
  for (int i = 0; i < 4; ++i) {
    (*session)->Extend(SomeGraph(absl::StrCat("y", i)), i, call,
                       extensions.Done());
  }
  for (int i = 0; i < 4; ++i) {
    ASSERT_EQ(blocking_.size(), 1u);
    blocking_.RunOne();
    EXPECT_EQ(extensions.results.size(), static_cast<size_t>(i) + 1);
  }
  EXPECT_THAT(extensions.results, Each(absl::OkStatus()));
  EXPECT_EQ((*session)->graph_version(), 4);
}

TEST_F(MasterSessionsTest, ASessionThatIsExtendedIsNotIdle) {
  const auto session = Create(SomeGraph("x"));
  ASSERT_TRUE(session.ok()) << session.status();
  Extensions extensions;
  (*session)->Extend(SomeGraph("y"), 0, std::make_shared<CallContext>(),
                     extensions.Done());
  const Clock::time_point before = clock_.Now();
  clock_.Advance(seconds(1));
  EXPECT_EQ((*session)->idle_since(), before + seconds(1));
  bool is_closed = false;
  (*session)->Close(absl::AbortedError("by the test"),
                    [&is_closed] { is_closed = true; });
  EXPECT_FALSE(is_closed);
  while (blocking_.size() > 0) blocking_.RunOne();
  EXPECT_TRUE(is_closed);
  EXPECT_THAT(extensions.results,
              ElementsAre(absl::AbortedError("by the test")));
  clock_.Advance(seconds(1));
  EXPECT_EQ((*session)->idle_since(), before + seconds(1));
  (*session)->Extend(SomeGraph("z"), 1, std::make_shared<CallContext>(),
                     extensions.Done());
  EXPECT_EQ(extensions.results.back(), absl::AbortedError("by the test"));
}

TEST_F(MasterSessionsTest, OfAClientThatHasGoneNothingIsAdded) {
  const auto session = Create(SomeGraph("x"));
  ASSERT_TRUE(session.ok()) << session.status();
  Extensions extensions;
  const auto call = std::make_shared<CallContext>();
  (*session)->Extend(SomeGraph("y"), 0, call, extensions.Done());
  call->cancellation.Cancel(absl::CancelledError("gone"));
  blocking_.RunOne();
  EXPECT_THAT(extensions.results, ElementsAre(absl::CancelledError("gone")));
  EXPECT_EQ((*session)->graph_version(), 0);
}

TEST_F(MasterSessionsTest, BoundsTheExtensionsThatWait) {
  const auto session = Create(SomeGraph("x"));
  ASSERT_TRUE(session.ok()) << session.status();
  Extensions extensions;
  const auto call = std::make_shared<CallContext>();
  for (int i = 0; i < 18; ++i) {  // One runs, and sixteen may wait.
    (*session)->Extend(SomeGraph(absl::StrCat("y", i)), i, call,
                       extensions.Done());
  }
  ASSERT_EQ(extensions.results.size(), 1u);
  EXPECT_EQ(extensions.results[0].code(), Code::kResourceExhausted);
  while (blocking_.size() > 0) blocking_.RunOne();
  EXPECT_EQ((*session)->graph_version(), 17);
}

class MasterCallablesTest : public MasterSessionsTest {
 protected:
  // Holds the answer to MakeCallable.
  struct Made {
    Mutex mutex;
    std::optional<absl::StatusOr<int64_t>> handle ABSL_GUARDED_BY(mutex);
    bool has_come() {
      MutexLock lock(mutex);
      return handle.has_value();
    }
    absl::StatusOr<int64_t> Take() {
      MutexLock lock(mutex);
      return handle.value_or(absl::DataLossError("no answer"));
    }
  };

  void Connect(const pb::ConfigProto& config = {}) {
    auto session = Create(SomeGraph("x"), config);
    ASSERT_TRUE(session.ok()) << session.status();
    session_ = *std::move(session);
  }
  static pb::CallableOptions OfX() {
    pb::CallableOptions options;
    options.add_target("x");
    return options;
  }
  // Calls MakeCallable. If there is no plan yet, the call waits until RunAll
  // makes the plan.
  std::shared_ptr<Made> Start(const pb::CallableOptions& options,
                              std::shared_ptr<CallContext> call) {
    const auto made = std::make_shared<Made>();
    session_->MakeCallable(options, std::move(call),
                           [made](absl::StatusOr<int64_t> handle) {
                             MutexLock lock(made->mutex);
                             made->handle = std::move(handle);
                           });
    return made;
  }
  void RunAll() {
    while (blocking_.size() > 0) blocking_.RunOne();
  }
  absl::StatusOr<int64_t> Make(const pb::CallableOptions& options = OfX()) {
    const auto made = Start(options, std::make_shared<CallContext>());
    RunAll();
    return made->Take();
  }
  absl::Status Run(int64_t callable) {
    absl::Status status = absl::DataLossError("no answer");
    session_->RunCallable(
        callable,
        {.begun = clock_.Now(), .call = std::make_shared<CallContext>()},
        [&status](const StepResult& result) { status = result.status; });
    RunAll();
    return status;
  }

  SessionPtr session_;
};

TEST_F(MasterCallablesTest, AHandleIsGoodUntilItIsReleased) {
  Connect();
  const auto callable = Make();
  ASSERT_TRUE(callable.ok()) << callable.status();
  EXPECT_TRUE(Run(*callable).ok());
  for (const int64_t none : {*callable + 1, int64_t{-1}}) {
    const absl::Status unknown = absl::InvalidArgumentError(
        absl::StrCat("No such callable handle: ", none));
    EXPECT_EQ(Run(none), unknown);
    EXPECT_EQ(session_->ReleaseCallable(none), unknown);
  }
  EXPECT_TRUE(session_->ReleaseCallable(*callable).ok());
  EXPECT_EQ(Run(*callable), absl::InvalidArgumentError(absl::StrCat(
                                "Attempted to run callable after handle was "
                                "released: ",
                                *callable)));
  EXPECT_TRUE(session_->ReleaseCallable(*callable).ok());
}

TEST_F(MasterCallablesTest, AreBounded) {
  Connect();
  ASSERT_TRUE(Make().ok());
  const pb::CallableOptions options = OfX();
  const auto call = std::make_shared<CallContext>();
  int num_made = 1;
  while (num_made < 100'000) {
    const int before = num_made;
    session_->MakeCallable(options, call,
                           [&num_made](const absl::StatusOr<int64_t>& handle) {
                             num_made += handle.ok();
                           });
    ASSERT_EQ(num_made, before + 1);
  }
  EXPECT_EQ(Make().status(), absl::ResourceExhaustedError(
                                 "a session has at most 100000 callables"));
  EXPECT_TRUE(session_->ReleaseCallable(7).ok());
  EXPECT_TRUE(Make().ok());
}

TEST_F(MasterCallablesTest, IsNotMadeForAClientThatHasGone) {
  Connect();
  const auto call = std::make_shared<CallContext>();
  const auto made = Start(OfX(), call);
  EXPECT_FALSE(made->has_come());
  call->cancellation.Cancel(absl::CancelledError("gone"));
  EXPECT_EQ(made->Take().status(), absl::CancelledError("gone"));
  RunAll();  // The plan is made nevertheless.
  EXPECT_EQ(session_->num_plans(), 1u);
  EXPECT_EQ(Make().value_or(-1), 0);  // the first handle
}

// While the plan for the first callable is made, the graph is extended, and the
// second callable begins to wait for a plan. Then the plan for the first
// callable fails. The second callable has a later version of the graph, so it
// does not fail. It gets a plan for its own version.
TEST_F(MasterCallablesTest, AFailureWithAnEarlierGraphIsNotThatOfALaterOne) {
  Connect();
  keeps_graphs_ = true;
  const auto call = std::make_shared<CallContext>();
  const auto first = Start(OfX(), call);
  RunAll();
  Extensions extensions;
  session_->Extend(SomeGraph("y"), 0, call, extensions.Done());
  RunAll();
  EXPECT_EQ(session_->graph_version(), 1);
  const auto second = Start(OfX(), call);
  keeps_graphs_ = false;
  for (FakeTaskCaller::Received& received : tasks_.Take(1)) {
    if (received.done == nullptr) continue;  // This call was answered.
    std::move(received.done)(absl::NotFoundError("no such op"));
  }
  EXPECT_EQ(first->Take().status().code(), Code::kNotFound);
  EXPECT_FALSE(second->has_come());
  RunAll();
  EXPECT_TRUE(second->Take().ok());
}

TEST_F(MasterCallablesTest, WaitsForItsPlanAsLongAsItsSessionSays) {
  pb::ConfigProto config;
  config.set_operation_timeout_in_ms(500);
  Connect(config);
  const Clock::time_point begun = clock_.Now();
  const auto made = Start(OfX(), std::make_shared<CallContext>());
  EXPECT_TRUE(Eventually([&] { return made->has_come(); }));
  EXPECT_EQ(clock_.Now() - begun, std::chrono::milliseconds(500));
  EXPECT_EQ(made->Take().status().code(), Code::kDeadlineExceeded);
  RunAll();
}

TEST_F(MasterCallablesTest, ItsStepsHaveItsOptions) {
  Connect();
  pb::CallableOptions traced = OfX();
  traced.mutable_run_options()->set_trace_level(pb::RunOptions::FULL_TRACE);
  const absl::StatusOr<int64_t> callables[] = {Make(traced), Make()};
  for (const auto& callable : callables) {
    ASSERT_TRUE(callable.ok()) << callable.status();
    tasks_.Take(0);
    EXPECT_TRUE(Run(*callable).ok());
    bool has_run = false;
    for (const FakeTaskCaller::Received& call : tasks_.Take(1)) {
      if (call.path != methods::kRunGraph.path) continue;
      has_run = true;
      pb::RunGraphRequest request;
      ASSERT_TRUE(request.ParseFromString(call.request.header));
      EXPECT_EQ(request.exec_opts().record_timeline(),
                &callable == &callables[0]);
    }
    EXPECT_TRUE(has_run);
  }
}

TEST_F(MasterCallablesTest, FeedsAndFetchesAreInHostMemory) {
  Connect();
  pb::CallableOptions fed = OfX();
  (*fed.mutable_feed_devices())["x:0"] = "/device:CPU:0";
  pb::CallableOptions fetched = OfX();
  (*fetched.mutable_fetch_devices())["x:0"] = "/device:CPU:0";
  for (const pb::CallableOptions* options : {&fed, &fetched}) {
    EXPECT_EQ(Make(*options).status(),
              absl::UnimplementedError(
                  "CallableOptions::feed_devices and "
                  "CallableOptions::fetch_devices to configure "
                  "feeding/fetching tensors to/from device memory is not yet "
                  "supported when using a remote session."));
  }
}

// Stands for received tensors that are not decoded yet and that have `bytes`
// bytes.
class Bytes final : public PendingTensors {
 public:
  explicit Bytes(int64_t bytes) : bytes_(bytes) {}
  int64_t bytes() const override { return bytes_; }
  bool IsQuick() const override { return bytes() <= kMaxInlineBytes; }
  absl::StatusOr<WireTensors> Decode(Allocator&, const VariantDecoders*,
                                     int64_t) override {
    return absl::InvalidArgumentError("of no session");
  }

 private:
  const int64_t bytes_;
};

TEST_F(MasterSessionsTest, LargeFeedsAreForTheBlockingQueue) {
  const auto master = std::make_shared<Master>(environment_);
  MethodTable table;
  master->AddMethods(table);
  for (const Method& method : {methods::kRunStep, methods::kRunCallable}) {
    for (const bool is_large : {false, true}) {
      const testing::CallResult result;
      Payload request;
      request.pending =
          std::make_unique<Bytes>(kMaxInlineBytes + (is_large ? 1 : 0));
      table.Find(method.path)
          ->handler(std::make_shared<CallContext>(), std::move(request),
                    result.Done());
      EXPECT_EQ(result.is_done(), !is_large) << method.path;
      EXPECT_EQ(blocking_.size(), is_large ? 1u : 0u) << method.path;
      while (blocking_.size() > 0) blocking_.RunOne();
      EXPECT_TRUE(result.is_done());
    }
  }
  master->Stop(clock_.Now());
}

class SmallGraphsTest : public MasterSessionsTest {
 protected:
  SmallGraphsTest() : MasterSessionsTest({.max_graph_bytes = 10'000}) {}
};

TEST_F(SmallGraphsTest, BoundsAGraphWithItsExtensions) {
  EXPECT_EQ(Create(SomeGraph("x", 10'000)).status().code(),
            Code::kResourceExhausted);
  const auto session = Create(SomeGraph("x", 6000));
  ASSERT_TRUE(session.ok()) << session.status();
  Extensions extensions;
  const auto call = std::make_shared<CallContext>();
  (*session)->Extend(SomeGraph("y", 6000), 0, call, extensions.Done());
  (*session)->Extend(SomeGraph("z", 2000), 0, call, extensions.Done());
  (*session)->Extend(SomeGraph("u", 2000), 1, call, extensions.Done());
  while (blocking_.size() > 0) blocking_.RunOne();
  ASSERT_EQ(extensions.results.size(), 3u);
  EXPECT_EQ(extensions.results[0].code(), Code::kResourceExhausted);
  EXPECT_THAT(std::string(extensions.results[0].message()),
              HasSubstr("--max-graph-bytes"));
  EXPECT_TRUE(extensions.results[1].ok()) << extensions.results[1];
  EXPECT_EQ(extensions.results[2].code(), Code::kResourceExhausted);
  EXPECT_EQ((*session)->graph_version(), 1);
}

}  // namespace
}  // namespace leat::master_sessions_test
