# SPDX-License-Identifier: Apache-2.0
"""Frozen weights are eight bits wide, with a scale for each row, and are opened when they are used;
small matrices beside them learn."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)


class Packed(nn.Module):
    def __init__(self, i, o, rank=8):
        super().__init__()
        weight = torch.randn(o, i) / i ** 0.5
        scale = weight.abs().amax(1, keepdim=True) / 127
        self.weight = nn.Parameter((weight / scale).round().to(torch.int8), requires_grad=False)
        self.register_buffer("scale", scale, persistent=False)
        self.sides = nn.ParameterList([nn.Parameter(torch.randn(rank, i) * 0.02),
                                       nn.Parameter(torch.zeros(o, rank))])

    def forward(self, x):
        first, second = self.sides
        opened = self.weight.to(x.dtype) * self.scale
        return nn.functional.linear(x, opened) + x @ first.T @ second.T


model = nn.Sequential(Packed(384, 768), nn.GELU(), Packed(768, 768), nn.GELU(), Packed(768, 384))
trained = [p for p in model.parameters() if p.requires_grad]
optimiser = torch.optim.AdamW(trained, lr=1e-3)
truth = Truth(model, optimiser)
for step in range(1, 7):
    x = torch.randn(96, 384)
    y = x.roll(1, 1)
    truth.inputs(x, y)
    loss = nn.functional.mse_loss(model(x), y)
    truth.note("after forward", step)
    loss.backward()
    truth.note("after backward", step)
    optimiser.step()
    truth.note("after step", step)
    optimiser.zero_grad()
