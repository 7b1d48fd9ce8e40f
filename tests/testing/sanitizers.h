// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// kHasSanitizer says whether this program was built with the address or the
// thread sanitizer. A program with a sanitizer takes far more time, memory and
// descriptors.
#ifndef LEAT_TESTS_TESTING_SANITIZERS_H_
#define LEAT_TESTS_TESTING_SANITIZERS_H_

namespace leat::testing {

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define LEAT_HAS_SANITIZER
#endif
#endif

#if defined(LEAT_HAS_SANITIZER)
inline constexpr bool kHasSanitizer = true;
#else
inline constexpr bool kHasSanitizer = false;
#endif

}  // namespace leat::testing

#endif  // LEAT_TESTS_TESTING_SANITIZERS_H_
