// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Is the precompiled header of most libraries and programs. It includes the
// headers that most files include, which saves about a second for each file. No
// file may rely on this header. Each file includes what it uses, and the preset
// `debug` builds without precompiled headers.
//
// graph/CMakeLists.txt compiles this header for leat_ops. For leat_graph, it
// compiles this header together with the generated ops.h. Other targets use one
// of these two precompiled headers, or include this header in a precompiled
// header of their own.
#ifndef LEAT_GRAPH_PRECOMPILED_H_
#define LEAT_GRAPH_PRECOMPILED_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "leat/core/dtype_list.h"
#include "leat/core/tensor.h"
#include "leat/graph/graph.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"

#endif  // LEAT_GRAPH_PRECOMPILED_H_
