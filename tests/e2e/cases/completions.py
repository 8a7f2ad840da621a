"""Completions: the shells that are here complete commands, options and their values."""
import os
import shutil

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


def test():
    place = folder()
    open(os.path.join(place, "a dump.bin"), "w").close()
    for shell in ("bash", "zsh", "fish"):
        script(shell, place)
    for words, wanted in LINES:
        answer = in_bash(place, words)
        require(wanted in answer.stdout.split("\n"),
                f"bash: {words}: {answer.stdout}{answer.stderr}")
        if shutil.which("fish"):
            answer = in_fish(place, words)
            found = [row.split("\t")[0].replace("\\", "") for row in answer.stdout.split("\n")]
            require(wanted in found, f"fish: {words}: {answer.stdout}{answer.stderr}")
