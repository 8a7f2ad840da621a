"""memtrace doctor: a trial is recorded and read, and nothing of it is left. What keeps it from
recording is named, with exit code 1."""
import json
import os
import resource
import sys

from harness import environment, expect, folder, require, run
from launch import launcher


def doctor(*words, env=None, status=0, **more):
    cwd = folder()
    ended = run([launcher(), "doctor", "--json", "-", *words], environment([], env), cwd=cwd,
                **more)
    expect(ended.status, status, f"exit code ({ended.stdout[-2000:]}{ended.stderr[-500:]})")
    expect(os.listdir(cwd), [], "files that are left")
    document = json.loads(ended.stdout)
    expect(document["recording"], status == 0, "recording")
    return document["checks"]


def line(checks, subject):
    return next(check for check in checks if check["subject"] == subject)


def limit_addresses():
    resource.setrlimit(resource.RLIMIT_DATA, (100 << 20, 100 << 20))


def test():
    checks = doctor("--python", sys.executable)
    expect(line(checks, "recording")["state"], "ok", "recording")
    require("its lines are recorded" in line(checks, "python")["found"], line(checks, "python"))
    for subject in ("disk", "glibc", "memory", "allocator", "seccomp", "ptrace", "gpu"):
        require(line(checks, subject)["found"], subject)

    gone = doctor("-o", "/no/such/folder/x.bin", status=1)
    expect((line(gone, "recording")["state"], line(gone, "disk")["state"]), ("no", "no"), "states")
    require("/no/such/folder" in line(gone, "recording")["found"], "the shim's own reason")
    wrong = doctor(env={"MEMTRACE_OPTIONS": "colour=1"}, status=1)
    require("colour" in line(wrong, "recording")["found"], "the word that is not understood")
    lost = doctor(env={"MEMTRACE_LIBRARY": "/no/shim.so"}, status=1)
    require("/no/shim.so" in line(lost, "recording")["found"], "the recorder that is not there")
    tight = doctor(status=1, preexec_fn=limit_addresses)
    expect(line(tight, "memory")["state"], "no", "memory")

    text = run([launcher(), "doctor"], environment([], {"COLUMNS": "80"}), cwd=folder())
    require(all(len(row) <= 80 for row in text.stdout.splitlines()), text.stdout)
    require("Recording works here" in text.stdout, text.stdout)
