// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/dumps/dump_json.h"

#include <utility>
#include <vector>

#include "nlohmann/json.hpp"

namespace leat {
namespace {

using Json = nlohmann::ordered_json;

void Put(const Totals& totals, Json& json) {
  json["num_nodes"] = totals.num_nodes;
  json["output_bytes"] = totals.output_bytes;
  json["unknown_outputs"] = totals.unknown_outputs;
  json["variable_bytes"] = totals.variable_bytes;
}

void Put(const DumpedTensor& tensor, Json& json) {
  json["dtype"] = Name(tensor.dtype);
  json["shape"] = nullptr;
  if (tensor.shape.rank_known()) {
    json["shape"] = std::vector<int64_t>(tensor.shape.dims().begin(),
                                         tensor.shape.dims().end());
  }
  json["bytes"] = nullptr;
  if (const auto bytes = tensor.Bytes()) json["bytes"] = *bytes;
}

Json NodeJson(const DumpedNode& node) {
  Json json = {{"name", node.name},
               {"op", node.op},
               {"device", node.device},
               {"inputs", node.inputs},
               {"attrs", Json::object()},
               {"outputs", Json::array()},
               {"variable_bytes", node.variable_bytes}};
  for (const auto& [name, value] : node.attrs) json["attrs"][name] = value;
  for (const DumpedTensor& output : node.outputs) {
    Json tensor = Json::object();
    Put(output, tensor);
    json["outputs"].push_back(std::move(tensor));
  }
  return json;
}

Json TransferJson(const DumpedTransfer& transfer) {
  Json json = {{"tensor", transfer.tensor}};
  Put(transfer.value, json);
  json["is_control"] = transfer.is_control;
  json["from"] = transfer.from;
  json["to"] = transfer.to;
  json["send_node"] = transfer.send_node;
  json["recv_node"] = transfer.recv_node;
  return json;
}

Json CopyJson(const DumpedTransfer& copy) {
  Json json = {{"tensor", copy.tensor}};
  Put(copy.value, json);
  json["from"] = copy.from;
  json["to"] = copy.to;
  json["copy_node"] = copy.recv_node;
  return json;
}

Json DeviceJson(const DumpedDeviceUse& use) {
  return {{"name", use.name},
          {"kind", use.kind},
          {"processors", use.num_processors},
          {"busy_seconds", use.busy_seconds},
          {"idle_seconds", use.idle_seconds},
          {"peak_bytes", use.peak_bytes},
          {"kept_bytes", use.kept_bytes},
          {"memory_bytes", use.memory_bytes}};
}

Json CostJson(const DumpedNodeCost& cost) {
  return {{"name", cost.name},         {"op", cost.op},
          {"device", cost.device},     {"seconds", cost.seconds},
          {"num_runs", cost.num_runs}, {"origin", Name(cost.origin)}};
}

Json PathJson(const DumpedPathStep& step) {
  Json json = {{"name", step.name},
               {"begin", step.begin},
               {"end", step.end},
               {"device", step.device}};
  if (step.to.empty()) {
    json["op"] = step.op;
  } else {
    json["to"] = step.to;
    json["bytes"] = step.bytes;
  }
  return json;
}

template <class T>
Json ArrayJson(const std::vector<T>& elements, Json (*to_json)(const T&)) {
  Json array = Json::array();
  for (const T& element : elements) array.push_back(to_json(element));
  return array;
}

Json SimulationJson(const DumpedSimulation& simulation) {
  Json costs = Json::object();
  for (const CostOrigin origin :
       {CostOrigin::kMeasured, CostOrigin::kCalibrated, CostOrigin::kGuessed}) {
    costs[std::string(Name(origin))] =
        simulation.num_costs[static_cast<size_t>(origin)];
  }
  Json loops = Json::array();
  for (const SimulatedLoop& loop : simulation.loops) {
    loops.push_back({{"name", loop.name},
                     {"trips", loop.trips},
                     {"is_assumed", loop.is_assumed},
                     {"simulated_trips", loop.simulated_trips}});
  }
  return {{"cluster", simulation.cluster},
          {"step_seconds", simulation.step_seconds},
          {"bound_seconds", simulation.bound_seconds},
          {"work_seconds", simulation.work_seconds},
          {"critical_path_seconds", simulation.critical_path_seconds},
          {"processors", simulation.num_processors},
          {"num_transfers", simulation.num_transfers},
          {"transferred_bytes", simulation.transferred_bytes},
          {"num_costs", std::move(costs)},
          {"devices", ArrayJson(simulation.devices, DeviceJson)},
          {"unused_devices", simulation.num_unused_devices},
          {"costliest", ArrayJson(simulation.costliest, CostJson)},
          {"critical_path", ArrayJson(simulation.path, PathJson)},
          {"critical_path_length", simulation.path_length},
          {"loops", std::move(loops)}};
}

}  // namespace

std::string DumpToJson(const Dump& dump) {
  Json json = {{"model", dump.model},
               {"stage", StageName(dump.stage)},
               {"feeds", dump.signature.feeds},
               {"fetches", dump.signature.fetches},
               {"targets", dump.signature.targets},
               {"shape_problem", dump.shape_problem},
               {"devices", Json::array()},
               {"partitions", Json::array()}};
  for (const auto& [device, totals] : dump.devices) {
    Json entry = {{"name", device}};
    Put(totals, entry);
    json["devices"].push_back(std::move(entry));
  }
  for (const DumpedPart& part : dump.parts) {
    Json entry = {{"name", part.name}};
    Put(part.totals, entry);
    entry["nodes"] = Json::array();
    for (const DumpedNode& node : part.nodes) {
      entry["nodes"].push_back(NodeJson(node));
    }
    json["partitions"].push_back(std::move(entry));
  }
  json["transfers"] = ArrayJson(dump.transfers, TransferJson);
  json["copies"] = ArrayJson(dump.copies, CopyJson);
  if (dump.simulation.has_value()) {
    json["simulation"] = SimulationJson(*dump.simulation);
  }
  // Names from a file may have bytes that are not UTF-8. By default, the JSON
  // library throws an exception for these bytes.
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace leat
