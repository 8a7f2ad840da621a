"""command=0: no argument of the program is in the dump or in what is made of it. Files that have
the command line can be read by their owner alone."""
import json
import os
import stat

from harness import expect, folder, reporter, require, run, trace

SECRET = "--password=hunter2"


def mode_of(path):
    return oct(stat.S_IMODE(os.stat(path).st_mode))


def outputs_of(dump):
    """Returns the paths of the files that are made of a dump, and the text of its summary."""
    where = folder()
    paths = {kind: os.path.join(where, "x." + kind) for kind in ("json", "html", "profile")}
    summary = run([reporter(), dump, "--json", paths["json"]], umask=0)
    expect(summary.status, 0, summary.stderr)
    for command in ("html", "profile"):
        ended = run([reporter(), command, dump, "-o", paths[command]], umask=0)
        expect(ended.status, 0, f"{command}: {ended.stderr}")
    return paths, summary.stdout


def test():
    for options, is_there in (("", True), ("command=0", False)):
        dump = trace("fork_child_exits", SECRET, options=options, bare=False).dumps[0]
        paths, text = outputs_of(dump)
        records = run([reporter(), "text", dump]).stdout
        expect(SECRET in records, is_there, f"{options}: the dump")
        expect(SECRET in text, is_there, f"{options}: {text[:300]}")
        expect("command not recorded (command=0)" in text, not is_there, text[:300])
        with open(paths["json"], encoding="utf-8") as file:
            command = json.load(file)["program"]["command"]
        expect(SECRET in command if is_there else command == [], True, f"{options}: {command}")
        for kind, path in paths.items():
            expect(mode_of(path), oct(0o600), f"mode of a new {kind}")
    os.chmod(paths["json"], 0o644)
    run([reporter(), dump, "--json", paths["json"]])
    expect(mode_of(paths["json"]), oct(0o644), "mode of a file that was there")
    require(all(os.path.getsize(path) for path in paths.values()), "a file is empty")
