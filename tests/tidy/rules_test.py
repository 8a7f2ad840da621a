# SPDX-License-Identifier: Apache-2.0
"""The rules of scripts/tidy.py on small trees with one mistake each: every mistake is found."""

import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import tidy
import tidy_rooms

TABLE = """# A program

| room | what it is | may include |
|---|---|---|
| `base` | used by all others | |
| `reader` | bytes become events | `base` |
| `cli` | the command line | all above |

| not | because | but |
|---|---|---|
| `new` | it allocates | `mmap` |
"""

TARGETS = """
memtrace_room(PROGRAM base)  # memtrace_room(PROGRAM attic)
memtrace_room(PROGRAM reader USES base)
memtrace_room(PROGRAM cli USES base
              reader)
"""


def findings(changes):
    """Returns the findings for a tree without mistakes after `changes`, path -> text, to it."""
    files = {}
    for program in ("preload", "analyzer"):
        files |= {
            f"{program}/README.md": TABLE,
            f"{program}/CMakeLists.txt": TARGETS.replace("PROGRAM", program),
            f"{program}/base/error.h": "",
            f"{program}/reader/event.h": f'#include "{program}/base/error.h"\n',
            f"{program}/reader/event.cpp": f'#include "{program}/reader/event.h"\n',
            f"{program}/cli/cli.cpp": f'#include "{program}/base/error.h"\n'
                                      f'#include "{program}/reader/event.h"\n',
            f"tests/unit/{program}/reader/event_test.cpp": "",
        }
    files |= {"include/memtrace/memtrace.h": "", "docs/how/gpu-tensors.md": ""} | changes
    texts = {pathlib.PurePath(name): text for name, text in files.items()}
    return [f"{path}:{line}: {text}" for path, line, text in tidy_rooms.check(texts)]


class Rooms(unittest.TestCase):
    def expect(self, changes, *expected):
        found = findings(changes)
        self.assertEqual(len(found), len(expected), found)
        for line, text in zip(found, expected):
            self.assertIn(text, line)

    def test_a_tree_without_mistakes(self):
        self.expect({})

    def test_a_stray_file(self):
        self.expect({"analyzer/lost.h": ""}, "analyzer/lost.h:1: is in no room")
        self.expect({"analyzer/attic/lost.h": ""}, "analyzer/attic/lost.h:1: is in no room")
        self.expect({"analyzer/base/deep/lost.h": ""}, "analyzer/base/deep/lost.h:1: is in no")

    def test_a_wrong_arrow(self):
        self.expect({"preload/base/error.cpp": '\n#include "preload/reader/event.h"\n',
                     "preload/reader/event.h": ""},
                    "preload/base/error.cpp:2: room base may not include room reader")

    def test_a_circle_of_files(self):
        self.expect({"analyzer/base/a.h": '#include "analyzer/base/b.h"\n',
                     "analyzer/base/b.cpp": '#include "analyzer/base/c.h"\n',
                     "analyzer/base/c.h": '#include "analyzer/base/a.h"\n'},
                    "analyzer/base/a.h:1: includes itself in a circle: analyzer/base/a -> "
                    "analyzer/base/b -> analyzer/base/c -> analyzer/base/a")

    def test_an_include_that_is_not_written_from_the_root(self):
        self.expect({"analyzer/base/a.cpp": '#include "error.h"\n#include "../base/error.h"\n'},
                    "a.cpp:1: \"error.h\": write includes from the root",
                    "a.cpp:2: \"../base/error.h\": write includes from the root")

    def test_tables_of_rooms(self):
        self.expect({"analyzer/README.md": "# Nothing\n"}, "README.md:1: has no table of rooms")
        self.expect({"analyzer/README.md": TABLE.replace("| `base` |\n", "| base |\n")},
                    "README.md:6: not a row")
        self.expect({"analyzer/README.md": TABLE.replace("others | |", "others | `reader` |")},
                    "README.md:5: room base may include reader, which is not above it")

    def test_a_room_without_files(self):
        self.expect({"analyzer/README.md": TABLE.replace(" all above", " `base` `reader`")
                     .replace("| `cli`", "| `gpu` | cards | |\n| `cli`"),
                     "analyzer/CMakeLists.txt":
                         (TARGETS + "memtrace_room(PROGRAM gpu)").replace("PROGRAM", "analyzer")},
                    "analyzer/README.md:1: room gpu has no files")

    def test_a_room_that_is_too_large(self):
        self.expect({f"preload/base/part_{number}.h": "" for number in range(29)})
        self.expect({f"preload/base/part_{number}.h": "" for number in range(30)},
                    "preload/base:1: 31 files")

    def test_a_name_that_occurs_twice(self):
        self.expect({"analyzer/cli/error.cpp": ""}, "analyzer/cli/error.cpp:1: "
                    "analyzer/base/error.h has this name too")

    def test_targets_that_differ_from_the_table(self):
        targets = TARGETS.replace("PROGRAM", "analyzer")
        self.expect({"analyzer/CMakeLists.txt": targets.replace(" USES base)", ")")},
                    "CMakeLists.txt:3: room reader lacks USES base")
        self.expect({"analyzer/CMakeLists.txt": targets.replace("USES base)", "USES base cli)")},
                    "CMakeLists.txt:3: room reader USES cli, which")
        self.expect({"analyzer/CMakeLists.txt": targets + "memtrace_room(analyzer attic)\n"},
                    "CMakeLists.txt:6: room attic is not in")
        self.expect({"analyzer/CMakeLists.txt": targets.replace("(analyzer base)", "(other base)")},
                    "CMakeLists.txt:1: room base has no target")

    def test_a_unit_test_in_another_room(self):
        self.expect({"tests/unit/analyzer/base/event_test.cpp": ""},
                    "base/event_test.cpp:1: tests a file of room reader")
        self.expect({"tests/unit/analyzer/event_test.cpp": ""},
                    "tests/unit/analyzer/event_test.cpp:1: is in no room")

    def test_names(self):
        self.expect({"docs/use/gpu_report.md": ""}, "an underscore in the name of a document")
        self.expect({"include/memtrace/format.h": ""}, "only memtrace.h is for users")


class Sources(unittest.TestCase):
    def setUp(self):
        tidy.findings, tidy.notes = [], []

    def test_where_a_unit_test_belongs(self):
        for source, test in (
                ("preload/unwind/cfi.cpp", "tests/unit/preload/unwind/cfi_test.cpp"),
                ("analyzer/base/units.h", "tests/unit/analyzer/base/units_test.cpp"),
                ("launcher/cli.cpp", "tests/unit/launcher/cli_test.cpp"),
                ("include/memtrace/dump/slots.h", "tests/unit/format/slots_test.cpp")):
            self.assertEqual(tidy.unit_test_of(pathlib.PurePath(source)), pathlib.PurePath(test))
        self.assertIsNone(tidy.unit_test_of(pathlib.PurePath("include/memtrace/memtrace.h")))

    def test_format(self):
        good = ROOT / "analyzer/base/error.h"
        bad = ROOT / "build/tidy-test.cpp"
        bad.parent.mkdir(exist_ok=True)
        bad.write_text("int  main( ) {return 0;}\n")
        self.addCleanup(bad.unlink)
        tidy.check_format([good, bad])
        if tidy.clang_format() is None:
            self.assertIn("formatting was not checked", tidy.notes[0])
        else:
            self.assertEqual(len(tidy.findings), 1, tidy.findings)
            self.assertTrue(tidy.findings[0].startswith(f"{bad}:1: not as clang-format"))


if __name__ == "__main__":
    unittest.main()
