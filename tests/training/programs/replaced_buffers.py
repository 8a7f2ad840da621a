# SPDX-License-Identifier: Apache-2.0
"""A layer whitens its input by statistics that it keeps in buffers, and gives each buffer a new
tensor in each step instead of changing it in place."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)


class Whiten(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.register_buffer("mean", torch.zeros(width))
        self.register_buffer("spread", torch.eye(width))
        self.gain = nn.Parameter(torch.ones(width))

    def forward(self, x):
        if self.training:
            with torch.no_grad():
                rest = x - x.mean(0)
                spread = rest.T @ rest / x.size(0)
                self.mean = 0.9 * self.mean + 0.1 * x.mean(0)
                self.spread = 0.9 * self.spread + 0.1 * spread
        factor = torch.linalg.cholesky(self.spread + 1e-3 * torch.eye(x.size(1)))
        white = torch.linalg.solve_triangular(factor, (x - self.mean).T, upper=False).T
        return white * self.gain


model = nn.Sequential(nn.Linear(128, 256), Whiten(256), nn.ReLU(), nn.Linear(256, 192),
                      Whiten(192), nn.ReLU(), nn.Linear(192, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
truth = Truth(model, optimizer)
for step in range(1, 8):
    x, y = torch.randn(320, 128), torch.randint(0, 10, (320,))
    truth.inputs(x, y)
    loss = nn.functional.cross_entropy(model(x), y)
    truth.note("after forward", step)
    optimizer.zero_grad()
    loss.backward()
    truth.note("after backward", step)
    optimizer.step()
    truth.note("after step", step)
