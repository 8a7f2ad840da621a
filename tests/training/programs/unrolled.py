# SPDX-License-Identifier: Apache-2.0
"""Weights that learn quickly over several inner steps: each makes new weights of a module that is
written by hand, and the outer loss goes backward through all of them."""
import torch
import torch.nn.functional as F
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)


class Learner(nn.Module):
    def __init__(self):
        super().__init__()
        sizes = [(160, 64), (160,), (160, 160), (160,), (5, 160), (5,)]
        self.vars = nn.ParameterList()
        for size in sizes:
            weight = nn.Parameter(torch.ones(*size))
            if len(size) > 1:
                nn.init.kaiming_normal_(weight)
            else:
                nn.init.zeros_(weight)
            self.vars.append(weight)

    def forward(self, x, fast=None):
        w = self.vars if fast is None else fast
        x = F.relu(F.linear(x, w[0], w[1]))
        x = F.relu(F.linear(x, w[2], w[3]))
        return F.linear(x, w[4], w[5])


class Meta:
    def __init__(self, inner_steps=4, rate=0.05):
        self.net, self.inner_steps, self.rate = Learner(), inner_steps, rate
        self.optimiser = torch.optim.Adam(self.net.parameters(), lr=1e-3)

    def adapt(self, x, y):
        fast = None
        for _ in range(self.inner_steps):
            loss = F.cross_entropy(self.net(x, fast), y)
            now = list(self.net.parameters()) if fast is None else fast
            slopes = torch.autograd.grad(loss, now, create_graph=True)
            fast = [w - self.rate * slope for w, slope in zip(now, slopes)]
        return fast


meta = Meta()
truth = Truth(meta.net, meta.optimiser)
for step in range(1, 8):
    losses = []
    for task in range(3):
        x, y = torch.randn(50, 64), torch.randint(0, 5, (50,))
        truth.inputs(x, y)
        fast = meta.adapt(x[:25], y[:25])
        losses.append(F.cross_entropy(meta.net(x[25:], fast), y[25:]))
    meta.optimiser.zero_grad()
    loss = torch.stack(losses).mean()
    truth.note("after forward", step)
    loss.backward()
    truth.note("after backward", step)
    meta.optimiser.step()
    truth.note("after step", step)
