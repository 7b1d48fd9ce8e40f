# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Reads docs/rooms.md, the table of rooms, and makes the README's map from
it."""

import dataclasses
import re

TABLE = "docs/rooms.md"
MAP_BEGINS = "<!-- made from docs/rooms.md by tools/check_layering -->\n"
MAP_ENDS = "<!-- end of the map -->\n"

ROW = re.compile(r"^\| (`.*?`) \| ?(.*?) ?\| (.*?) \| (.*) \|$")
NAME = re.compile(r"`([^`]+?)/?`")


@dataclasses.dataclass(frozen=True)
class Room:
  """Describes a row of the table. `stands_on` has folders of the root."""
  name: str
  place: int  # the number of the row, counted from the top
  stands_on: tuple
  headers: str  # "public", "internal", "plug-ins"
  what: str
  includes_all: bool  # it may include all rooms, and no room includes it

  def folder(self):
    """Returns the folder of the root that the room is in."""
    return self.name.split("/")[0]


class Rooms:
  """Holds the rooms of a table, by name."""

  def __init__(self, text):
    self.rows = [match.groups() for line in text.splitlines()
                 if (match := ROW.match(line))]
    self.by_name = {}
    cells = {}  # by folder, the last cell of "stands on" that is not empty
    for place, (names, stands_on, headers, what) in enumerate(self.rows):
      for name in NAME.findall(names):
        cell = stands_on or cells.get(name.split("/")[0], "")
        cells[name.split("/")[0]] = cell
        if headers != "–":
          self.by_name[name] = Room(name, place, tuple(NAME.findall(cell)),
                                    headers, what, cell == "everything")

  def of(self, path):
    """Returns the room of a file, or None. Tests that mirror a room are in the
    room `tests`, unless their folder has a row."""
    folder = path.rpartition("/")[0]
    if folder in self.by_name:
      return self.by_name[folder]
    if folder.startswith("tests/") and folder[len("tests/"):] in self.by_name:
      return self.by_name["tests"]
    return None

  def may_include(self, here, there):
    """Returns True if `there` is below `here`, or if both are the same room."""
    if here.includes_all or here == there:
      return True
    if here.folder() == there.folder():
      return there.place < here.place
    return there.folder() in self.below(*here.stands_on)

  def below(self, *folders):
    """Returns `folders` and all folders on which they stand, directly or
    not."""
    found, pending = set(), list(folders)
    while pending:
      folder = pending.pop()
      if folder not in found:
        found.add(folder)
        pending += [below for room in self.by_name.values()
                    if room.folder() == folder for below in room.stands_on]
    return found

  def map(self):
    """Returns the README's map, which says what each room contains."""
    lines = ["| room | what lives there |", "|---|---|"]
    lines += [f"| {names} | {what} |" for names, _, _, what in self.rows]
    return "\n".join(lines) + "\n"


def read(root):
  return Rooms((root / TABLE).read_text(encoding="utf-8"))


def divide(readme):
  """Returns the README's text before its map, the map, and the text behind.
  The map is None if the README has no place for one."""
  before, begins, rest = readme.partition(MAP_BEGINS)
  written, ends, behind = rest.partition(MAP_ENDS)
  if not begins or not ends:
    return readme, None, ""
  return before + begins, written, ends + behind
