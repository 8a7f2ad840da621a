"""`memtrace run --html` leaves the page of the first process, --open shows it in the browser, and
neither changes the program's exit code or its standard output."""
import os
import stat

from harness import PYTHON, built, expect, folder, require
from launch import launch

EXITS = [PYTHON, "-c", "import sys; print('of the program'); sys.exit(7)"]
# Stands for the desktop's opener: notes its arguments and its preloaded libraries.
OPENER = """#!/bin/sh
echo "$#:$1:$LD_PRELOAD" > "$OPENED"
echo "noise of the browser"
exit $OPENER_CODE
"""


def pages(cwd):
    return sorted(name for name in os.listdir(cwd) if name.endswith(".html"))


def require_page(path):
    with open(path) as file:
        require(file.read().startswith("<!doctype html>"), f"{path} is no page")


def check_pages():
    beside = launch("--html", "--", *EXITS, status=7)
    expect(beside.stdout, "of the program\n", "stdout")
    expect(pages(beside.cwd), [os.path.basename(beside.dumps[0])[:-4] + ".html"], "pages")
    require_page(os.path.join(beside.cwd, pages(beside.cwd)[0]))
    beside.expect_said(pages(beside.cwd)[0], "opens in any browser")

    named = launch("--html=a page.html", "--report", "leaks", "--report-file", "leaks.txt", "--",
                   built("stack_of_c"))
    expect(pages(named.cwd), ["a page.html"], "pages")
    named.expect_said("a page.html: ")
    with open(os.path.join(named.cwd, "leaks.txt")) as file:
        require("opens in" not in file.read(), "the page is said in the report")

    several = launch("--html", "-o", "dump.bin", "--", built("spawns_itself"))
    require(len(several.dumps) > 1, several.dumps)
    expect(pages(several.cwd), ["dump.html"], "the page of the first process")
    several.expect_said("the first process", "memtrace-report html DUMP")


def check_what_fails():
    """The dump is there, and a sentence says what makes the page of it."""
    failed = launch("--html=no/such/page.html", "--", *EXITS, status=7)
    failed.expect_said("cannot write no/such/page.html", "there is no page of this run",
                       os.path.basename(failed.dumps[0]))
    expect(failed.stdout, "of the program\n", "stdout")
    expect(launch("--html=no/such/page.html", "--", "true").status, 0, "of a program that is fine")
    launch("--html", "--options", "children=none,help=1", "--", "/bin/true")
    killed = launch("--html", "--", built("ends_by_sigkill"), status=128 + 9)
    require_page(os.path.join(killed.cwd, pages(killed.cwd)[0]))
    launch("--html=-", "--", "true", status=2).expect_said("standard output is the program's")


def check_open():
    bin_folder = folder()
    opener, note = os.path.join(bin_folder, "xdg-open"), os.path.join(bin_folder, "opened")
    with open(opener, "w") as file:
        file.write(OPENER)
    os.chmod(opener, stat.S_IRWXU)
    env = {"PATH": bin_folder + os.pathsep + os.environ["PATH"], "DISPLAY": ":9", "OPENED": note,
           "OPENER_CODE": "0", "LD_PRELOAD": built("liboracle.so"),
           "ORACLE_OUTPUT": os.path.join(bin_folder, "oracle")}
    shown = launch("--open", "--", *EXITS, status=7, env=env)
    expect(shown.stdout, "of the program\n", "stdout")
    page = os.path.join(os.path.realpath(shown.cwd), pages(shown.cwd)[0])
    with open(note) as file:
        expect(file.read(), f"1:{page}:{built('liboracle.so')}\n", "what the opener was given")
    require("the page is" not in shown.stderr, shown.stderr)

    broken = launch("--open", "--html=x.html", "--", *EXITS, status=7,
                    env={**env, "OPENER_CODE": "3"})
    broken.expect_said("xdg-open ended with 3", os.path.join(broken.cwd, "x.html"))
    os.remove(note)
    dark = {**env, "DISPLAY": "", "WAYLAND_DISPLAY": "", "BROWSER": ""}
    blind = launch("--open", "--", *EXITS, status=7, env=dark)
    blind.expect_said("no display", os.path.join(blind.cwd, pages(blind.cwd)[0]))
    require(not os.path.exists(note), "it was opened without a display")
    os.remove(opener)
    if not any(os.path.exists(os.path.join(part, "xdg-open"))
               for part in os.environ["PATH"].split(os.pathsep)):
        launch("--open", "--", *EXITS, status=7, env=env).expect_said("no xdg-open", "the page is")


def test():
    check_pages()
    check_what_fails()
    check_open()
