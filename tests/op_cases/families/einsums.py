# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Sums of products over axes with labels.

TensorFlow's kernel ends the process, or computes something, for some equations that its
shape function refuses. Such equations are among the shape cases."""

import numpy as np

from make_cases import Ramp
from families.moving import f
from families.products import small

KINDS = ("half", "bfloat16", "float", "double", "int32", "int64", "complex64", "complex128")
# Each row holds an equation and the shapes of the inputs.
EQUATIONS = [
    ("->", []), ("i->i", [4]), ("i->", [4]), ("ij->", [2, 3]), ("ij->ji", [2, 3]),
    ("ij->i", [2, 3]), ("ij->j", [2, 3]), ("ijk->ki", [2, 3, 4]), ("ijk->j", [2, 3, 4]),
    ("ii->i", [3, 3]), ("ii->", [3, 3]), ("i->ii", [3]), ("ij->jj", [2, 3]),
    ("iij->jii", [2, 2, 3]), ("ijij->ij", [2, 3, 2, 3]), ("aabbcd->ca", [2, 2, 3, 3, 2, 4]),
    ("...->...", [2, 3]), ("...ij->...ji", [2, 2, 3]), ("...i->i...", [2, 2, 3]),
    ("i...->...", [2, 2, 3]), ("...ii->...i", [2, 3, 3]), ("...ii->...", [2, 3, 3]),
    ("ij->...ij", [2, 3]), ("i->...", [3]), ("i1->1", [2, 3]), ("ij->ji", [1, 4]),
    ("ii->i", [1, 1]),
    (",->", [], []), ("i,->i", [2], []), ("i,i->", [3], [3]), ("i,i->i", [3], [3]),
    ("i,j->ij", [3], [2]), ("i,j->ji", [3], [2]), ("i,j->", [3], [2]), ("i,j->iij", [2], [3]),
    ("ij,jk->ik", [2, 3], [3, 4]), ("ij,jk->ki", [2, 3], [3, 4]), ("ij,kj->ik", [2, 3], [4, 3]),
    ("ji,jk->ik", [3, 2], [3, 4]), ("ij,jk->", [2, 3], [3, 4]), ("iJ,Jk->ik", [2, 3], [3, 4]),
    ("ij,jk->k", [2, 3], [3, 4]), ("ij,ij->", [2, 3], [2, 3]), ("ij,ji->ij", [2, 3], [3, 2]),
    ("ab,cd->acbd", [2, 3], [3, 2]), ("ab,cd->bd", [2, 3], [3, 2]),
    ("abc,abd->abcd", [2, 3, 2], [2, 3, 1]), ("abc,cbd->ad", [2, 3, 4], [4, 3, 2]),
    ("abc,cd->ad", [2, 3, 4], [4, 5]), ("aa,a->a", [3, 3], [3]), ("a,a->aa", [3], [3]),
    ("abab,b->a", [2, 3, 2, 3], [3]), ("bfnh,btnh->bnft", [2, 3, 2, 4], [2, 5, 2, 4]),
    ("bnft,btnh->bfnh", [2, 2, 3, 5], [2, 5, 2, 4]), ("abc,bca->", [2, 3, 4], [3, 4, 2]),
    ("...ij,...jk->...ik", [2, 1, 2, 3], [3, 3, 2]), ("...ij,jk->...ik", [2, 2, 3], [3, 4]),
    ("ij,...jk->...ik", [2, 3], [2, 3, 4]), ("ij...,jk->ik...", [2, 3, 4], [3, 2]),
    ("ij,jk...->ik...", [2, 3], [3, 2, 4, 1]), ("...,...->...", [2, 1], [1, 3]),
    ("...i,...i->...", [2, 1, 3], [1, 3, 3]), ("ab...,b...->a...", [2, 3, 1], [3, 4]),
    ("...ij,...jk->ik", [2, 3], [3, 2]), ("ij,jk->...ik", [2, 3], [3, 2]),
    ("ij,jk->ik", [0, 3], [3, 2]), ("ij,jk->ik", [2, 0], [0, 2]), ("i,i->", [0], [0]),
    ("i->", [0]), ("ii->i", [0, 0]), ("i->ii", [0]), ("ij->j", [0, 3]),
    ("...i,...i->...", [2, 0, 3], [3]),
]
MISTAKES = [
    ("ij", [[2, 3]], "Expecting exactly one '->' in einsum equation: ij"),
    ("", [[]], "Expecting exactly one '->' in einsum equation: "),
    ("i->j->k", [[3]], "Expecting exactly one '->' in einsum equation: i->j->k"),
    ("ij,jk,kl->il", [[2, 3], [3, 2], [2, 2]],
     "Expecting 1 or 2 input subscripts in equation 'ij,jk,kl->il' but got: 3"),
    ("ij->ji", [[2, 3], [2, 3]], "Expected 1 inputs but got: 2"),
    ("ij,jk->ik", [[2, 3]], "Expected 2 inputs but got: 1"),
    ("ijk->ij", [[2, 3]], "Expected input 0 to have rank 3 but got: 2"),
    ("i,i->i", [[2], [2, 3]], "Expected input 1 to have rank 1 but got: 2"),
    ("...ijk->ij...", [[2, 3]], "Expected input 0 to have rank at least 3 but got: 2"),
    ("ij, jk->ik", [[2, 3], [3, 2]], "Expected input 1 to have rank 3 but got: 2"),
    ("->", [[2]], "Expected input 0 to have rank 0 but got: 1"),
    ("i.j->ij", [[2, 3]], ""), (".i->i", [[3]], ""),
    ("ii->i", [[2, 3]], "Expected dimension 2 at axis 1 of the input shaped [2,3] but got dimension 3"),
    ("ij,jk->ik", [[2, 3], [2, 2]],
     "Expected dimension 3 at axis 0 of the input shaped [2,2] but got dimension 2"),
    ("ij,jk->ik", [[2, 1], [3, 2]],
     "Expected dimension 1 at axis 0 of the input shaped [3,2] but got dimension 3"),
    ("i...,i...->i...", [[2, 3], [2, 4]], ""),
    ("...ij->ij", [[2, 2, 3]], "Output contains 1 broadcasting dimension(s) but no ellipsis "
     "(...) was found in the output subscripts."),
    ("...ij,...jk->ik", [[1, 2, 3], [1, 3, 2]], "Output contains 1 broadcasting dimension(s)"),
]


def cases(case):
    for equation, *shapes in EQUATIONS:
        for kind in KINDS if "d" in equation or equation in ("ij,jk->ik", "ii->") else KINDS[2:3]:
            # Sums are computed in float, but in half in TensorFlow.
            case("Einsum", f"{equation} {shapes} {kind}",
                 [small(kind, *shape) for shape in shapes], equation=equation)
    for equation, shapes, text in MISTAKES:
        case("Einsum", f"{equation} {shapes}", [f(*shape) for shape in shapes],
             equation=equation, text=text)
    special = np.array([[np.nan, 1, 0], [np.inf, -np.inf, 2]], np.float32)
    for equation in ("ij->i", "ij->j", "ij->ji"):
        case("Einsum", f"{equation} special", [special], equation=equation)
    x, y = Ramp(np.float32, [3, 40, 50], modulus=7), Ramp(np.float32, [3, 50, 60], modulus=5)
    case("Einsum", "large product", [x, y], equation="bij,bjk->bik")
    case("Einsum", "large product of other order", [x, y], equation="bij,bjk->kbi")
    case("Einsum", "large sum", [x], equation="bij->j")
    case("Einsum", "large sum of products", [x, x], equation="bij,bij->bj")
