// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// DumpToJson writes a Dump for other programs. The format is stable: keys are
// added, but never changed.
//
//   {"model": "m.pbtxt", "stage": "partitioned",
//    "feeds": ["x:0"], "fetches": ["y:0"], "targets": ["train"],
//    "shape_problem": "",              why no shapes are known
//    "devices": [{"name": "/job:...", TOTALS}],
//    "partitions": [{"name": "/job:... or empty", TOTALS, "nodes": [
//      {"name": "a/b", "op": "MatMul", "device": "/job:...",
//       "inputs": ["x", "w:1", "^init"],
//       "attrs": {"transpose_a": "true"},     as text, without defaults
//       "outputs": [TENSOR], "variable_bytes": 0}]}],
//    "transfers": [{"tensor": "a/b:0", TENSOR, "is_control": false,
//       "from": "/job:...", "to": "/job:...",
//       "send_node": "a/b/send_G0", "recv_node": "a/b/recv_G1"}],
//    "copies": [{"tensor": "a/b:0", TENSOR,     to and from memory of a GPU
//       "from": "host", "to": "/job:...", "copy_node": "a/b/_to_device"}],
//    "simulation": {                          only with --simulate; seconds
//       "cluster": "m.json", "step_seconds": 0.1, "bound_seconds": 0.05,
//       "work_seconds": 0.1, "critical_path_seconds": 0.04, "processors": 2,
//       "num_transfers": 3, "transferred_bytes": 96,
//       "num_costs": {"measured": 0, "calibrated": 9, "guessed": 1},
//       "devices": [{"name": "/job:...", "kind": "core", "processors": 2,
//          "busy_seconds": 0.1, "idle_seconds": 0.1, "peak_bytes": 96,
//          "kept_bytes": 0, "memory_bytes": 1e9}], "unused_devices": 0,
//       "costliest": [{"name": "a/b", "op": "MatMul", "device": "/job:...",
//          "seconds": 0.1, "num_runs": 1, "origin": "calibrated"}],
//       "critical_path": [    nodes, and transfers, which have "to" and "bytes"
//          {"name": "a/b", "begin": 0, "end": 0.1, "device": "/job:...",
//           "op": "MatMul"}],
//       "critical_path_length": 1,           with what is left out
//       "loops": [{"name": "while", "trips": 1, "is_assumed": true,
//          "simulated_trips": 1}]}}
//
//   TENSOR  "dtype": "float", "shape": [2, -1] (null: unknown rank),
//           "bytes": 24 (null: unknown)
//   TOTALS  "num_nodes", "output_bytes", "unknown_outputs", "variable_bytes"
#ifndef LEAT_TOOLS_DUMPS_DUMP_JSON_H_
#define LEAT_TOOLS_DUMPS_DUMP_JSON_H_

#include <string>

#include "leat/tools/dumps/dump.h"

namespace leat {

std::string DumpToJson(const Dump& dump);

}  // namespace leat

#endif  // LEAT_TOOLS_DUMPS_DUMP_JSON_H_
