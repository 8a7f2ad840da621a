# SPDX-License-Identifier: Apache-2.0
"""Frozen weights with small trained matrices beside them, as LoRA does it."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)


class Adapted(nn.Module):
    def __init__(self, base, rank=4):
        super().__init__()
        self.base = base.requires_grad_(False)
        self.down = nn.Parameter(torch.randn(rank, base.in_features) / base.in_features)
        self.up = nn.Parameter(torch.zeros(base.out_features, rank))

    def forward(self, x):
        return self.base(x) + nn.functional.linear(nn.functional.linear(x, self.down), self.up)


base = nn.Sequential(nn.Linear(128, 512), nn.GELU(), nn.Linear(512, 512), nn.GELU(),
                     nn.Linear(512, 128))
model = nn.Sequential(*(Adapted(layer) if isinstance(layer, nn.Linear) else layer
                        for layer in base))
optimiser = torch.optim.AdamW(part for part in model.parameters() if part.requires_grad)
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
