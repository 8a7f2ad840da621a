# SPDX-License-Identifier: Apache-2.0
"""A neural operator: waves are weighted by complex parameters, and go back into space."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)


class Waves(nn.Module):
    def __init__(self, width, modes):
        super().__init__()
        self.modes = modes
        scale = 1 / (width * width)
        self.weights = nn.Parameter(scale * torch.rand(width, width, modes, modes,
                                                       dtype=torch.cfloat))

    def forward(self, x):
        seen = torch.fft.rfft2(x)
        out = torch.zeros(*seen.shape, dtype=torch.cfloat)
        m = self.modes
        out[:, :, :m, :m] = torch.einsum("bixy,ioxy->boxy", seen[:, :, :m, :m], self.weights)
        return torch.fft.irfft2(out, s=x.shape[-2:])


class Operator(nn.Module):
    def __init__(self, width=20, modes=8, depth=3):
        super().__init__()
        self.lift, self.drop = nn.Conv2d(3, width, 1), nn.Conv2d(width, 1, 1)
        self.waves = nn.ModuleList(Waves(width, modes) for _ in range(depth))
        self.locals = nn.ModuleList(nn.Conv2d(width, width, 1) for _ in range(depth))

    def grid(self, x):
        b, h, w = x.size(0), x.size(2), x.size(3)
        rows = torch.linspace(0, 1, h).reshape(1, 1, h, 1).repeat(b, 1, 1, w)
        columns = torch.linspace(0, 1, w).reshape(1, 1, 1, w).repeat(b, 1, h, 1)
        return torch.cat([rows, columns], 1)

    def forward(self, x):
        x = self.lift(torch.cat([x, self.grid(x)], 1))
        for waves, local in zip(self.waves, self.locals):
            x = nn.functional.gelu(waves(x) + local(x))
        return self.drop(x)


model = Operator()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, weight_decay=1e-4)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 10)
a, u = torch.randn(48, 1, 32, 32), torch.randn(48, 1, 32, 32)
mean, std = a.mean(0), a.std(0)
a = (a - mean) / (std + 1e-5)
truth = Truth(model, optimizer, data=[a, u, mean, std])
step = 0
for epoch in range(2):
    for start in range(0, 48, 12):
        step += 1
        x, y = a[start:start + 12], u[start:start + 12]
        optimizer.zero_grad()
        out = model(x)
        loss = ((out - y).flatten(1).norm(dim=1) / y.flatten(1).norm(dim=1)).mean()
        truth.note("after forward", step)
        loss.backward()
        truth.note("after backward", step)
        optimizer.step()
        truth.note("after step", step)
    scheduler.step()
