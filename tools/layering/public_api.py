# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Reads leat.h, the list of public headers, and what these headers say."""

import dataclasses
import re

LIST = "leat.h"
GENERATED = "graph/ops.h"

INCLUDE = re.compile(r'#include "leat/([^"]+)"')
TYPE = re.compile(r"(?:class|struct|enum class)\s+(?:\[\[\w+\]\]\s+)?"
                  r"(?:ABSL_\w+\s+)?(\w+)(?!\w)[^;]*$")
ALIAS = re.compile(r"using (\w+) =")
MACRO = re.compile(r"#define (LEAT_[A-Z_]+[A-Z])\(")
FUNCTION = re.compile(r"[A-Za-z][\w:<>,*& ]*?[\s*&](\w+)\((?!\))|"
                      r"[A-Za-z][\w:<>,*& ]*?[\s*&](\w+)\(\)|(\w+)\(")


@dataclasses.dataclass(frozen=True)
class Header:
  """Describes a public header. `purpose` is the first sentence of the header's
  comment, and `example` holds the lines of code in that comment. `names` holds
  the types and functions that the header declares."""
  path: str
  purpose: str
  example: tuple
  names: tuple


def groups(root):
  """Returns (title, paths) of each group of headers in leat.h."""
  found = []
  for line in (root / LIST).read_text(encoding="utf-8").splitlines():
    if match := INCLUDE.match(line):
      found[-1][1].append(match.group(1))
    elif line.startswith("// ") and "IWYU" not in line:
      found.append((line[3:], []))
  return [group for group in found if group[1]]


def reach(root):
  """Returns the paths of the headers that are installed: leat.h, and all
  headers that it includes, directly or not. Leaves out the headers that the
  build generates."""
  found, pending = set(), [LIST]
  while pending:
    path = pending.pop()
    if path in found or not (root / path).is_file():
      continue
    found.add(path)
    pending += INCLUDE.findall((root / path).read_text(encoding="utf-8"))
  return found


def read(root, path):
  """Returns the description of a header."""
  text = (root / path).read_text(encoding="utf-8")
  comment = opening_comment(text)
  return Header(path, purpose(comment), example(comment), names(text))


def opening_comment(text):
  """Returns the lines of the comment at the top, without the licence and the
  slashes."""
  lines = []
  for line in text.splitlines()[1:]:
    if not line.startswith("//"):
      break
    lines.append(line[2:])
  return lines


def purpose(comment):
  """Returns the first sentence."""
  text = " ".join(line.strip() for line in comment).strip()
  match = re.match(r".*?(?<![ (][A-Z])\.(?= |$)", text)
  return match.group(0) if match else text


def example(comment):
  """Returns the lines that are indented by two more columns, dedented. The
  items of a list are not code."""
  code, in_item = [], False
  for line in comment:
    in_item = line.startswith(" - ") or (in_item and line.startswith("   "))
    if line.startswith("   ") and not in_item:
      code.append(line[3:])
  return tuple(code)


def names(text):
  """Returns the types, functions and macros of the header, without what is in a
  namespace `internal`, in the order of their declaration."""
  found, prefix, hidden = [], "", False
  for line in text.splitlines():
    if match := re.match(r"namespace leat(?:::(\w+))? {", line):
      prefix = f"{match.group(1)}::" if match.group(1) else ""
    elif re.match(r"namespace \w+ {", line):
      hidden = True
    elif line.startswith("}  // namespace"):
      hidden = False
    elif not hidden and (name := declared(line)):
      found.append(name if name.isupper() else prefix + name)
  return tuple(dict.fromkeys(found))


def declared(line):
  """Returns the name that the line declares at the top level, or None."""
  if not re.match(r"[A-Za-z#]", line) or line.startswith(("friend", "return")):
    return None
  for pattern in (TYPE, ALIAS, MACRO):
    if match := pattern.match(line):
      return match.group(1)
  if line.startswith(("#", "namespace", "template", "requires", "extern")):
    return None
  match = FUNCTION.match(line)
  if match is None or "operator" in line or "internal::" in line:
    return None
  return next(name for name in match.groups() if name)
