// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// MemoryGroup is a control group that limits the memory of the programs that a
// test starts in it, as a container does.
//
//   MemoryGroup group(400'000'000);
//   if (!group.is_made()) GTEST_SKIP() << "control groups cannot be made here";
//   Process server("/bin/sh", group.Enter(LEAT_PROGRAM_LEAT, ServeAlone()));
#ifndef LEAT_TESTS_CLUSTER_MEMORY_GROUP_H_
#define LEAT_TESTS_CLUSTER_MEMORY_GROUP_H_

#include <cstdint>
#include <string>
#include <vector>

namespace leat::testing {

// A MemoryGroup is used by one thread. The programs that have entered the group
// must have ended before the MemoryGroup is destroyed.
class MemoryGroup {
 public:
  // Makes a control group (of version 1 or 2) inside the group of this process.
  // Makes no group if the user may not make groups. Outside containers, users
  // usually may not.
  explicit MemoryGroup(int64_t limit_bytes);
  ~MemoryGroup();
  MemoryGroup(const MemoryGroup&) = delete;
  MemoryGroup& operator=(const MemoryGroup&) = delete;

  bool is_made() const { return !folder_.empty(); }

  // Returns arguments for /bin/sh. With these arguments, the shell enters the
  // group and then becomes `program` with the arguments `args`. REQUIRES:
  // is_made().
  std::vector<std::string> Enter(const std::string& program,
                                 const std::vector<std::string>& args) const;

 private:
  // Makes the group in the folder `parent`, and writes the limit to the group's
  // file `limit_file`. Returns whether this succeeded.
  bool Make(const std::string& parent, const char* limit_file,
            int64_t limit_bytes);

  std::string folder_;  // "" if there is no group
};

}  // namespace leat::testing

#endif  // LEAT_TESTS_CLUSTER_MEMORY_GROUP_H_
