"""A configuration, suppressions or a baseline that is a folder, a device, a pipe, huge or deep: one
sentence and exit code 2, at once."""
import os

from checks import build, check, dump_of
from harness import expect, folder, require


def test():
    where = folder()
    _, program = build()
    dump = dump_of(program)

    def file_of(name, text):
        path = os.path.join(where, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    pipe = os.path.join(where, "pipe")
    os.mkfifo(pipe)
    huge = file_of("huge", "")
    os.truncate(huge, 1 << 40)
    unreadable = {"folder": where, "pipe": pipe, "device": "/dev/zero", "huge": huge,
                  "missing": os.path.join(where, "none")}
    deep = {"parts": "a." * 300_000 + "b = 1", "table": "[" + "a." * 300_000 + "b]",
            "brackets": "a = " + "[" * 300_000, "braces": "a = " + "{a=" * 300_000,
            "json": "{\"memtrace_baseline\":" + "[" * 300_000, "text": "\0\1\2" * 1000,
            "key": "k" * 300_000 + " = 1"}
    paths = {**unreadable, **{name: file_of(name, text) for name, text in deep.items()}}
    for option in ("--config", "--suppressions", "--baseline"):
        for name, path in paths.items():
            found = check(dump, "--max-leaked-bytes", "1M", option, path)
            what = f"{option} {name}: {found.stderr[-300:]}"
            expect(found.status, 2, what)
            expect(found.stderr.count("\n"), 1, what)
            require(len(found.stderr) < 1000, what)
            require(os.path.basename(path) in found.stderr, what)
    os.mkdir(os.path.join(where, "memtrace.toml"))
    found = check(dump, "--max-leaked-bytes", "1M", cwd=where)
    expect(found.status, 2, f"a folder called memtrace.toml: {found.stderr}")
    require("memtrace.toml: it is a folder" in found.stderr, found.stderr)
