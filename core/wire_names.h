// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Strings of TensorFlow's that travel between processes.
#ifndef LEAT_CORE_WIRE_NAMES_H_
#define LEAT_CORE_WIRE_NAMES_H_

namespace leat {

// Payload key of a status that is the effect of another error.
inline constexpr char kDerivedStatusPayload[] =
    "type.googleapis.com/tensorflow.DerivedStatus";

// Payload key of an error of a session or a device that another process of the
// same task had.
inline constexpr char kWorkerPossiblyRestartedPayload[] =
    "type.googleapis.com/"
    "tensorflow.distributed_runtime.WorkerPossiblyRestarted";

// Begins the names of control loops (partitioner/control_loops.h).
inline constexpr char kControlLoopPrefix[] = "_cloop";

// Types of variants.
inline constexpr char kTensorListTypeName[] = "tensorflow::TensorList";
inline constexpr char kOptionalTypeName[] = "tensorflow::data::Optional";

}  // namespace leat

#endif  // LEAT_CORE_WIRE_NAMES_H_
