"""`diff --html` leaves a page beside the text and the JSON, which stay as they are. What makes no
sense is refused before anything is read."""
import os
import stat

from harness import expect, folder, reporter, require, run, trace


def diff(*words):
    return run([reporter(), "diff", *map(str, words)])


def test():
    before, after = trace("stack_of_c").dumps[0], trace("stack_of_c").dumps[0]
    where = folder()
    path = os.path.join(where, "diff.html")
    plain = diff(before, after)
    page = diff(before, after, "--html", path)
    expect((plain.status, page.status), (0, 0), "exit codes")
    require(page.stdout.startswith(plain.stdout), page.stdout)
    require(f"{path}: " in page.stdout, page.stdout)
    with open(path) as file:
        require(file.read().startswith("<!doctype html>"), "it is a page")
    expect(stat.S_IMODE(os.stat(path).st_mode), 0o600, "only its owner reads the command line")
    os.remove(path)

    json = diff(before, after, "--html", path, "--json", "-")
    expect(json.stdout, diff(before, after, "--json", "-").stdout, "JSON has standard output alone")
    require(os.path.exists(path), "and there is a page")
    diff(before, after, "--html", os.path.join(where, "open.html"), "--no-command")
    require(os.stat(os.path.join(where, "open.html")).st_mode & stat.S_IRGRP, "without it, anybody")

    for words, part in (
            (["--html", "-"], "name a file"),
            (["--html", os.path.join(where, "none", "a.html")], "there is no folder"),
            (["--html", where], where),
            (["--no-command"], "name its file with --html"),
            (["--short-paths"], "--short-paths: it is for the page"),
            (["--no-source", "--json", "-"], "--no-source: it is for the page")):
        refused = diff(before, after, *words)
        expect(refused.status, 2, f"{words}: exit code")
        require(part in refused.stderr, refused.stderr)
