"""memtrace-report growth finds the leaks of programs that state them, and reports no cache as a
leak."""
import os
import sys

from harness import BUILD, SOURCE, expect, run


def test():
    script = os.path.join(SOURCE, "scripts", "measure", "leak-truth")
    ended = run([sys.executable, script, "--small", "--build", BUILD], timeout=120)
    expect(ended.status, 0, ended.stderr)
