// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tests/testing/in_process_network.h"

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "leat/core/check.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/mutex.h"
#include "leat/distributed/cluster/address.h"
#include "leat/distributed/transport/call_errors.h"
#include "leat/tests/testing/in_process_call.h"

namespace leat::testing {
namespace {

using in_process::CallParts;
using in_process::CallRef;
using in_process::InProcessCall;
using in_process::OpenCalls;
using in_process::Service;
using in_process::ServiceRef;

class InProcessListener final : public Listener {
 public:
  InProcessListener(std::shared_ptr<InProcessNetwork> network,
                    ServiceRef service)
      : network_(std::move(network)), service_(std::move(service)) {}
  ~InProcessListener() override { Shutdown(std::chrono::nanoseconds(0)); }

  const std::string& address() const override { return service_->address(); }

  void Shutdown(std::chrono::nanoseconds grace) override {
    network_->implementation().Remove(*service_);
    service_->Close(grace);
  }

 private:
  const std::shared_ptr<InProcessNetwork> network_;
  const ServiceRef service_;
};

class InProcessTransport final : public Transport {
 public:
  InProcessTransport(std::shared_ptr<InProcessNetwork> network,
                     int64_t max_message_bytes)
      : network_(std::move(network)), max_message_bytes_(max_message_bytes) {}

  ~InProcessTransport() override {
    const absl::Status why = AsTransportError(
        absl::CancelledError("the transport of the call has been closed"));
    for (const CallRef& call : open_.All()) call->Abandon(why);
    open_.WaitUntilEmpty();
  }

  Clock& clock() const override {
    return network_->implementation().timers().clock();
  }

  void Call(absl::string_view address, const Method& method, Payload request,
            CallOptions options, Reply done) override {
    LEAT_CHECK(request.pending == nullptr);
    CallParts parts;
    parts.address = std::string(address);
    parts.method = method;
    parts.request = std::move(request);
    parts.options = std::move(options);
    parts.done = std::move(done);
    parts.max_message_bytes = max_message_bytes_;
    // Keeps the network alive until Start returns, because this transport may
    // be destroyed as soon as `done` has returned.
    const std::shared_ptr<InProcessNetwork> network = network_;
    const auto call = std::make_shared<InProcessCall>(
        network->implementation(), network, open_, std::move(parts));
    open_.Add(call);
    call->Start();
  }

  absl::StatusOr<std::unique_ptr<Listener>> Listen(
      const std::string& address, const MethodTable& methods) override {
    LEAT_RETURN_IF_ERROR(CheckAddress(address));
    LEAT_ASSIGN_OR_RETURN(
        ServiceRef service,
        network_->implementation().Add(address, methods, max_message_bytes_));
    return std::make_unique<InProcessListener>(network_, std::move(service));
  }

 private:
  const std::shared_ptr<InProcessNetwork> network_;
  const int64_t max_message_bytes_;
  OpenCalls open_;
};

}  // namespace

absl::StatusOr<ServiceRef> in_process::Network::Add(const std::string& address,
                                                    const MethodTable& methods,
                                                    int64_t max_message_bytes) {
  absl::flat_hash_set<CallRef> waiting;
  ServiceRef service;
  {
    MutexLock lock(mutex_);
    std::string chosen = address;
    if (HasFreePort(address)) {
      do {
        last_port_ = last_port_ % kMaxPort + 1;
        chosen =
            absl::StrCat(address.substr(0, address.size() - 1), last_port_);
      } while (services_.contains(CanonicalAddress(chosen)));
    }
    const std::string key = CanonicalAddress(chosen);
    if (services_.contains(key)) {
      return CannotListenError(address, "Address already in use");
    }
    service = std::make_shared<Service>(chosen, methods, max_message_bytes,
                                        timers_.clock());
    services_.emplace(key, service);
    if (const auto found = waiting_.find(key); found != waiting_.end()) {
      waiting = std::move(found->second);
      waiting_.erase(found);
    }
  }
  for (const CallRef& call : waiting) {
    queue_->Add([call] { call->Dispatch(); });
  }
  return service;
}

void in_process::Network::Remove(const Service& service) {
  MutexLock lock(mutex_);
  const auto found = services_.find(CanonicalAddress(service.address()));
  if (found != services_.end() && found->second.get() == &service) {
    services_.erase(found);
  }
}

ServiceRef in_process::Network::Find(const std::string& address,
                                     const CallRef& waiting) {
  const std::string key = CanonicalAddress(address);
  MutexLock lock(mutex_);
  const auto found = services_.find(key);
  if (found != services_.end()) return found->second;
  if (waiting != nullptr) waiting_[key].insert(waiting);
  return nullptr;
}

void in_process::Network::StopWaiting(const std::string& address,
                                      const CallRef& waiting) {
  MutexLock lock(mutex_);
  const auto found = waiting_.find(CanonicalAddress(address));
  if (found == waiting_.end()) return;
  found->second.erase(waiting);
  if (found->second.empty()) waiting_.erase(found);
}

InProcessNetwork::InProcessNetwork(int num_threads, Clock& clock)
    : implementation_(
          std::make_unique<in_process::Network>(num_threads, clock)) {
  transports_.Add("in-process", [this](const TransportOptions& options) {
    return NewTransport(options);
  });
}

InProcessNetwork::~InProcessNetwork() = default;

std::unique_ptr<Transport> InProcessNetwork::NewTransport(
    const TransportOptions& options) {
  return std::make_unique<InProcessTransport>(shared_from_this(),
                                              options.max_message_bytes);
}

}  // namespace leat::testing
