// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/client/remote_partial_run.h"

#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"

namespace leat {
namespace {

size_t NumDistinct(const std::vector<TensorName>& names) {
  absl::flat_hash_set<absl::string_view> distinct;
  for (const TensorName& name : names) distinct.insert(name.text);
  return distinct.size();
}

}  // namespace

RemotePartialRun::RemotePartialRun(std::shared_ptr<MasterSteps> session,
                                   std::string handle,
                                   const PartialRunArgs& args)
    : session_(std::move(session)),
      handle_(std::move(handle)),
      options_(args.options),
      num_left_(args.feeds.size() + NumDistinct(args.fetches)) {}

RemotePartialRun::~RemotePartialRun() {
  if (has_ended_ || !session_->ends_partial_runs()) return;
  session_->NotifyStep(End());
}

absl::StatusOr<std::vector<Tensor>> RemotePartialRun::Run(
    const std::vector<Feed>& feeds, const std::vector<TensorName>& fetches) {
  auto fetched =
      session_->RunStep(Request(), feeds, fetches, options_, nullptr);
  if (fetched.ok() && (num_left_ -= feeds.size() + NumDistinct(fetches)) == 0) {
    has_ended_ = true;
  }
  return fetched;
}

absl::Status RemotePartialRun::Finish() {
  if (has_ended_) return absl::OkStatus();
  if (!session_->ends_partial_runs()) {
    return absl::UnimplementedError(
        "the master is one of TensorFlow, which ends a partial run only when "
        "all of its feeds and fetches have been used or its session is closed");
  }
  if (has_ended_.exchange(true)) return absl::OkStatus();
  return session_->RunStep(End(), {}, {}, {}, nullptr).status();
}

pb::RunStepRequest RemotePartialRun::Request() const {
  pb::RunStepRequest request;
  request.set_partial_run_handle(handle_);
  return request;
}

pb::RunStepRequest RemotePartialRun::End() const {
  pb::RunStepRequest request = Request();
  request.mutable_leat()->set_ends_partial_run(true);
  return request;
}

}  // namespace leat
