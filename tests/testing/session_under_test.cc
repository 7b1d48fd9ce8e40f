// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tests/testing/session_under_test.h"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "leat/core/check.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/thread.h"
#include "leat/distributed/client/remote_session.h"
#include "leat/distributed/cluster/cluster.h"
#include "leat/distributed/server/server.h"
#include "leat/tests/testing/fake_cuda.h"
#include "leat/tests/testing/gpu/fake_blas.h"
#include "leat/tests/testing/in_process_network.h"
#include "leat/tests/testing/leaks.h"
#include "leat/tests/testing/simulated_clock.h"

namespace leat {
namespace {

// Returns the value of LEAT_TEST_SESSION.
absl::string_view SessionWord() {
  const char* const variable = std::getenv("LEAT_TEST_SESSION");
  return variable == nullptr ? "local" : variable;
}

// Fails the test if the server still holds a session, a graph or a step. Waits
// first, because a client may have its reply before the step is cleaned up.
void ExpectNothingLeft(const Server& server) {
  EXPECT_EQ(testing::LeaksOf(server), "");
}

class SessionOnServer final
    : public Session,
      public std::enable_shared_from_this<SessionOnServer> {
 public:
  SessionOnServer(std::unique_ptr<Server> server,
                  std::shared_ptr<Session> session)
      : server_(std::move(server)), session_(std::move(session)) {}
  ~SessionOnServer() override {
    session_.reset();
    ExpectNothingLeft(*server_);
  }

  using Session::Run;
  absl::StatusOr<std::vector<Tensor>> Run(const RunArgs& args,
                                          pb::RunMetadata* metadata) override {
    return session_->Run(args, metadata);
  }
  absl::StatusOr<Callable> MakeCallable(const CallableArgs& args) override {
    LEAT_ASSIGN_OR_RETURN(Callable callable, session_->MakeCallable(args));
    return Callable(std::make_shared<CallableOnServer>(shared_from_this(),
                                                       std::move(callable)));
  }
  absl::StatusOr<PartialRun> StartPartialRun(
      const PartialRunArgs& args) override {
    LEAT_ASSIGN_OR_RETURN(PartialRun run, session_->StartPartialRun(args));
    return PartialRun(std::make_shared<PartialRunOnServer>(shared_from_this(),
                                                           std::move(run)));
  }
  absl::Status Extend(const Graph& graph) override {
    return session_->Extend(graph);
  }
  std::vector<DeviceInfo> ListDevices() const override {
    return session_->ListDevices();
  }
  absl::Status Close() override { return session_->Close(); }

 private:
  // A CallableOnServer is a callable that keeps the server alive.
  class CallableOnServer final : public Callable::Implementation {
   public:
    CallableOnServer(std::shared_ptr<SessionOnServer> session,
                     Callable callable)
        : session_(std::move(session)), callable_(std::move(callable)) {}
    absl::StatusOr<std::vector<Tensor>> Run(
        absl::Span<const Tensor> feeds, pb::RunMetadata* metadata) override {
      return callable_(feeds, metadata);
    }

   private:
    const std::shared_ptr<SessionOnServer> session_;
    const Callable callable_;
  };

  // A PartialRunOnServer is a partial run that keeps the server alive.
  class PartialRunOnServer final : public PartialRun::Implementation {
   public:
    PartialRunOnServer(std::shared_ptr<SessionOnServer> session, PartialRun run)
        : session_(std::move(session)), run_(std::move(run)) {}
    absl::StatusOr<std::vector<Tensor>> Run(
        const std::vector<Feed>& feeds,
        const std::vector<TensorName>& fetches) override {
      return run_.Run(feeds, fetches);
    }
    absl::Status Finish() override { return run_.Finish(); }

   private:
    const std::shared_ptr<SessionOnServer> session_;
    const PartialRun run_;
  };

  const std::unique_ptr<Server> server_;
  std::shared_ptr<Session> session_;
};

absl::Status CheckOptions(const LocalSessionOptions& options) {
  const char* const name = options.device_set != nullptr ? "device_set"
                           : options.passes != nullptr   ? "passes"
                                                         : nullptr;
  if (name == nullptr) return absl::OkStatus();
  return absl::UnimplementedError(
      absl::StrCat(name,
                   " is an option of local sessions: use NewLocalSession, or "
                   "LEAT_LOCAL_SESSION_ONLY"));
}

absl::StatusOr<std::shared_ptr<Session>> NewSessionOnServer(
    const Graph& graph, const LocalSessionOptions& options,
    const KernelRegistry& kernels, bool is_grpc) {
  LEAT_RETURN_IF_ERROR(CheckOptions(options));
  LEAT_ASSIGN_OR_RETURN(
      ClusterSpec cluster,
      ClusterSpec::Create({{"localhost", {{0, "127.0.0.1:1"}}}}));
  const auto network =
      std::make_shared<testing::InProcessNetwork>(2, testing::TestClock());
  const TransportRegistry& transports =
      is_grpc ? BuiltinTransports() : network->transports();
  ServerOptions server_options;
  server_options.config.cluster = std::move(cluster);
  server_options.config.task = {.job = "localhost", .index = 0};
  server_options.bind = "127.0.0.1:0";
  server_options.devices = options.devices;
  server_options.files = options.devices.files;
  server_options.limits.lower = options.lower_limits;
  server_options.transport = is_grpc ? "grpc" : "in-process";
  server_options.transports = &transports;
  server_options.ops = &graph.ops();
  server_options.kernels = &kernels;
  LEAT_ASSIGN_OR_RETURN(std::unique_ptr<Server> server,
                        Server::Start(std::move(server_options)));
  absl::StatusOr<std::shared_ptr<Session>> session =
      NewRemoteSession(graph, server->target(),
                       {.allow_soft_placement = options.allow_soft_placement,
                        .optimizer = options.optimizer,
                        .transports = &transports});
  if (!session.ok()) {
    ExpectNothingLeft(*server);
    return session.status();
  }
  return std::make_shared<SessionOnServer>(std::move(server),
                                           *std::move(session));
}

// Adds a real GPU if LEAT_TEST_SESSION is "real_gpu", and otherwise a fake GPU.
// The order in which the work of a fake GPU runs differs from session to
// session.
void AddGpu(LocalSessionOptions& options) {
  static std::atomic<uint64_t> seed{0};
  DeviceSetOptions& devices = options.devices;
  devices.num_gpus = 1;
  devices.gpu_allow_growth = true;
  if (SessionWord() == "real_gpu") {
    devices.clock = testing::SimulatedClock::Current();
    return;
  }
  devices.clock = options.clock;
  devices.cuda = std::make_shared<testing::FakeCuda>(
      testing::FakeCudaOptions{.memory_bytes = int64_t{1} << 30,
                               .seed = ++seed,
                               .has_thread = false,
                               .runs_when_asked = true,
                               .new_blas = &testing::NewFakeBlas});
}

}  // namespace

bool HasGpu() { return SessionWord() == "gpu" || SessionWord() == "real_gpu"; }

SessionKind TestedSession() {
  const absl::string_view kind = SessionWord();
  if (kind == "in_process") return SessionKind::kInProcess;
  if (kind == "grpc") return SessionKind::kGrpc;
  LEAT_CHECK(kind == "local" || HasGpu());
  return SessionKind::kLocal;
}

absl::StatusOr<std::shared_ptr<Session>> NewTestSession(
    const Graph& graph, const LocalSessionOptions& options,
    const KernelRegistry& kernels) {
  const SessionKind kind = TestedSession();
  if (kind == SessionKind::kLocal) {
    LocalSessionOptions local = options;
    if (local.clock == nullptr) local.clock = &testing::TestClock();
    if (HasGpu() && local.device_set == nullptr) AddGpu(local);
    return NewLocalSession(graph, local, kernels);
  }
  return NewSessionOnServer(graph, options, kernels,
                            kind == SessionKind::kGrpc);
}

std::unique_ptr<testing::SimulatedClock> SimulateTime() {
  if (TestedSession() == SessionKind::kGrpc) return nullptr;
  return std::make_unique<testing::SimulatedClock>();
}

void RunUntilTimeout(std::chrono::nanoseconds timeout,
                     absl::FunctionRef<void()> step) {
  std::atomic<bool> has_ended = false;
  const Thread thread("step", [&] {
    step();
    has_ended = true;
  });
  testing::SimulatedClock* const clock = testing::SimulatedClock::Current();
  if (clock == nullptr) return;
  // This thread pauses by counting to `next`, and most steps end meanwhile. If
  // the step still runs, the clock jumps by `timeout`, so that the deadline of
  // the step passes. A jump before the step has begun has no effect on that
  // deadline, so the clock jumps again after a longer pause. The pauses get
  // longer, so that few jumps are made and other deadlines do not pass as well.
  int64_t next = 300'000;
  for (int64_t count = 0; !has_ended; ++count) {
    if (count < next) continue;
    clock->Jump(timeout);
    next *= 3;
  }
}

}  // namespace leat
