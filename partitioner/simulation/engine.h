// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Engine lets the runs of a StepModel happen in simulated time, by the rules of
// the executor (runtime/executor/executor.h):
//  - What becomes ready runs on the thread that made it ready, the newest cheap
//    node first. Of the expensive nodes the thread keeps the newest, and gives
//    the others to the pool, which is a queue for each host.
//  - A node uses further cores of its host if they are free when it begins.
//  - A _Recv holds no core while it waits.
//  - Nodes of a GPU run on its streams, and copies beside them.
#ifndef LEAT_PARTITIONER_SIMULATION_ENGINE_H_
#define LEAT_PARTITIONER_SIMULATION_ENGINE_H_

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "leat/partitioner/costs/cluster_model.h"
#include "leat/partitioner/simulation/link_lines.h"
#include "leat/partitioner/simulation/simulated_step.h"
#include "leat/partitioner/simulation/step_model.h"

namespace leat {

// Simulates one step. Is not thread-safe. Borrows its arguments.
class Engine {
 public:
  Engine(const ClusterModel& cluster, const StepModel& step);

  // Runs everything. REQUIRES: is called once.
  void Run();

  // Give what is known when everything has run.
  std::vector<SimulatedRun> TakeRuns() { return std::move(runs_); }
  std::vector<SimulatedTransfer> TakeTransfers() {
    return std::move(transfers_);
  }
  // Returns a node that never became ready, in a loop in its first iteration,
  // or a NextIteration that a turn of its loop lacks. Returns -1 if there is
  // none.
  int32_t FindStuckNode() const;
  // Returns the position of a run in the order of their ends, or -1 if it did
  // not happen because it was dead.
  int32_t RankOf(int32_t node, int32_t iteration) const {
    return states_[step_.nodes[node].first_run + iteration].rank;
  }
  double busy_seconds(size_t part) const { return busy_seconds_[part]; }
  double work_seconds() const { return work_seconds_; }
  double critical_path_seconds() const { return critical_path_seconds_; }

 private:
  // Is the number of a run, or -1, or -2 - t for transfer t.
  using PackedCause = int32_t;
  static constexpr PackedCause kBeginning = -1;
  static PackedCause OfTransfer(int32_t transfer) { return -2 - transfer; }

  // Names a run that is ready.
  struct Item {
    int32_t node = 0;  // -1 - part: the roots of a part
    int32_t iteration = 0;
    double ready = 0;  // since when
  };
  // Is the state of a run.
  struct State {
    double path = 0;  // length of the longest path to its beginning
    int32_t pending = 0;
    PackedCause cause = kBeginning;  // what came last
    int32_t rank = -1;
    bool has_dead_input = false;
    bool has_live_input = false;
  };
  // Is the state of a message in an iteration.
  struct MessageState {
    double asked = 0;  // when the last _Recv began to wait
    int32_t pending = 0;
    PackedCause cause = kBeginning;
    bool is_live = false;
  };
  // Is a thread of a host, which has a core.
  struct Worker {
    int32_t host = 0;
    int32_t lane = 0;
    std::vector<Item> cheap = {};
    std::vector<Item> kept = {};  // at most one expensive run
    Item current = {};
    double begin = 0;
    int32_t extra_cores = 0;
    PackedCause cause = kBeginning;  // of the current run
  };
  struct Host {
    int32_t free_cores = 0;
    int32_t num_lanes = 0;
    std::vector<int32_t> idle = {};  // workers without a core
    std::deque<Item> pool = {};
  };
  // Is what runs nodes one after another on each of its lanes: the streams of a
  // GPU, or a line between a GPU and the memory of its host.
  struct Server {
    std::vector<int32_t> free_lanes = {};
    std::deque<Item> queue = {};
  };
  struct Event {
    enum class Kind : uint8_t { kWorkerEnds, kServerEnds, kMessageArrives };
    double time = 0;
    int64_t number = 0;  // orders events of the same time
    Kind kind = Kind::kWorkerEnds;
    int32_t subject = 0;  // the worker, server or message
    int32_t lane = 0;
    int32_t transfer = 0;
    Item item = {};
    double begin = 0;
    PackedCause cause = kBeginning;

    friend bool operator>(const Event& a, const Event& b) {
      return a.time != b.time ? a.time > b.time : a.number > b.number;
    }
  };

  void PrepareStates();
  void PrepareServers();
  void StartParts();
  void RunRoots(int32_t part);
  void Handle(const Event& event);

  // Do what follows from the end or the death of a run.
  void Finish(const Item& item, int32_t lane, double begin, PackedCause cause);
  void Propagate(const Item& item, bool is_dead);
  // Tells a run about one of its inputs or, if `is_data` is false, about one of
  // its control edges.
  void Arrive(int32_t node, int32_t iteration, bool is_data, bool is_dead,
              PackedCause cause, double path);
  void BecomeReady(int32_t node, int32_t iteration);
  bool IsDead(const ModelNode& node, const State& state) const;
  void DrainDead();

  // Let runs happen on the cores of hosts.
  void AddToPool(int32_t host, const Item& item);
  void GiveCore(int32_t host, const Item& item);
  void Begin(int32_t worker, const Item& item);
  void Continue(int32_t worker);

  // Let runs happen on the streams and lines of GPUs.
  int32_t ServerOf(const ModelNode& node) const;
  void AddToServer(int32_t server, const Item& item);
  void BeginOnServer(int32_t server, const Item& item);

  // Let messages travel.
  void SendPart(const ModelNode& send, int32_t iteration, bool is_dead,
                PackedCause cause, double path);
  void Ask(const ModelNode& recv, int32_t iteration);
  void BeginTransfer(int32_t message, int32_t iteration);
  void EndTransfer(int32_t message, int32_t iteration, PackedCause cause);

  State& StateOf(int32_t node, int32_t iteration) {
    return states_[step_.nodes[node].first_run + iteration];
  }
  static Cause Unpack(PackedCause cause);
  int32_t HostOfPart(int32_t part) const {
    return cluster_.devices()[step_.device_of[part]].host;
  }
  // Returns why a run begins now.
  PackedCause CauseOf(const Item& item, const State& state) const;
  void Push(Event event);

  const ClusterModel& cluster_;
  const StepModel& step_;
  double now_ = 0;
  int64_t num_events_ = 0;
  std::priority_queue<Event, std::vector<Event>, std::greater<Event>> events_;
  std::vector<State> states_;           // by run
  std::vector<MessageState> messages_;  // by run of a message
  std::vector<Host> hosts_;
  std::vector<Worker> workers_;
  std::vector<Server> servers_;
  std::vector<std::array<int32_t, 3>> servers_of_;  // by part
  std::vector<Item> dead_;  // runs whose death is to be told
  bool is_draining_ = false;
  LinkLines lines_;
  int32_t current_worker_ = -1;  // the thread that makes nodes ready
  PackedCause current_run_ = kBeginning;
  std::vector<SimulatedRun> runs_;
  std::vector<SimulatedTransfer> transfers_;
  std::vector<double> busy_seconds_;  // by part
  double work_seconds_ = 0;
  double critical_path_seconds_ = 0;
};

}  // namespace leat

#endif  // LEAT_PARTITIONER_SIMULATION_ENGINE_H_
