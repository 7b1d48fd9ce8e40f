// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines _Send and _Recv, the two ends of an edge between two devices, and
// their forms for tensors in host memory.
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"
#include "leat/graph/work_functions.h"

namespace leat::ops::send_recv {
void Register(OpRegistry& registry) {
  registry.Add(
      {.name = "_Send",
       .doc = "Sends a tensor to the _Recv of the same name on another device.",
       .inputs = {"tensor: T"},
       .attrs = {"T: type", "tensor_name: string", "send_device: string",
                 "send_device_incarnation: int", "recv_device: string",
                 "client_terminated: bool = false"},
       .stateful = true,
       .shape = shapes::NoOutputs,
       .work = works::Nothing},
      {NotFoldable(QuickOnCpu()), HostOnGpu()});

  registry.Add(
      {.name = "_Recv",
       .doc = "Receives a tensor from the _Send of the same name on another "
              "device.",
       .outputs = {"tensor: tensor_type"},
       .attrs = {"tensor_type: type", "tensor_name: string",
                 "send_device: string", "send_device_incarnation: int",
                 "recv_device: string", "client_terminated: bool = false"},
       .stateful = true,
       .shape = shapes::Unknown,
       .work = works::Nothing},
      {NotFoldable(QuickOnCpu()), HostOnGpu()});

  registry.Add(
      {.name = "_HostSend",
       .doc = "Sends a tensor in host memory to the _HostRecv of the same name "
              "on another device.",
       .inputs = {"tensor: T"},
       .attrs = {"T: type", "tensor_name: string", "send_device: string",
                 "send_device_incarnation: int", "recv_device: string",
                 "client_terminated: bool = false"},
       .stateful = true,
       .shape = shapes::NoOutputs,
       .work = works::Nothing},
      {NotFoldable(QuickOnCpu()), HostOnGpu()});

  registry.Add(
      {.name = "_HostRecv",
       .doc = "Receives a tensor in host memory from the _HostSend of the same "
              "name on another device.",
       .outputs = {"tensor: tensor_type"},
       .attrs = {"tensor_type: type", "tensor_name: string",
                 "send_device: string", "send_device_incarnation: int",
                 "recv_device: string", "client_terminated: bool = false"},
       .stateful = true,
       .shape = shapes::Unknown,
       .work = works::Nothing},
      {NotFoldable(QuickOnCpu()), HostOnGpu()});
}

}  // namespace leat::ops::send_recv
