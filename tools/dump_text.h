// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// A Dump for people: aligned columns, large graphs folded by name scope.
#ifndef LEAT_TOOLS_DUMP_TEXT_H_
#define LEAT_TOOLS_DUMP_TEXT_H_

#include <string>
#include <vector>

#include "leat/tools/dump.h"

namespace leat {

struct DumpTextOptions {
  bool color = false;
  // Nodes and transfers beyond so many lines each are folded.
  int max_lines = 60;
  int width = 0;                         // lines are cut there; 0: nowhere
  std::vector<std::string> expand = {};  // scopes to show in full; "/": all
};

// The counts per device, the transfers between them, then every partition's
// nodes: name, Op[attrs], outputs ("float [2,?]"), device, inputs. Attrs that
// the types and shapes tell are left out.
std::string DumpToText(const Dump& dump, const DumpTextOptions& options = {});

}  // namespace leat

#endif  // LEAT_TOOLS_DUMP_TEXT_H_
