// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These constants hold tensors of variants as TensorFlow encodes them.
// make_variant_encodings.py wrote them with TensorFlow 2.15.1.
#ifndef LEAT_TESTS_CORE_VARIANT_ENCODINGS_H_
#define LEAT_TESTS_CORE_VARIANT_ENCODINGS_H_

namespace leat {

// The list has 3 elements of float[?,2]. Only the second, [[1,2]], is written.
inline constexpr char kAListHex[] =
    "081512002252510a1674656e736f72666c6f773a3a54656e736f724c697374121f020002"
    "01ffffffffffffffffff01120b08ffffffffffffffffff01120208021a16080112081202"
    "0801120208022a080000803f00000040";

// The list may have at most 5 strings of unknown shape. It has one, "a".
inline constexpr char kBoundedListHex[] =
    "081512002229280a1674656e736f72666c6f773a3a54656e736f724c6973741205000705"
    "18011a0708071200420161";

// The list holds variants of unknown shape. It has one: the list of kAListHex.
inline constexpr char kListOfListsHex[] =
    "0815120022830181010a1674656e736f72666c6f773a3a54656e736f724c697374120e00"
    "15ffffffffffffffffff0118011a57081512007a510a1674656e736f72666c6f773a3a54"
    "656e736f724c697374121f02000201ffffffffffffffffff01120b08ffffffffffffffff"
    "ff01120208021a160801120812020801120208022a080000803f00000040";

// The optional holds the float 1 and the int32 vector [2,3].
inline constexpr char kSomeHex[] =
    "08151200223a390a1a74656e736f72666c6f773a3a646174613a3a4f7074696f6e616c12"
    "01011a0a080112002a040000803f1a0c08031204120208023a020203";

// The optional has no value.
inline constexpr char kNoneHex[] =
    "0815120022201f0a1a74656e736f72666c6f773a3a646174613a3a4f7074696f6e616c12"
    "0100";

// The vector holds the lists of kAListHex and kBoundedListHex.
inline constexpr char kTwoListsHex[] =
    "0815120412020802227b51280a1674656e736f72666c6f773a3a54656e736f724c697374"
    "121f02000201ffffffffffffffffff01120b08ffffffffffffffffff01120208021a1608"
    "01120812020801120208022a080000803f000000400a1674656e736f72666c6f773a3a54"
    "656e736f724c697374120500070518011a0708071200420161";

}  // namespace leat

#endif  // LEAT_TESTS_CORE_VARIANT_ENCODINGS_H_
