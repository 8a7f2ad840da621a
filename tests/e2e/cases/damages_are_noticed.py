"""Three thousand damages of 29 kinds in five recordings: each is noticed, or changes no figure."""
import os

from harness import BUILD, PYTHON, SOURCE, expect, run


def test():
    script = os.path.join(SOURCE, "scripts", "measure", "damages")
    ended = run([PYTHON, script, "--quick", "--build", BUILD], timeout=200)
    expect(ended.status, 0, f"exit status\n{ended.stdout}{ended.stderr}")
