// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// What most tools include, compiled once. A file includes what it uses all the
// same.
#ifndef LEAT_TOOLS_PRECOMPILED_H_
#define LEAT_TOOLS_PRECOMPILED_H_

#include "CLI/App.hpp"
#include "CLI/Config.hpp"
#include "CLI/Formatter.hpp"
#include "leat/graph/precompiled.h"
#include "nlohmann/json.hpp"

#endif  // LEAT_TOOLS_PRECOMPILED_H_
