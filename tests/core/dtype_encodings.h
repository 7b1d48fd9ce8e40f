// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// This table holds TensorFlow's dtypes and the encodings of two values of each
// dtype. make_dtype_encodings.py wrote it with TensorFlow 2.15.1.
#ifndef LEAT_TESTS_CORE_DTYPE_ENCODINGS_H_
#define LEAT_TESTS_CORE_DTYPE_ENCODINGS_H_

namespace leat {

struct DTypeEncoding {
  int number;
  const char* name;         // in messages of TensorFlow's C++
  const char* python_name;  // tf.DType.name
  // These are a TensorProto of two elements, and the bytes of the elements.
  // Both are empty if the elements are objects.
  const char* message_hex;
  const char* bytes_hex;
};

// clang-format off
inline constexpr DTypeEncoding kDTypeEncodings[] = {
    {1, "float", "float32",
     "080112041202080222080000c03f000000c0",
     "0000c03f000000c0"},
    {2, "double", "float64",
     "08021204120208022210000000000000f83f00000000000000c0",
     "000000000000f83f00000000000000c0"},
    {3, "int32", "int32",
     "08031204120208022208f8ffffff07000000",
     "f8ffffff07000000"},
    {4, "uint8", "uint8",
     "080412041202080222020f08",
     "0f08"},
    {5, "int16", "int16",
     "08051204120208022204f8ff0700",
     "f8ff0700"},
    {6, "int8", "int8",
     "08061204120208022202f807",
     "f807"},
    {7, "string", "string",
     "",
     ""},
    {8, "complex64", "complex64",
     "08081204120208024a100000c03f000000c000000080000000bf",
     "0000c03f000000c000000080000000bf"},
    {9, "int64", "int64",
     "08091204120208022210f8ffffffffffffff0700000000000000",
     "f8ffffffffffffff0700000000000000"},
    {10, "bool", "bool",
     "080a1204120208025a020100",
     "0100"},
    {11, "qint8", "qint8",
     "080b1204120208022202f807",
     "f807"},
    {12, "quint8", "quint8",
     "080c12041202080222020f08",
     "0f08"},
    {13, "qint32", "qint32",
     "080d1204120208022208f8ffffff07000000",
     "f8ffffff07000000"},
    {14, "bfloat16", "bfloat16",
     "080e1204120208022204c03f00c0",
     "c03f00c0"},
    {15, "qint16", "qint16",
     "080f1204120208022204f8ff0700",
     "f8ff0700"},
    {16, "quint16", "quint16",
     "081012041202080222040f000800",
     "0f000800"},
    {17, "uint16", "uint16",
     "08111204120208023a020f08",
     "0f000800"},
    {18, "complex128", "complex128",
     "08121204120208026220000000000000f83f00000000000000c0000000000000008000"
     "0000000000e0bf",
     "000000000000f83f00000000000000c00000000000000080000000000000e0bf"},
    {19, "half", "float16",
     "08131204120208022204003e00c0",
     "003e00c0"},
    {20, "resource", "resource",
     "",
     ""},
    {21, "variant", "variant",
     "",
     ""},
    {22, "uint32", "uint32",
     "081612041202080222080f00000008000000",
     "0f00000008000000"},
    {23, "uint64", "uint64",
     "081712041202080222100f000000000000000800000000000000",
     "0f000000000000000800000000000000"},
    {24, "float8_e5m2", "float8_e5m2",
     "081812041202080222023ec0",
     "3ec0"},
    {25, "float8_e4m3fn", "float8_e4m3fn",
     "081912041202080222023cc0",
     "3cc0"},
    {29, "int4", "int4",
     "081d1204120208023a0bf8ffffffffffffffff0107",
     "f807"},
    {30, "uint4", "uint4",
     "081e1204120208023a020f08",
     "0f08"},
};
// clang-format on

}  // namespace leat

#endif  // LEAT_TESTS_CORE_DTYPE_ENCODINGS_H_
