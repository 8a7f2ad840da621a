# SPDX-License-Identifier: Apache-2.0
"""An energy is learned: pictures slide down its slope, which autograd gives without a graph, and
those of earlier steps are kept in a tensor to begin from."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)

energy = nn.Sequential(nn.Conv2d(1, 16, 3, 2, 1), nn.SiLU(), nn.Conv2d(16, 32, 3, 2, 1), nn.SiLU(),
                       nn.Conv2d(32, 64, 3, 2, 1), nn.SiLU(), nn.Flatten(), nn.Linear(1024, 1))
optimizer = torch.optim.Adam(energy.parameters(), lr=1e-4, betas=(0.0, 0.999))
kept = torch.rand(256, 1, 32, 32) * 2 - 1
truth = Truth(energy, optimizer, data=[kept])


def slide(x, steps=6):
    for p in energy.parameters():
        p.requires_grad_(False)
    x = x.clone().requires_grad_(True)
    for _ in range(steps):
        with torch.no_grad():
            x.add_(torch.randn_like(x) * 0.005).clamp_(-1, 1)
        slope, = torch.autograd.grad(energy(x).sum(), x)
        with torch.no_grad():
            x.sub_(10 * slope.clamp(-0.03, 0.03)).clamp_(-1, 1)
    for p in energy.parameters():
        p.requires_grad_(True)
    return x.detach()


for step in range(1, 7):
    real = torch.rand(48, 1, 32, 32) * 2 - 1
    at = torch.randint(0, 256, (48,))
    fake = slide(kept[at])
    kept[at] = fake
    both = torch.cat([real, fake])
    truth.inputs(real, at, fake, both)
    optimizer.zero_grad()
    told = energy(both)
    good, bad = told.chunk(2)
    loss = bad.mean() - good.mean() + 0.1 * (good ** 2 + bad ** 2).mean()
    truth.note("after forward", step)
    loss.backward()
    truth.note("after backward", step)
    optimizer.step()
    truth.note("after step", step)
