"""Under memtrace torch.profiler sees what it sees without memtrace, on the CPU, with CUPTI
requested."""
# slow
import os

from harness import environment, expect, find_torch, folder, require, run, shim

PROGRAM = """
import torch
from torch.profiler import ProfilerActivity, profile

def step(x, w):
    return torch.nn.functional.relu(x @ w).sum()

x, w = torch.ones(64, 64), torch.ones(64, 64, requires_grad=True)
step(x, w).backward()
with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as found:
    for _ in range(3):
        step(x, w).backward()
for event in sorted(found.key_averages(), key=lambda event: event.key):
    print(event.key, event.count, event.cpu_memory_usage)
print("kineto", torch.profiler.kineto_available())
"""


def test():
    python = find_torch()
    bare = run([python, "-c", PROGRAM], environment([]), timeout=120)
    require("aten::mm" in bare.stdout, bare.stderr)
    traced = run([python, "-c", PROGRAM],
                 environment([shim()], options="gpu=cupti",
                             output=os.path.join(folder(), "dump.bin")), timeout=240)
    expect((traced.status, traced.stdout), (bare.status, bare.stdout), "what it saw")
    print(f"{len(bare.stdout.splitlines()) - 1} kinds of events, with memtrace as without")
