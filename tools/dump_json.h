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
//       "send_node": "a/b/send_G0", "recv_node": "a/b/recv_G1"}]}
//
//   TENSOR  "dtype": "float", "shape": [2, -1] (null: unknown rank),
//           "bytes": 24 (null: unknown)
//   TOTALS  "num_nodes", "output_bytes", "unknown_outputs", "variable_bytes"
#ifndef LEAT_TOOLS_DUMP_JSON_H_
#define LEAT_TOOLS_DUMP_JSON_H_

#include <string>

#include "leat/tools/dump.h"

namespace leat {

std::string DumpToJson(const Dump& dump);

}  // namespace leat

#endif  // LEAT_TOOLS_DUMP_JSON_H_
