// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tests/testing/test_service.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/buffer.h"
#include "leat/core/check.h"
#include "leat/core/status_macros.h"
#include "leat/tests/testing/simulated_clock.h"
#include "leat/tests/testing/wait_limit.h"

namespace leat::testing {
namespace {

constexpr int64_t kMaxBytes = int64_t{1} << 31;

absl::StatusOr<Payload> Materialized(absl::StatusOr<Payload> payload) {
  if (payload.ok()) {
    LEAT_RETURN_IF_ERROR(
        payload->Materialize(HostAllocator(), nullptr, kMaxBytes));
  }
  return payload;
}

}  // namespace

Reply CallResult::Done() const {
  return [state = state_](absl::StatusOr<Payload> result) {
    MutexLock lock(state->mutex);
    ++state->num_replies;
    state->last = std::move(result);
    state->changed.NotifyAll();
  };
}

int CallResult::num_replies() const {
  MutexLock lock(state_->mutex);
  return state_->num_replies;
}

absl::StatusOr<Payload> CallResult::Take() const {
  const Clock::time_point limit = WaitLimit();
  MutexLock lock(state_->mutex);
  while (!state_->last.has_value()) {
    if (!state_->changed.WaitUntil(state_->mutex, limit)) {
      return absl::DataLossError("no answer");
    }
  }
  return *std::move(state_->last);
}

absl::StatusOr<Payload> CallNow(Transport& transport, absl::string_view address,
                                const Method& method, Payload request,
                                CallOptions options) {
  const CallResult result;
  transport.Call(address, method, std::move(request), std::move(options),
                 result.Done());
  return Materialized(result.Take());
}

Payload PayloadOf(absl::string_view text, WireTensors tensors) {
  LEAT_CHECK(text.size() < 128);  // then its length takes one byte
  Payload payload;
  payload.header = absl::StrCat(
      "\x0a", std::string(1, static_cast<char>(text.size())), text);
  payload.tensors = std::move(tensors);
  return payload;
}

TestService::TestService() {
  const auto echo = [](const std::shared_ptr<CallContext>&, Payload request,
                       Reply reply) {
    std::move(reply)(Materialized(std::move(request)));
  };
  methods_.Add(kEcho, echo);
  methods_.Add(kEchoUnnamed, echo);
  methods_.Add(
      kFail, [this](const std::shared_ptr<CallContext>&, Payload, Reply reply) {
        absl::Status error;
        {
          MutexLock lock(mutex_);
          error = error_;
        }
        std::move(reply)(std::move(error));
      });
  methods_.Add(kWait, [this](std::shared_ptr<CallContext> context, Payload,
                             Reply reply) {
    Wait(std::move(context), std::move(reply));
  });
  methods_.Add(kHold, [this](const std::shared_ptr<CallContext>&, Payload,
                             Reply reply) { Hold(std::move(reply)); });
  methods_.Add(kDrop,
               [](const std::shared_ptr<CallContext>&, Payload, Reply) {});
  methods_.Add(
      kMisplace, [](const std::shared_ptr<CallContext>&, Payload, Reply reply) {
        std::move(reply)(PayloadOf("", {{"x", Tensor::Scalar<float>(1)}}));
      });
}

void TestService::set_error(absl::Status error) {
  MutexLock lock(mutex_);
  error_ = std::move(error);
}

void TestService::Release() {
  std::vector<Reply> held;
  {
    MutexLock lock(mutex_);
    is_released_ = true;
    held.swap(held_);
  }
  for (Reply& reply : held) std::move(reply)(PayloadOf("released"));
}

int TestService::num_begun() const {
  MutexLock lock(mutex_);
  return num_begun_;
}

int TestService::num_cancelled() const {
  MutexLock lock(mutex_);
  return num_cancelled_;
}

std::shared_ptr<CallContext> TestService::last_context() const {
  MutexLock lock(mutex_);
  return last_context_;
}

Clock::time_point TestService::last_begun() const {
  MutexLock lock(mutex_);
  return last_begun_;
}

void TestService::Wait(std::shared_ptr<CallContext> context, Reply reply) {
  {
    MutexLock lock(mutex_);
    ++num_begun_;
    last_context_ = context;
    last_begun_ = TestClock().Now();
  }
  const auto shared = std::make_shared<Reply>(std::move(reply));
  const auto cancelled = [this, shared](const absl::Status& reason) {
    {
      MutexLock lock(mutex_);
      ++num_cancelled_;
    }
    std::move (*shared)(reason);
  };
  Cancellation::Token token = 0;
  if (!context->cancellation.Register(cancelled, &token)) {
    cancelled(context->cancellation.status());
  }
}

void TestService::Hold(Reply reply) {
  {
    MutexLock lock(mutex_);
    ++num_begun_;
    if (!is_released_) {
      held_.push_back(std::move(reply));
      return;
    }
  }
  std::move(reply)(PayloadOf("released"));
}

}  // namespace leat::testing
