// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These strings travel between processes. TensorFlow defines them, so they must
// not change.
#ifndef LEAT_CORE_WIRE_NAMES_H_
#define LEAT_CORE_WIRE_NAMES_H_

namespace leat {

// Is the payload key of a status that follows from another error
// (status_payloads.h).
inline constexpr char kDerivedStatusPayload[] =
    "type.googleapis.com/tensorflow.DerivedStatus";

// Is the payload key of an error that names a session or a device that may have
// belonged to an earlier process of the task (status_payloads.h).
inline constexpr char kWorkerPossiblyRestartedPayload[] =
    "type.googleapis.com/"
    "tensorflow.distributed_runtime.WorkerPossiblyRestarted";

// Is the prefix of the names of nodes in control loops
// (partitioner/control_loops.h).
inline constexpr char kControlLoopPrefix[] = "_cloop";

// These are the type names of variants (variant.h).
inline constexpr char kTensorListTypeName[] = "tensorflow::TensorList";
inline constexpr char kOptionalTypeName[] = "tensorflow::data::Optional";

}  // namespace leat

#endif  // LEAT_CORE_WIRE_NAMES_H_
