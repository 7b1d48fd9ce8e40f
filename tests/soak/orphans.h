// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// KillChildrenAtCrash makes the processes of the cluster end when this process
// crashes.
#ifndef LEAT_TESTS_SOAK_ORPHANS_H_
#define LEAT_TESTS_SOAK_ORPHANS_H_

namespace leat::soak {

// After this call, if this process aborts, crashes or gets SIGQUIT, the
// processes that its main thread has started are killed first.
void KillChildrenAtCrash();

}  // namespace leat::soak

#endif  // LEAT_TESTS_SOAK_ORPHANS_H_
