"""Completions: the shells that are here complete commands, options and their values."""
import os
import pty
import re
import select
import shutil
import subprocess
import time

from harness import environment, expect, folder, require, run
from launch import launcher

# Words of a command line, the last one unfinished, and what must be among the answers.
LINES = [
    (["memtrace", "do"], "doctor"),
    (["memtrace", "leaks", "--sysr"], "--sysroot"),
    (["memtrace", "run", "--rep"], "--report-file"),
    (["memtrace", "export", "--format", ""], "speedscope"),
    (["memtrace", "sites", "--sort", "own"], "own-peak"),
    (["memtrace", "completion", ""], "fish"),
    (["memtrace", "leaks", "a d"], "a dump.bin"),
    (["memtrace", "top", "a d"], "a dump.bin"),
]


def script(shell, place):
    made = run([launcher(), "completion", shell])
    expect((made.status, made.stderr), (0, ""), shell)
    path = os.path.join(place, "completion." + shell)
    with open(path, "w") as file:
        file.write(made.stdout)
    expect(run([shell, "-n", path]).stderr if shutil.which(shell) else "", "", f"{shell} -n")
    return path


def in_bash(place, words):
    quoted = " ".join("'" + word + "'" for word in words)
    source = (f"compopt() {{ :; }}; source completion.bash; COMP_WORDS=({quoted}); "
              f"COMP_CWORD={len(words) - 1}; _memtrace; printf '%s\\n' \"${{COMPREPLY[@]}}\"")
    return run(["bash", "-c", source], environment([]), cwd=place)


def in_fish(place, words):
    line = " ".join(words[:-1] + [words[-1].replace(" ", "\\ ")])
    source = f"source completion.fish; complete -C\"{line}\""
    return run(["fish", "-c", source], environment([], {"HOME": place}), cwd=place)


class Zsh:
    """A zsh at a terminal, because only its line editor completes."""

    def __init__(self, place):
        self.terminal, inside = pty.openpty()
        env = environment([], {"HOME": place, "TERM": "xterm", "COLUMNS": "200", "LINES": "50"})
        self.shell = subprocess.Popen(["zsh", "-f", "-i"], stdin=inside, stdout=inside,
                                      stderr=inside, env=env, cwd=place, start_new_session=True)
        os.close(inside)
        # LISTMAX: never ask whether a long list is to be shown.
        self.answer("PS1=; LISTMAX=10000; setopt no_beep; autoload -Uz compinit; compinit -u -D; "
                    "source ./completion.zsh; print be''gins\n", "begins")

    def answer(self, typed, wanted):
        """Returns what the terminal shows after these keys, until it has the wanted word."""
        os.write(self.terminal, typed.encode())
        shown, end = "", time.monotonic() + 20
        while wanted not in shown and time.monotonic() < end:
            if select.select([self.terminal], [], [], 0.2)[0]:
                text = os.read(self.terminal, 65536).decode(errors="replace")
                shown += re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|[\r\\]", "", text)
        return shown

    def complete(self, words, wanted):
        line = " ".join(words[:-1] + [words[-1].replace(" ", "\\ ")])
        shown = self.answer(f"\x15{line}\t\t", wanted)
        require(wanted in shown, f"zsh: {words}: {shown}")

    def close(self):
        self.shell.kill()
        self.shell.wait()
        os.close(self.terminal)


def test():
    place = folder()
    open(os.path.join(place, "a dump.bin"), "w").close()
    for shell in ("bash", "zsh", "fish"):
        script(shell, place)
    if shutil.which("zsh"):
        zsh = Zsh(place)
        try:
            for words, wanted in LINES:
                zsh.complete(words, wanted)
        finally:
            zsh.close()
    for words, wanted in LINES:
        answer = in_bash(place, words)
        require(wanted in answer.stdout.split("\n"),
                f"bash: {words}: {answer.stdout}{answer.stderr}")
        if shutil.which("fish"):
            answer = in_fish(place, words)
            found = [row.split("\t")[0].replace("\\", "") for row in answer.stdout.split("\n")]
            require(wanted in found, f"fish: {words}: {answer.stdout}{answer.stderr}")
