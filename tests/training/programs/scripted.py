# SPDX-License-Identifier: Apache-2.0
"""A model that TorchScript runs: no Python function goes forward."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.one, self.two = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        return x + self.two(torch.relu(self.one(self.norm(x))))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(48, 96), nn.Linear(96, 10)
        self.blocks = nn.ModuleList([Block(96) for _ in range(3)])

    def forward(self, x):
        x = self.first(x)
        for block in self.blocks:
            x = block(x)
        return self.last(x)


model = torch.jit.script(Net())
optimiser = torch.optim.AdamW(model.parameters(), 1e-3)
truth = Truth(model, optimiser)
for step in range(1, 7):
    x, y = torch.randn(128, 48), torch.randint(0, 10, (128,))
    truth.inputs(x, y)
    out = model(x)
    loss = nn.functional.cross_entropy(out, y)
    truth.note("after forward", step)
    optimiser.zero_grad()
    loss.backward()
    truth.note("after backward", step)
    optimiser.step()
    truth.note("after step", step)
