// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// Server: one task of a cluster in this process: its devices, its worker
// service, its master service, its health, all at one address. Thread-safe.
#ifndef LEAT_DISTRIBUTED_SERVER_H_
#define LEAT_DISTRIBUTED_SERVER_H_

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/distributed/limits.h"
#include "leat/distributed/recv_tensor.h"
#include "leat/distributed/resolver.h"
#include "leat/distributed/transport.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/runtime/device_set.h"

namespace leat {

class PlanObserver;

struct ServerOptions {
  TaskConfig config = {};  // REQUIRES: a task in the cluster
  // Where to listen; "": the task's address in the cluster.
  std::string bind = {};
  // Tasks talk without encryption; so an address that others than this machine
  // reach is refused unless this says that the network is trusted.
  bool insecure = false;
  DeviceSetOptions devices = {};  // `task` is of `config`
  ServerLimits limits = {};
  ChunkOptions chunks = {};
  std::string version = {};  // of the program, for people who ask for it
  std::string transport = "grpc";
  // Of the transport "in-process".
  std::shared_ptr<InProcessNetwork> network = {};
  // Sees every plan that the master makes. Borrowed, outlives the server; may
  // be null.
  PlanObserver* plan_observer = nullptr;
  // What people should know, on any thread: which tasks a session waits for.
  // May be null.
  std::function<void(absl::string_view message)> log = {};
  // Borrowed, outlive the server. Null: those of this library.
  const OpRegistry* ops = nullptr;
  const KernelRegistry* kernels = nullptr;
  const TransportRegistry* transports = nullptr;
};

// For tests of leaks and for people.
struct ServerCounters {
  size_t master_sessions = 0;  // of clients
  size_t sessions = 0;         // of masters
  size_t graphs = 0;
  size_t running = 0;
  size_t steps = 0;  // that have not ended
  // Of steps, also of ended ones for as long as something holds them.
  size_t rendezvous = 0;
};

class Server {
 public:
  // Serves when it returns. INVALID_ARGUMENT for a task outside of the cluster
  // and an address refused without `insecure`; UNAVAILABLE when it cannot
  // listen.
  static absl::StatusOr<std::unique_ptr<Server>> Start(ServerOptions options);
  // Stop(0).
  ~Server();

  const TaskId& task() const;
  const std::string& address() const;  // with the port that was chosen
  std::string target() const;          // "grpc://127.0.0.1:7001"

  // Begins no steps any more (UNAVAILABLE, naming the task), waits up to
  // `grace` for those that run, fails the rest. Idempotent.
  void Stop(std::chrono::nanoseconds grace);

  ServerCounters counters() const;

 private:
  class Implementation;
  explicit Server(std::unique_ptr<Implementation> implementation);
  const std::unique_ptr<Implementation> implementation_;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_SERVER_H_
