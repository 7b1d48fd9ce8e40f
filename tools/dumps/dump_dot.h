// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// DumpToDot writes a Dump in Graphviz's DOT language. Each partition is drawn
// as a cluster of nodes. If the graph is not partitioned, each device is drawn
// as a cluster instead. Transfers are bold edges from _Send to _Recv, labelled
// with dtype, shape and bytes. Control edges are dashed.
#ifndef LEAT_TOOLS_DUMPS_DUMP_DOT_H_
#define LEAT_TOOLS_DUMPS_DUMP_DOT_H_

#include <string>

#include "leat/tools/dumps/dump.h"

namespace leat {

// Returns the text of a DOT file. Render it with `dot -Tsvg`.
std::string DumpToDot(const Dump& dump);

}  // namespace leat

#endif  // LEAT_TOOLS_DUMPS_DUMP_DOT_H_
