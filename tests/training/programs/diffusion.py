# SPDX-License-Identifier: Apache-2.0
"""A U-shaped network learns to take noise away; a copy of it follows its weights as an average."""
import copy
import math

import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)


class Times(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.register_buffer("rates", torch.exp(torch.arange(width // 2) * -math.log(1e4) / width))
        self.layers = nn.Sequential(nn.Linear(width, width), nn.SiLU(), nn.Linear(width, width))

    def forward(self, times):
        angles = times[:, None] * self.rates
        return self.layers(torch.cat((angles.sin(), angles.cos()), 1))


class Block(nn.Module):
    def __init__(self, channels_in, channels_out, width):
        super().__init__()
        self.first = nn.Conv2d(channels_in, channels_out, 3, padding=1)
        self.second = nn.Conv2d(channels_out, channels_out, 3, padding=1)
        self.norm, self.shift = nn.GroupNorm(8, channels_out), nn.Linear(width, channels_out)

    def forward(self, x, times):
        x = nn.functional.silu(self.norm(self.first(x)))
        return nn.functional.silu(self.second(x + self.shift(times)[:, :, None, None]))


class Denoiser(nn.Module):
    def __init__(self, width=64):
        super().__init__()
        self.times = Times(width)
        self.down = nn.ModuleList([Block(3, 16, width), Block(16, 32, width)])
        self.middle = Block(32, 32, width)
        self.up = nn.ModuleList([Block(64, 32, width), Block(48, 16, width)])
        self.last = nn.Conv2d(16, 3, 1)

    def forward(self, x, times):
        times, kept = self.times(times), []
        for block in self.down:
            x = block(x, times)
            kept.append(x)
            x = nn.functional.avg_pool2d(x, 2)
        x = self.middle(x, times)
        for block in self.up:
            x = nn.functional.interpolate(x, scale_factor=2)
            x = block(torch.cat((x, kept.pop()), 1), times)
        return self.last(x)


model = Denoiser()
average = copy.deepcopy(model).requires_grad_(False)
optimiser = torch.optim.AdamW(model.parameters(), lr=1e-4)
remaining = torch.cumprod(1 - torch.linspace(1e-4, 0.02, 1000), 0)
truth = Truth(model, optimiser, states=[list(average.parameters()), list(average.buffers())],
              data=[remaining])
for step in range(1, 7):
    images, noise = torch.randn(8, 3, 16, 16), torch.randn(8, 3, 16, 16)
    times = torch.randint(0, 1000, (8,))
    left = remaining[times][:, None, None, None]
    noisy = left.sqrt() * images + (1 - left).sqrt() * noise
    truth.inputs(images, noise, times, left, noisy)
    loss = nn.functional.mse_loss(model(noisy, times.float()), noise)
    truth.note("after forward", step)
    optimiser.zero_grad()
    loss.backward()
    truth.note("after backward", step)
    optimiser.step()
    with torch.no_grad():
        for mean, value in zip(average.parameters(), model.parameters()):
            mean.lerp_(value, 0.01)
    truth.note("after step", step)
