"""PyTorch: the batches and epochs of a training loop are counted without marks, also with workers,
accumulated gradients, and two processes that train together."""
# slow
import json
import os
import re

from harness import expect, find_torch, folder, reporter, require, run, trace

# As in steps_of_many_programs: the number of iterations is beside the line of each loop, and a star
# marks the loop of the steps.
ONE_PROCESS = """import sys
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)


def evaluate(model, loader):
    right = 0
    with torch.no_grad():
        for x, y in loader:  #= 12
            right += (model(x).argmax(1) == y).sum().item()
    return right


def train(workers):
    data = TensorDataset(torch.randn(160, 50), torch.randint(0, 5, (160,)))
    loader = DataLoader(data, batch_size=10, shuffle=True, num_workers=workers)
    valid = DataLoader(data, batch_size=40)
    model = nn.Sequential(nn.Linear(50, 200), nn.ReLU(), nn.Linear(200, 5))
    optimizer = torch.optim.Adam(model.parameters())
    for epoch in range(3):  #= 3
        model.train()
        for i, (x, y) in enumerate(loader, 1):  #* 48
            loss = nn.functional.cross_entropy(model(x), y) / 4
            loss.backward()
            if i % 4 == 0:
                optimizer.step()
                optimizer.zero_grad()
        model.eval()
        evaluate(model, valid)


if __name__ == "__main__":
    train(int(sys.argv[1]))
"""
# The threads of gloo end with the last holder of the process group. One that still lives when the
# interpreter ends may want it for a moment, and PyTorch then ends the program, traced or not.
TWO_PROCESSES = """import gc
import subprocess
import sys
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel


def train():
    model = DistributedDataParallel(nn.Sequential(nn.Linear(20, 50), nn.ReLU(), nn.Linear(50, 2)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(35):  #= 35
        x, y = torch.randn(16, 20), torch.randn(16, 2)
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def main(rank, file):
    other = subprocess.Popen([sys.executable, *sys.argv, "1"]) if rank == 0 else None
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method="file://" + file, rank=rank, world_size=2)
    train()
    gc.collect()
    dist.destroy_process_group()
    if other is not None:
        sys.exit(other.wait())


main(len(sys.argv) - 2, sys.argv[1])
"""


def written(name, source):
    file = os.path.join(folder(), name)
    with open(file, "w", encoding="utf-8") as out:
        out.write(source)
    return file


def traced(command):
    ended = trace(command, bare=False, check_report=False, timeout=60)
    expect(ended.status, 0, f"exit status: {ended.stderr[-1000:]}")
    return ended.dumps


def check(name, dump, file, source):
    ended = run([reporter(), "steps", "--json", "-", dump], timeout=60)
    expect(ended.status, 0, ended.stderr)
    loops = {loop["loop"]["line"]: loop for loop in json.loads(ended.stdout)["steps"]
             if loop["loop"]["file"] == file}
    for line, text in enumerate(source.splitlines(), 1):
        marked = re.search(r"#([=*]) (\d+)$", text)
        if marked is None:
            continue
        found = loops.get(line)
        expect(found and found["count"], int(marked[2]), f"{name}: iterations of line {line}")
        if marked[1] == "*":
            require(found["is_step"], f"{name}: the steps are those of line {line}: {loops}")


def test():
    torch = find_torch()
    file = written("train.py", ONE_PROCESS)
    for workers in (0, 2):
        dump = traced([torch, file, workers])[0]
        check(f"{workers} workers", dump, file, ONE_PROCESS)

    file = written("train_together.py", TWO_PROCESSES)
    dumps = traced([torch, file, os.path.join(folder(), "meeting")])
    expect(len(dumps), 2, f"dumps of both processes: {dumps}")
    for dump in dumps:
        check(os.path.basename(dump), dump, file, TWO_PROCESSES)
