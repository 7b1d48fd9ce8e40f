// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// A folder of costs has one file for each kind of device. The file has the text
// of a pb::DeviceCosts (leat/protos/leat_costs.proto), and its name is made
// from the kind.
//
//   CostTable table;
//   LEAT_RETURN_IF_ERROR(ReadCosts("costs", table));
//   LEAT_RETURN_IF_ERROR(WriteCosts("costs", kind, table.Copy(kind)));
//
// All functions are thread-safe.
#ifndef LEAT_PARTITIONER_COSTS_COST_FILE_H_
#define LEAT_PARTITIONER_COSTS_COST_FILE_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/partitioner/costs/cost_table.h"

namespace leat {

// Limits the size of a cost file, in bytes.
inline constexpr int64_t kMaxCostFile = int64_t{80} << 20;
// Limits the length of the name of a kind of device.
inline constexpr size_t kMaxDeviceKind = 120;

// Returns the name of the cost file of a kind, such as
// "CPU_Xeon_2.20GHz_2_threads.costs.pbtxt".
std::string CostFileName(absl::string_view device_kind);

// Parses the text of the file `path`, which must have the costs of
// `device_kind`. Returns INVALID_ARGUMENT, naming the file, if the text is
// incomplete or malformed, if its version or its kind is another one, or if a
// number or a name is outside of the limits of DeviceCosts.
absl::StatusOr<DeviceCosts> ParseCosts(const std::string& path,
                                       const std::string& text,
                                       absl::string_view device_kind);
// Returns the text that ParseCosts parses.
std::string CostsText(absl::string_view device_kind, const DeviceCosts& costs);

// Reads all cost files of a folder into `table`. A file must have the kind from
// which its name is made. Fails as ParseCosts does. Also returns
// INVALID_ARGUMENT for a file that is a link, a folder or too large, and for
// too many files. Returns NOT_FOUND if there is no such folder.
absl::Status ReadCosts(const std::string& folder, CostTable& table);

// Replaces the file of a kind in the folder with `costs` and with what only the
// old file has. Other programs see the old file or the new one. Fails as
// ReadCosts does if there is a file that cannot be read, and leaves the file as
// it is.
absl::Status WriteCosts(const std::string& folder,
                        absl::string_view device_kind, DeviceCosts costs);

}  // namespace leat

#endif  // LEAT_PARTITIONER_COSTS_COST_FILE_H_
