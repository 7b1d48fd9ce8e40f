// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// What most files of distributed/ include, compiled once. A file includes what
// it uses all the same.
#ifndef LEAT_DISTRIBUTED_PRECOMPILED_H_
#define LEAT_DISTRIBUTED_PRECOMPILED_H_

#include <chrono>
#include <functional>
#include <map>

#include "leat/graph/precompiled.h"
#include "leat/protos/leat_worker.pb.h"
#include "leat/protos/master.pb.h"
#include "leat/protos/worker.pb.h"
#include "leat/runtime/graph_runner.h"

#endif  // LEAT_DISTRIBUTED_PRECOMPILED_H_
