"""PyTorch's real caching allocator on the doubles: its blocks and segments are those of the dump.
The case runs after scripts/measure/torch-allocator, which downloads what is needed."""
import os
import sys

from harness import BUILD, SOURCE, Failed, run, skip


def test():
    script = os.path.join(SOURCE, "scripts", "measure", "torch-allocator")
    ended = run([sys.executable, script, "--offline", "--build", BUILD], timeout=120)
    if ended.status == 77:
        skip(ended.stdout.strip().removeprefix("skipped: "))
    print(ended.stdout)
    if ended.status != 0:
        raise Failed(ended.stdout + ended.stderr)
