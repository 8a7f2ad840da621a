#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains on a GPU and marks after each step how much memory PyTorch itself reports.

    steps.py STEPS [mark|time|leak|profile]

    mark      a mark with torch.cuda.memory_reserved() and memory_allocated() after each step
    time      prints the milliseconds of a step, the median of the later half
    leak      keeps each step's loss with its graph (LEAK below), and prints the line
    profile   prints the events of torch.profiler: name and count
"""
import ctypes
import inspect
import statistics
import sys
import time

import torch


def mark(text):
    try:
        ctypes.CDLL(None).memtrace_mark(text.encode())
    except AttributeError:
        pass  # The shim is absent.


def make_model(width=512):
    torch.manual_seed(1)
    layers = []
    for _ in range(4):
        layers += [torch.nn.Linear(width, width), torch.nn.GELU()]
    return torch.nn.Sequential(*layers, torch.nn.Linear(width, 10)).cuda()


def step(model, optimiser, batch):
    inputs = torch.randn(batch, 512, device="cuda")
    optimiser.zero_grad(set_to_none=True)
    loss = model(inputs).square().mean()
    loss.backward()
    optimiser.step()
    return loss


def marked(model, optimiser, steps):
    for number in range(steps):
        step(model, optimiser, 64 + 192 * (number % 5))
        if number % 7 == 6:
            torch.cuda.empty_cache()
        torch.cuda.synchronize()
        mark(f"step {number} reserved={torch.cuda.memory_reserved()} "
             f"allocated={torch.cuda.memory_allocated()}")
    print(f"{steps} steps")


def timed(model, optimiser, steps):
    seconds = []
    for _ in range(steps):
        start = time.perf_counter()
        step(model, optimiser, 256)
        torch.cuda.synchronize()
        seconds.append(time.perf_counter() - start)
    print(f"step {1000 * statistics.median(seconds[steps // 2:]):.4f} ms")


def leaking(model, optimiser, steps):
    kept = []
    for _ in range(steps):
        inputs = torch.randn(256, 512, device="cuda")
        loss = model(inputs).square().mean(); line = inspect.currentframe().f_lineno  # LEAK
        kept.append(loss)
    print(f"leaks at line {line}, {len(kept)} times")
    sys.stdout.flush()
    import os
    os._exit(0)  # Ends like a killed job: kept memory stays allocated.


def profiled(model, optimiser, steps):
    from torch.profiler import ProfilerActivity, profile
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA],
                 profile_memory=True) as profiler:
        for _ in range(steps):
            step(model, optimiser, 256)
        torch.cuda.synchronize()
    for row in sorted(profiler.key_averages(), key=lambda row: row.key):
        print(f"{row.count:6d} {row.key}")


def main():
    steps, what = int(sys.argv[1]), sys.argv[2]
    model = make_model()
    optimiser = torch.optim.AdamW(model.parameters())
    {"mark": marked, "time": timed, "leak": leaking, "profile": profiled}[what](
        model, optimiser, steps)


if __name__ == "__main__":
    main()
