// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// A Dump as Graphviz's DOT: a cluster for each partition, or for each device of
// a graph that is whole; transfers are bold edges from _Send to _Recv with
// dtype, shape and bytes; control edges are dashed.
#ifndef LEAT_TOOLS_DUMP_DOT_H_
#define LEAT_TOOLS_DUMP_DOT_H_

#include <string>

#include "leat/tools/dump.h"

namespace leat {

std::string DumpToDot(const Dump& dump);

}  // namespace leat

#endif  // LEAT_TOOLS_DUMP_DOT_H_
