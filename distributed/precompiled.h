// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// The precompiled header of distributed/: what most of its files include. Each
// file still includes everything that it uses.
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
