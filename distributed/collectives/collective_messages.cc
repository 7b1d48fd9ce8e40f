// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/collectives/collective_messages.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/codec/tensor_codec.h"
#include "leat/core/status_macros.h"
#include "leat/distributed/cluster/device_attributes.h"
#include "leat/distributed/wire/messages.h"
#include "leat/protos/worker.pb.h"

namespace leat {
namespace {

// The leader keeps the names of members, so they must not take much memory.
constexpr size_t kMaxNameBytes = 1000;

absl::Status CheckName(absl::string_view what, absl::string_view name) {
  if (name.size() <= kMaxNameBytes) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(what, " of a member of a collective has ", name.size(),
                   " bytes, more than ", kMaxNameBytes));
}

}  // namespace

Payload EncodeJoin(const GroupJoin& join) {
  pb::CompleteGroupRequest message;
  message.set_group_key(join.key);
  message.set_group_size(join.size);
  message.set_device_type(join.device_type);
  ExportDevice(join.device, *message.mutable_device_attributes());
  message.mutable_leat()->set_lost_communicator_key(join.lost_id);
  return ToPayload(message);
}

absl::StatusOr<GroupJoin> DecodeJoin(absl::string_view header) {
  pb::CompleteGroupRequest message;
  LEAT_RETURN_IF_ERROR(ParseSmall(header, message));
  if (!message.has_device_attributes()) {
    return absl::InternalError(
        "CompleteGroupRequest device_attributes is not set. Make sure you're "
        "running the same version of Tensorflow on all workers.");
  }
  GroupJoin join{.key = message.group_key(),
                 .size = message.group_size(),
                 .device_type = message.device_type(),
                 .is_leat = message.has_leat(),
                 .lost_id = message.leat().lost_communicator_key()};
  LEAT_RETURN_IF_ERROR(
      CheckName("the device", message.device_attributes().name()));
  LEAT_RETURN_IF_ERROR(CheckName("the device type", join.device_type));
  LEAT_ASSIGN_OR_RETURN(join.device, ImportDevice(message.device_attributes()));
  join.device.description.clear();  // nobody needs it, and it may be large
  if (join.size > 0) return join;
  return absl::InvalidArgumentError(
      absl::StrCat("group_size must be positive integer but got ", join.size));
}

Payload EncodeGroup(const CollectiveGroup& group) {
  pb::CompleteGroupResponse message;
  message.set_group_key(group.key);
  message.set_group_size(group.size());
  message.set_device_type(group.members.front().device.type);
  message.set_num_tasks(group.num_tasks());
  message.set_communicator_key(group.id);
  for (const CollectiveMember& member : group.members) {
    ExportDevice(member.device, *message.add_device_attributes());
  }
  message.mutable_leat()->set_is_all_leat(group.is_all_leat);
  return ToPayload(message);
}

absl::StatusOr<std::shared_ptr<const CollectiveGroup>> DecodeGroup(
    absl::string_view header, int32_t key) {
  pb::CompleteGroupResponse message;
  LEAT_RETURN_IF_ERROR(ParseMessage(header, kMaxAnswerBytes, message));
  if (message.group_key() != key || message.device_attributes().empty() ||
      message.device_attributes_size() != message.group_size()) {
    return absl::InternalError(
        "CompleteGroupResponse group_size doesn't match device_name list");
  }
  auto group = std::make_shared<CollectiveGroup>();
  group->key = key;
  group->id = message.communicator_key();
  group->is_all_leat = message.leat().is_all_leat();
  for (const pb::DeviceAttributes& attributes : message.device_attributes()) {
    LEAT_ASSIGN_OR_RETURN(DeviceInfo device, ImportDevice(attributes));
    group->members.push_back({.device = std::move(device)});
  }
  SortMembers(group->members);
  return std::shared_ptr<const CollectiveGroup>(std::move(group));
}

Payload EncodeClaim(const CollectiveRequest& request) {
  pb::CompleteInstanceRequest message;
  message.set_name(request.name);
  message.set_type(static_cast<int>(request.type));
  message.set_data_type(static_cast<pb::DataType>(request.dtype));
  EncodeShape(request.shape, message.mutable_shape());
  message.set_group_key(request.group_key);
  message.set_group_size(request.group_size);
  message.set_instance_key(request.instance_key);
  message.set_device_type(request.device.type);
  message.add_subdiv_offset(0);
  message.set_device(request.device.name);
  message.set_is_source(request.is_source);
  return ToPayload(message);
}

absl::StatusOr<GroupClaim> DecodeClaim(absl::string_view header) {
  pb::CompleteInstanceRequest message;
  LEAT_RETURN_IF_ERROR(ParseSmall(header, message));
  LEAT_RETURN_IF_ERROR(CheckName("the device", message.device()));
  const std::optional<DType> dtype = DTypeFromWire(message.data_type());
  if (!dtype.has_value()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "a collective has the unknown type ", message.data_type()));
  }
  LEAT_ASSIGN_OR_RETURN(const PartialShape shape, DecodeShape(message.shape()));
  GroupClaim result{
      .group_key = message.group_key(),
      .claim = {.type = static_cast<CollectiveType>(message.type()),
                .instance_key = message.instance_key(),
                .step_id = message.step_id(),
                .dtype = *dtype,
                .device = message.device(),
                .is_source = message.is_source()}};
  LEAT_ASSIGN_OR_RETURN(result.claim.shape, shape.ToShape());
  return result;
}

}  // namespace leat
