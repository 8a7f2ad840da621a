"""A program that loads no libraries runs as usual. A message before the run says that it is not
recorded. A check of it does not pass."""
import os
import subprocess

from harness import expect, folder, skip
from launch import launch


def test():
    program = os.path.join(folder(), "static")
    source = "#include <stdio.h>\nint main(void) { puts(\"runs\"); return 0; }\n"
    made = subprocess.run(["cc", "-static", "-x", "c", "-", "-o", program], input=source, text=True,
                          stderr=subprocess.PIPE)
    if made.returncode != 0:
        skip(f"no static program can be linked here: {made.stderr.strip()[:200]}")
    found = launch("--", program).expect_said("statically linked", "unrecorded")
    expect((found.stdout, found.dumps), ("runs\n", []), "what it did")
    script = os.path.join(folder(), "script")
    with open(script, "w") as file:
        file.write(f"#!{program}\n")
    os.chmod(script, 0o755)
    launch("--", script).expect_said("statically linked")
    launch("--check", "--max-leaked-bytes", "0", "--", program, status=2).expect_said(
        "nothing was recorded: no process of this run left a dump; ", "statically linked")
    for words in (["env", "-i"], ["env", "-u", "LD_PRELOAD"]):
        found = launch("--", *words, "/bin/echo", "runs")
        found.expect_said(" ".join(words) + " takes LD_PRELOAD", "runs unrecorded")
        expect((found.stdout, found.dumps), ("runs\n", []), "what it did")
        launch("--report", "--", *words, "/bin/echo").expect_said(
            "nothing was recorded: no process of this run left a dump; env")
    launch("--report", "--", "sh", "-c", "exit 0").expect_said(
        "nothing was recorded", "shells and programs that only start others", "children=all")
