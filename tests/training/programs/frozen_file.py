# SPDX-License-Identifier: Apache-2.0
"""Frozen weights come from a file into a model without memory; small matrices beside them learn."""
import os
import tempfile

import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)


class Block(nn.Module):
    def __init__(self, width=128):
        super().__init__()
        self.one, self.two = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)
        self.norm = nn.LayerNorm(width)

    def forward(self, x):
        return x + self.two(nn.functional.gelu(self.one(self.norm(x))))


class Adapted(nn.Module):
    def __init__(self, base, rank=4):
        super().__init__()
        self.base = base
        self.down = nn.Parameter(torch.randn(rank, base.in_features) / base.in_features)
        self.up = nn.Parameter(torch.zeros(base.out_features, rank))

    def forward(self, x):
        return self.base(x) + nn.functional.linear(nn.functional.linear(x, self.down), self.up)


def made():
    return nn.Sequential(*(Block() for _ in range(4)))


path = os.path.join(tempfile.mkdtemp(), "weights.pt")
torch.save(made().state_dict(), path)
with torch.device("meta"):
    model = made()
model.load_state_dict(torch.load(path), assign=True)
model.requires_grad_(False)
for block in model:
    block.one = Adapted(block.one)
optimiser = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad])
truth = Truth(model, optimiser)
for step in range(1, 7):
    x, y = torch.randn(64, 128), torch.randn(64, 128)
    truth.inputs(x, y)
    loss = nn.functional.mse_loss(model(x), y)
    truth.note("after forward", step)
    loss.backward()
    truth.note("after backward", step)
    optimiser.step()
    truth.note("after step", step)
    optimiser.zero_grad()
