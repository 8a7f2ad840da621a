# SPDX-License-Identifier: Apache-2.0
"""Checkpointing of the newer kind: what was not saved is computed again when it is asked for."""
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(64, 256)
        self.blocks = nn.ModuleList(nn.Sequential(nn.Linear(256, 512), nn.GELU(),
                                                  nn.Linear(512, 256)) for _ in range(3))
        self.last = nn.Linear(256, 8)

    def forward(self, x):
        x = self.first(x)
        for block in self.blocks:
            x = x + checkpoint(block, x, use_reentrant=False)
        return self.last(x)


model = Network()
optimiser = torch.optim.AdamW(model.parameters())
truth = Truth(model, optimiser)
for step in range(1, 7):
    x, y = torch.randn(64, 64), torch.randint(0, 8, (64,))
    truth.inputs(x, y)
    loss = nn.functional.cross_entropy(model(x), y)
    truth.note("after forward", step)
    loss.backward()
    truth.note("after backward", step)
    optimiser.step()
    truth.note("after step", step)
    optimiser.zero_grad()
