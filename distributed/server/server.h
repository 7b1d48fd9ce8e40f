// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Server is one task of a cluster in this process. It owns the task's devices.
// At one address, it serves a worker, a master, a health service and a status
// service.
//
//   ServerOptions options;
//   LEAT_ASSIGN_OR_RETURN(options.config, ResolveTask({}));  // resolver.h
//   LEAT_ASSIGN_OR_RETURN(const std::unique_ptr<Server> server,
//                         Server::Start(std::move(options)));
//   // A client, here or elsewhere, uses server->target(). At the end, running
//   // steps get ten seconds:
//   server->Stop(std::chrono::seconds(10));
#ifndef LEAT_DISTRIBUTED_SERVER_SERVER_H_
#define LEAT_DISTRIBUTED_SERVER_SERVER_H_

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/distributed/cluster/resolver.h"
#include "leat/distributed/intervals.h"
#include "leat/distributed/limits.h"
#include "leat/distributed/transport/transport.h"
#include "leat/distributed/wire/recv_tensor.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/runtime/device_set.h"

namespace leat {

class PlanObserver;

// Holds the options of a server. Is a value.
struct ServerOptions {
  TaskConfig config = {};  // its task must be in its cluster
  // Is the address to listen on. If it is empty, the server listens on the
  // task's address in the cluster.
  std::string bind = {};
  // Is true if the network is trusted. If false, Start refuses an address that
  // other machines can reach, because tasks talk without encryption.
  bool insecure = false;
  // Start sets `devices.task` to `config.task`, and `devices.files` to `files`.
  DeviceSetOptions devices = {};
  // Says which files the graphs of clients may use. By default there are none.
  FileAccess files = {};
  // `limits` limits what the task accepts from clients and peers. `intervals`
  // has the task's intervals and waiting times. `chunks` says how the task
  // receives large tensors.
  ServerLimits limits = {};
  ServerIntervals intervals = {};
  ChunkOptions chunks = {};
  // Is the version of the program, which `leat status` shows.
  std::string version = {};
  // Is the name of a transport in `transports`.
  std::string transport = "grpc";
  // Is borrowed and must outlive the server. If it is null, BuiltinTransports()
  // are used.
  const TransportRegistry* transports = nullptr;
  // Sees every plan that the master makes. Is borrowed and must outlive the
  // server. May be null.
  PlanObserver* plan_observer = nullptr;
  // Is called on any thread with messages for people, for example about the
  // tasks that a session waits for. May be null.
  std::function<void(absl::string_view message)> log = {};
  // `ops` has the ops that graphs may use, and `kernels` has the kernels of
  // these ops. Both are borrowed and must outlive the server. If they are null,
  // the ops and kernels of this library are used.
  const OpRegistry* ops = nullptr;
  const KernelRegistry* kernels = nullptr;
};

// Says how many objects a server has now. The counts help tests and people to
// find leaks.
struct ServerCounters {
  // Counts the sessions that clients have with this task's master.
  size_t master_sessions = 0;
  // `sessions` counts the sessions that masters have with this task. `graphs`
  // counts the graphs in these sessions.
  size_t sessions = 0;
  size_t graphs = 0;
  // Counts the calls of RunGraph that have not replied.
  size_t running = 0;
  // Counts the steps that have not ended.
  size_t steps = 0;
  // Counts the outboxes of steps (StepOutbox), including outboxes of ended
  // steps that are not destroyed yet.
  size_t rendezvous = 0;

  friend bool operator==(const ServerCounters&,
                         const ServerCounters&) = default;
};

// A Server is a running task. It is thread-safe. A Server owns its devices,
// services and threads.
class Server {
 public:
  // Makes a server that accepts calls when Start returns. Returns
  // INVALID_ARGUMENT if the task is not in the cluster, or if other machines
  // can reach the address and `insecure` is false. Returns UNAVAILABLE if the
  // server cannot listen.
  static absl::StatusOr<std::unique_ptr<Server>> Start(ServerOptions options);
  // Calls Stop(0, log), where `log` is the log in the options.
  ~Server();

  const TaskId& task() const;
  const std::string& address() const;  // with the chosen port
  std::string target() const;          // e.g. "grpc://127.0.0.1:7001"

  // Refuses new steps (UNAVAILABLE, naming the task). Waits up to `grace` for
  // running steps to end and for peers to fetch the tensors of these steps.
  // Then cancels the steps that are still running. Is idempotent. Must not be
  // called on a thread of the transport.
  //
  // `on_waiting` is called after one second, and again from time to time, with
  // a sentence that says what the task waits for, such as
  // "/job:ps/replica:0/task:0 is waiting for the steps that run and cancels
  // them in 24s (--grace)". `on_waiting` runs on a thread of the server and may
  // be null.
  void Stop(std::chrono::nanoseconds grace,
            std::function<void(absl::string_view message)> on_waiting = {});

  ServerCounters counters() const;

 private:
  class Implementation;
  explicit Server(std::unique_ptr<Implementation> implementation);
  const std::unique_ptr<Implementation> implementation_;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_SERVER_SERVER_H_
