// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// DumpToText writes a Dump for people, in aligned columns. Large graphs are
// folded by name scope.
#ifndef LEAT_TOOLS_DUMPS_DUMP_TEXT_H_
#define LEAT_TOOLS_DUMPS_DUMP_TEXT_H_

#include <string>
#include <vector>

#include "leat/tools/dumps/dump.h"

namespace leat {

// Says how the text looks.
struct DumpTextOptions {
  bool color = false;
  // The nodes of a partition, and the transfers, are folded (fold.h) if they
  // take more lines than this.
  int max_lines = 60;
  int width = 0;  // lines are cut at this width; 0 stands for no limit
  std::vector<std::string> expand = {};  // scopes to show in full; "/" for all
};

// Returns the counts per device, the transfers between devices, the copies
// between memory of the host and of a GPU, the simulated step if there is one,
// and the nodes of every partition: name, Op[attrs], outputs ("float [2,?]"),
// device and inputs. Attrs that only repeat types and shapes are left out.
std::string DumpToText(const Dump& dump, const DumpTextOptions& options = {});

}  // namespace leat

#endif  // LEAT_TOOLS_DUMPS_DUMP_TEXT_H_
