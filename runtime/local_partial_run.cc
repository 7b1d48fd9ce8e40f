// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/local_partial_run.h"

#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"

namespace leat {

LocalPartialRun::LocalPartialRun(Place place,
                                 std::shared_ptr<const CompiledStep> plan,
                                 int64_t step_id, const RunOptions& options)
    : place_(std::move(place)),
      plan_(std::move(plan)),
      timeout_(options.timeout),
      progress_(plan_->feeds, plan_->fetch_names, *plan_->whole),
      allocations_(options.report_tensor_allocations_upon_oom
                       ? std::make_unique<StepAllocations>()
                       : nullptr),
      step_(step_id, rendezvous_, {}, {}, options.observer,
            allocations_.get()) {}

LocalPartialRun::~LocalPartialRun() { Finish().IgnoreError(); }

void LocalPartialRun::Start() {
  place_.runner->Start(plan_->graph, step_, [this](const absl::Status&) {
    MutexLock lock(mutex_);
    has_ended_ = true;
    changed_.NotifyAll();
  });
}

absl::Status LocalPartialRun::Finish() {
  Cancel(absl::CancelledError("the partial run was finished"),
         PartialRunProgress::Over());
  return absl::OkStatus();
}

void LocalPartialRun::Cancel(const absl::Status& why,
                             const absl::Status& later) {
  bool has_ended = false;
  {
    MutexLock lock(mutex_);
    over_ = later;
    has_ended = has_ended_;
  }
  if (!has_ended) step_.Fail(why);
  WaitUntil({}, /*until_end=*/true, std::nullopt);
}

absl::StatusOr<std::vector<Tensor>> LocalPartialRun::Run(
    const std::vector<Feed>& feeds, const std::vector<TensorName>& fetches) {
  std::optional<StepDeadline> deadline;
  if (timeout_.has_value()) {
    deadline = {.clock = place_.clock,
                .at = place_.clock->After(*timeout_),
                .timeout = *timeout_};
  }
  {
    MutexLock lock(mutex_);
    LEAT_RETURN_IF_ERROR(over_);
  }
  std::vector<std::pair<std::string, Tensor>> named;
  for (const Feed& feed : feeds) named.emplace_back(feed.name.text, feed.value);
  // A tensor that is asked for twice in one call is received once.
  std::vector<std::string> names;
  std::vector<size_t> positions;
  absl::flat_hash_map<std::string, size_t> position_of;
  for (const TensorName& fetch : fetches) {
    const auto [known, is_new] = position_of.emplace(fetch.text, names.size());
    if (is_new) names.push_back(fetch.text);
    positions.push_back(known->second);
  }
  LEAT_ASSIGN_OR_RETURN(PartialRunCall call,
                        progress_.Begin(std::move(named), names));

  Fetched fetched{.num_missing = call.fetches.size(),
                  .tensors = std::vector<Tensor>(call.fetches.size())};
  absl::Status status = Send(call);
  Receive(call, fetched);
  Wait(fetched, /*until_end=*/false, deadline);
  if (status.ok()) status = std::move(fetched.status);
  if (!status.ok()) step_.Fail(status);
  if (!status.ok() || call.is_last) {
    Wait({}, /*until_end=*/true, deadline);
    status = step_.status();
    MutexLock lock(mutex_);
    if (over_.ok()) over_ = PartialRunProgress::Over();
  }
  LEAT_RETURN_IF_ERROR(status);
  std::vector<Tensor> result;
  for (const size_t i : positions) result.push_back(fetched.tensors[i]);
  return result;
}

absl::Status LocalPartialRun::Send(PartialRunCall& call) {
  for (size_t i = 0; i < call.feeds.size(); ++i) {
    const ParsedKey& key = plan_->feed_keys[i];
    if (!call.feeds[i].IsValid() || !key.is_well_formed()) continue;
    LEAT_RETURN_IF_ERROR(
        rendezvous_.Send(key, std::move(call.feeds[i]), /*is_dead=*/false));
  }
  return absl::OkStatus();
}

void LocalPartialRun::Receive(const PartialRunCall& call, Fetched& fetched) {
  for (size_t i = 0; i < call.fetches.size(); ++i) {
    const size_t position = call.fetches[i];
    rendezvous_.RecvAsync(
        plan_->fetch_keys[position],
        [this, i, position, &fetched](const absl::Status& status, Tensor tensor,
                                      bool is_dead) {
          MutexLock lock(mutex_);
          fetched.status.Update(
              status.ok() && is_dead
                  ? absl::InvalidArgumentError(absl::StrCat(
                        "fetch '", plan_->fetch_names[position],
                        "' has no value: it is on a branch that was not taken"))
                  : status);
          fetched.tensors[i] = std::move(tensor);
          --fetched.num_missing;
          changed_.NotifyAll();
        });
  }
}

bool LocalPartialRun::WaitUntil(const Fetched& fetched, bool until_end,
                                const std::optional<StepDeadline>& deadline) {
  MutexLock lock(mutex_);
  while (fetched.num_missing > 0 || (until_end && !has_ended_)) {
    if (!deadline.has_value()) {
      changed_.Wait(mutex_);
    } else if (!deadline->clock->WaitUntil(changed_, mutex_, deadline->at)) {
      return fetched.num_missing == 0 && (!until_end || has_ended_);
    }
  }
  return true;
}

void LocalPartialRun::Wait(const Fetched& fetched, bool until_end,
                           const std::optional<StepDeadline>& deadline) {
  if (WaitUntil(fetched, until_end, deadline)) return;
  step_.Fail(RanTooLong(*deadline));
  WaitUntil(fetched, until_end, std::nullopt);
}

}  // namespace leat
