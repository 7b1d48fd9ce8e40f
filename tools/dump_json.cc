// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/dump_json.h"

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

}  // namespace

std::string DumpToJson(const Dump& dump) {
  Json json = {{"model", dump.model},
               {"stage", StageName(dump.stage)},
               {"feeds", dump.signature.feeds},
               {"fetches", dump.signature.fetches},
               {"targets", dump.signature.targets},
               {"shape_problem", dump.shape_problem},
               {"devices", Json::array()},
               {"partitions", Json::array()},
               {"transfers", Json::array()}};
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
  for (const DumpedTransfer& transfer : dump.transfers) {
    json["transfers"].push_back(TransferJson(transfer));
  }
  // Names from a file may have bytes that are not UTF-8. By default, the JSON
  // library throws an exception for these bytes.
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace leat
