# SPDX-License-Identifier: Apache-2.0
"""The layer is a fixed point: it is found without a graph, one step behind it has one, and a hook
solves for the gradient in the backward pass."""
import torch
from torch import autograd, nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)


class Fixed(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.inner, self.outer = nn.Linear(width, width), nn.Linear(width, width)
        self.norm = nn.LayerNorm(width)

    def cell(self, z, x):
        return self.norm(torch.tanh(0.5 * self.inner(z) + self.outer(x)))

    def forward(self, x):
        with torch.no_grad():
            z = torch.zeros_like(x)
            for _ in range(12):
                z = self.cell(z, x)
        z = self.cell(z, x)
        if not self.training:
            return z
        z0 = z.clone().detach().requires_grad_()
        f0 = self.cell(z0, x)

        def solve(grad):
            g = grad
            for _ in range(8):
                g = autograd.grad(f0, z0, g, retain_graph=True)[0] + grad
            return g

        z.register_hook(solve)
        return z


model = nn.Sequential(nn.Linear(64, 256), Fixed(256), nn.Linear(256, 20))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
truth = Truth(model, optimizer)
for step in range(1, 7):
    x, y = torch.randn(128, 64), torch.randint(0, 20, (128,))
    truth.inputs(x, y)
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    truth.note("after forward", step)
    loss.backward()
    truth.note("after backward", step)
    optimizer.step()
    truth.note("after step", step)
