#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains a small network, and leaks in three ways that people really meet.

    LD_PRELOAD=build/release/libmemtrace.so python3 examples/leaky_train.py
    build/release/memtrace-report lines examples/leaky_train.py

1. It keeps each loss, to print the mean later. A loss holds the graph that made it, and the graph
   holds what every layer computed. Keeping `loss.item()` would be enough.
2. Its data set keeps each batch that it ever made, under a key that never occurs again.
3. At every step it registers a hook that reads one layer's output, and never removes it.

Needs PyTorch. It does not use a GPU.
"""

import argparse
import sys

try:
    import torch
except ImportError as error:
    sys.exit(f"leaky_train.py needs PyTorch, which cannot be imported ({error}). "
             f"`{sys.executable} -m pip install torch` would do.")

WIDTH = 256
BATCH = 128


class Samples:
    """Batches of noise. The network learns the sum of each row."""

    def __init__(self, seed):
        self.random = torch.Generator().manual_seed(seed)
        self.cache = {}

    def batch(self, step):
        if step not in self.cache:
            inputs = torch.randn(BATCH, WIDTH, generator=self.random)
            self.cache[step] = (inputs, inputs.sum(dim=1, keepdim=True))
        return self.cache[step]


class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(WIDTH, 2 * WIDTH)
        self.second = torch.nn.Linear(2 * WIDTH, WIDTH)
        self.last = torch.nn.Linear(WIDTH, 1)

    def forward(self, inputs):
        hidden = self.first(inputs)
        hidden = torch.relu(hidden)
        hidden = self.second(hidden)
        return self.last(hidden.tanh())


class Watcher:
    """Keeps the mean of a layer's outputs."""

    def __init__(self):
        self.outputs = []

    def watch(self, layer):
        layer.register_forward_hook(self.look)

    def look(self, _layer, _inputs, output):
        self.outputs.append(output.detach().mean(dim=0))


def train(steps, seed):
    torch.manual_seed(seed)
    network = Network()
    samples = Samples(seed)
    watcher = Watcher()
    optimiser = torch.optim.SGD(network.parameters(), lr=1e-4)
    losses = []
    for step in range(steps):
        watcher.watch(network.first)
        inputs, wanted = samples.batch(step)
        loss = torch.nn.functional.mse_loss(network(inputs), wanted)
        optimiser.zero_grad()
        loss.backward(retain_graph=True)
        optimiser.step()
        losses.append(loss)
    return torch.stack(losses).mean().item()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--steps", type=int, default=80, help="optimiser steps (default: 80)")
    parser.add_argument("--seed", type=int, default=1, help="of weights and samples")
    arguments = parser.parse_args()
    print(f"mean loss {train(arguments.steps, arguments.seed):.4f}")


if __name__ == "__main__":
    main()
