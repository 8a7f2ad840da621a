"""`check --html` leaves the page of each dump, whether the check passes or fails. The page changes
neither the verdict nor any other output."""
import os

from harness import expect, folder, report, reporter, require, run, trace


def check(*words):
    return run([reporter(), "check", *map(str, words)])


def page(path):
    with open(path) as file:
        return file.read()


def test():
    dump = trace("stack_of_c").dumps[0]
    where = folder()
    path = os.path.join(where, "memory.html")
    for limit, status in (("0", 1), ("1T", 0)):
        plain = check(dump, "--max-leaked-bytes", limit)
        with_page = check(dump, "--max-leaked-bytes", limit, "--html", path)
        expect((plain.status, with_page.status), (status, status), "exit codes")
        require(with_page.stdout.startswith(plain.stdout), with_page.stdout)
        require(f"{path}: " in with_page.stdout, with_page.stdout)
        require(page(path).startswith("<!doctype html>"), "it is a page")
        expect(page(path), page(make_page(dump, where)), "the page of check and that of html")
        os.remove(path)

    check(dump, dump, "--max-leaked-bytes", "0", "--html", path)
    expect(sorted(os.listdir(where)), ["memory-2.html", "memory.html", "plain.html"], "of two")

    # With a filter or a range, the page is of the same memory, and of the whole run.
    check(dump, "--max-leaked-bytes", "0", "--html", path, "--function", "no_such", "--from", "0s")
    expect(page(path), page(make_page(dump, where, "--function", "no_such")), "with a filter")

    # What fails changes no verdict; a folder that is not there is said at once.
    os.mkdir(os.path.join(where, "folder.html"))
    failed = check(dump, "--max-leaked-bytes", "0", "--html", os.path.join(where, "folder.html"))
    expect(failed.status, 1, "of a page that cannot be written")
    require("there is no page" in failed.stderr, failed.stderr)
    script = f"cat '{dump}' | '{reporter()}' check - --max-leaked-bytes 0 --html '{path}'"
    piped = run(["sh", "-c", script])
    expect(piped.status, 1, "of a dump that is read from a pipe")
    require("can be read only once" in piped.stderr, piped.stderr)
    expect(check(dump, "--max-leaked-bytes", "0", "--html", "/no/such/x.html").status, 2, "folder")
    profile = os.path.join(where, "run.profile")
    expect(run([reporter(), "profile", dump, "-o", profile]).status, 0, "profile")
    of_profile = check(profile, "--max-leaked-bytes", "0", "--html", path)
    expect(of_profile.status, 1, f"of a profile: {of_profile.stderr}")
    require(page(path).startswith("<!doctype html>"), "the page of a profile")
    report(dump, "check", ["--max-leaked-bytes", "0", "--html", path], status=1)


def make_page(dump, where, *words):
    path = os.path.join(where, "plain.html")
    ended = run([reporter(), "html", dump, "-o", path, *words])
    expect(ended.status, 0, f"memtrace-report html: {ended.stderr}")
    return path
