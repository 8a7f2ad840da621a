"""No file, an empty file, a text, a folder, a foreign dump, a newer version: one sentence and
exit code 2."""
import os

from damage import expect_refusal, whole_dump
from frames import with_header_field
from harness import folder


def test():
    where = folder()

    def file_of(name, data):
        with open(os.path.join(where, name), "wb") as file:
            file.write(data)
        return file.name

    dump = whole_dump()
    bad = {"missing": os.path.join(where, "no such file"), "empty": file_of("empty", b""),
           "text": file_of("text", b"Dear reader,\nthis is no dump.\n" * 400), "folder": where,
           "zeros": file_of("zeros", bytes(100000)), "short": file_of("short", dump[:100]),
           "newer": file_of("newer", with_header_field(dump, 8, 1000)),
           "feature": file_of("feature", with_header_field(dump, 16, 1 << 30)), "elf": "/bin/true"}
    for command in ("summary", "sites", "leaks", "peak", "text", "info", "check"):
        for path in bad.values():
            expect_refusal([command, path], os.path.basename(path))
    expect_refusal([bad["missing"]], "no such file")
    expect_refusal(["frobnicate", bad["empty"]])
    expect_refusal(["sites", "--frobnicate", bad["empty"]])
