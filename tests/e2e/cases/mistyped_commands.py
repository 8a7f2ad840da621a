"""A command that is mistyped is answered by the program that was called, with the one that was
meant. help is the help. No help and no man page has words of the library that parses."""
import re

from harness import environment, expect, folder, reporter, require, run
from launch import launcher

LAUNCHERS = ("run", "doctor", "top", "snapshot", "lost", "start", "stop", "serve")


def said(program, *words):
    ended = run([program, *words], environment([]), cwd=folder())
    expect((ended.status, ended.stdout), (2, ""), f"{words}: {ended.stderr}")
    expect(len(ended.stderr.splitlines()), 1, ended.stderr)
    return ended.stderr


def test():
    for words, meant in ((["docter"], "memtrace doctor"), (["leeks", "x"], "memtrace leaks"),
                         (["docter", "--program", "x"], "memtrace doctor"),
                         (["snaphsot"], "memtrace snapshot"), (["help", "tpo"], "memtrace top")):
        answer = said(launcher(), *words)
        require(answer.startswith("memtrace: ") and f"did you mean {meant}?" in answer, answer)
    far = said(launcher(), "banana")
    for name in (*LAUNCHERS, "summary", "completion", "man"):
        require(re.search(rf"\b{name}\b", far), f"{name}: {far}")
    answer = said(reporter(), "leeks")
    require(answer.startswith("memtrace-report: ")
            and "did you mean memtrace-report leaks?" in answer, answer)
    for program in (launcher(), reporter()):
        require("bash, zsh or fish" in said(program, "completion"), program)
        require("completion : " not in said(program, "completion"), program)

    expect(run([launcher(), "help"]).stdout, run([launcher(), "--help"]).stdout, "help")
    expect(run([launcher(), "help", "top"]).stdout, run([launcher(), "top", "--help"]).stdout,
           "help top")
    expect(run([reporter(), "help", "leaks"]).stdout, run([reporter(), "leaks", "--help"]).stdout,
           "help leaks")
    page = run([launcher(), "man"]).stdout.replace("\\-", "-")
    synopsis = page.partition(".SH SYNOPSIS\n")[2].partition(".SH ")[0]
    notes = page.partition(".SH NOTES\n")[2]
    for name in LAUNCHERS:
        for part in (synopsis, notes):
            require(re.search(rf"\b{name}\b", part), f"{name}: {part}")
    texts = [run([launcher(), name, "--help"]).stdout for name in LAUNCHERS]
    texts += [page, run([reporter(), "man"]).stdout, run([reporter(), "--help"]).stdout,
              run([reporter(), "lines", "--help"]).stdout]
    for text in texts:
        residue = re.search(r":(INT|UINT|FLOAT)\b|\[[0-9.]+ - |BY:\{| N:|TEXT REQUIRED|=-", text)
        require(residue is None, f"{residue}: {text}")
    for sign in "%p", "%e", "%r", "%n":
        require(f"    {sign}    for " in texts[0] and f"    {sign}    for " in page, sign)
    require("--html[=FILE]" in texts[0] and "--report [COMMAND]" in texts[0], texts[0])
