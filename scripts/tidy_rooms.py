# SPDX-License-Identifier: Apache-2.0
"""The rules for folders and file names: which rooms there are, and who may include whom.

A room is a folder of preload/ or analyzer/. The table of rooms in the README of the program is the
only place that lists them, and each row names the rooms that this room may include. check() reads
these tables and compares them with the files, their includes and the CMake targets. It takes the
texts of all tracked files by path and yields findings: (path, line, text).
"""

import pathlib
import re

from tidy_rules import (FOLDERS_OF_ROOMS, ONE_FOR_EACH_ROW, PROGRAMS, ROOM_FILES_MAX,
                        ROOMS_WITHOUT_TARGET)

TABLE_HEAD = "| room | what it is | may include |"
BESIDE_ROOMS = ("CMakeLists.txt", "README.md")


def check(texts):
    for program in PROGRAMS:
        readme = pathlib.PurePath(program, "README.md")
        rooms, findings = read_table(readme, texts.get(readme, ""))
        yield from findings
        if findings:  # Every other finding would follow from these.
            continue
        yield from check_files(program, rooms, texts)
        yield from check_includes(program, rooms, texts)
        yield from check_targets(program, rooms, texts)
        yield from check_unit_tests(program, rooms, texts)
    yield from check_names(texts)


def read_table(readme, text):
    """Returns room -> the rooms that it may include, in the order of the table, and findings."""
    rooms, findings, in_table = {}, [], False
    for number, line in enumerate(text.splitlines(), start=1):
        if line == TABLE_HEAD:
            in_table = True
        elif in_table and not line.startswith("|"):
            break
        elif in_table and not set(line) <= set("|- "):
            row = re.fullmatch(r"\| `(\w+)` \|[^|]*\|((?: `\w+`)*| all above) \|", line)
            if row is None:
                findings.append((readme, number, "not a row of the table of rooms; write "
                                 "| `room` | what it is | `other` `rooms` |"))
                continue
            above, allowed = list(rooms), re.findall(r"`(\w+)`", row[2])
            rooms[row[1]] = set(above if row[2] == " all above" else allowed)
            findings += [(readme, number, f"room {row[1]} may include {other}, which is not above "
                          "it in the table") for other in allowed if other not in above]
    if not rooms:
        findings.append((readme, 1, f"has no table of rooms; its head is {TABLE_HEAD}"))
    return rooms, findings


def check_files(program, rooms, texts):
    """Each file is in a room, a room is not too large, and a stem occurs in one room only."""
    files, room_of = {room: [] for room in rooms}, {}
    for path in sorted(texts):
        if path.parts[0] != program or str(path.relative_to(program)) in BESIDE_ROOMS:
            continue
        if any(path.is_relative_to(folder) for folder in FOLDERS_OF_ROOMS):
            continue
        if len(path.parts) != 3 or path.parts[1] not in rooms:
            yield path, 1, f"is in no room of {program}/README.md; move it into one"
            continue
        if not any(path.match(pattern) for pattern in ONE_FOR_EACH_ROW):
            files[path.parts[1]].append(path)
        other = room_of.setdefault(path.stem, path)
        if other.parent != path.parent:
            yield path, 1, f"{other} has this name too; a name occurs once in a program"
    for room, paths in files.items():
        if not paths:
            yield f"{program}/README.md", 1, f"room {room} has no files; remove its row"
        if len(paths) > ROOM_FILES_MAX:
            yield (f"{program}/{room}", 1, f"{len(paths)} files, where a header and its source are "
                   f"two; make two rooms, of at most {ROOM_FILES_MAX} files each")


def check_includes(program, rooms, texts):
    """Includes follow the table, and no file includes itself in a circle."""
    uses = {}  # file without suffix -> the files of this program that it includes, without suffix
    for path, text in texts.items():
        if path.parts[0] != program or len(path.parts) != 3 or path.parts[1] not in rooms:
            continue
        room, own = path.parts[1], str(path.with_suffix(""))
        for match in re.finditer(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', text, flags=re.M):
            line = text.count("\n", 0, match.start()) + 1
            other = pathlib.PurePath(match[1])
            if len(other.parts) == 1 or other.parts[0].startswith("."):
                yield path, line, f'"{other}": write includes from the root of the repository'
            if other.parts[0] != program or len(other.parts) != 3:
                continue
            if other.parts[1] != room and other.parts[1] not in rooms[room]:
                yield (path, line, f"room {room} may not include room {other.parts[1]}; see the "
                       f"table of {program}/README.md")
            if str(other.with_suffix("")) != own:
                uses.setdefault(own, set()).add(str(other.with_suffix("")))
    for circle in circles(uses):
        header = pathlib.PurePath(f"{circle[0]}.h")
        yield (header if header in texts else circle[0], 1,
               "includes itself in a circle: " + " -> ".join(circle))


def circles(uses):
    """Returns one path for each circle that a walk over `uses` closes."""
    done, found = set(), []

    def visit(node, path):
        if node in path:
            found.append(path[path.index(node):] + [node])
        elif node not in done:
            for other in sorted(uses.get(node, ())):
                visit(other, path + [node])
            done.add(node)

    for node in sorted(uses):
        visit(node, [])
    return found


def check_targets(program, rooms, texts):
    """memtrace_room(PROGRAM ROOM USES ...) in CMakeLists.txt repeats the table, row for row."""
    path = pathlib.PurePath(program, "CMakeLists.txt")
    text = re.sub(r"#.*", "", texts.get(path, ""))
    targets = {}
    for match in re.finditer(rf"\bmemtrace_room\(\s*{program}\s+(\w+)\s*([^)]*)\)", text):
        room, line = match[1], text.count("\n", 0, match.start()) + 1
        targets[room] = set(re.findall(r"\w+", match[2])) - {"USES"}
        if room not in rooms:
            yield path, line, f"room {room} is not in {program}/README.md"
            continue
        for other in sorted(targets[room] ^ rooms[room]):
            yield (path, line, f"room {room} USES {other}, which {program}/README.md does not allow"
                   if other in targets[room] else
                   f"room {room} lacks USES {other}, which {program}/README.md allows")
    for room in rooms:
        without = f"{program}/{room}" in ROOMS_WITHOUT_TARGET
        if room not in targets and not without:
            yield path, 1, f"room {room} has no target; write memtrace_room({program} {room} ...)"
        if room in targets and without:
            yield path, 1, f"room {room} has a target; remove its row from ROOMS_WITHOUT_TARGET"


def check_unit_tests(program, rooms, texts):
    """tests/unit/PROGRAM has the program's rooms, and a test is in the room of what it tests."""
    room_of = {path.stem: path.parts[1] for path in texts
               if path.parts[0] == program and len(path.parts) == 3}
    for path in texts:
        if path.parts[:3] != ("tests", "unit", program) or path.suffix not in (".cpp", ".h"):
            continue
        if len(path.parts) < 5 or path.parts[3] not in rooms:
            yield path, 1, f"is in no room of {program}/README.md; move it into one"
            continue
        room = room_of.get(path.stem.removesuffix("_test"), path.parts[3])
        if path.stem.endswith("_test") and room != path.parts[3]:
            yield path, 1, f"tests a file of room {room}; move it to tests/unit/{program}/{room}"


def check_names(texts):
    for path in texts:
        if path.parts[0] == "docs" and "_" in path.name:
            yield path, 1, "an underscore in the name of a document; use hyphens"
        if path.parts[:2] == ("include", "memtrace") and len(path.parts) == 3:
            if path.name != "memtrace.h":
                yield path, 1, "only memtrace.h is for users; move it into include/memtrace/dump"
