# SPDX-License-Identifier: Apache-2.0
"""A differential equation is solved without a graph, and a function of autograd solves the adjoint
one in the backward pass, where it asks for the gradients of each step."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)


class Flow(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(width, 256), nn.Tanh(), nn.Linear(256, width))

    def forward(self, z):
        return self.net(z)


class Solve(torch.autograd.Function):
    @staticmethod
    def forward(ctx, z, flow, steps, *weights):
        ctx.flow, ctx.steps = flow, steps
        with torch.no_grad():
            for _ in range(steps):
                z = z + flow(z) / steps
        ctx.save_for_backward(z, *weights)
        return z

    @staticmethod
    def backward(ctx, grad):
        z, *weights = ctx.saved_tensors
        sums = [torch.zeros_like(w) for w in weights]
        for _ in range(ctx.steps):
            with torch.enable_grad():
                z = z.detach().requires_grad_()
                change = ctx.flow(z)
                parts = torch.autograd.grad(change, (z, *weights), grad)
            z = z - change.detach() / ctx.steps
            grad = grad + parts[0] / ctx.steps
            for total, part in zip(sums, parts[1:]):
                total += part / ctx.steps
        return grad, None, None, *sums


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.flow, self.last = nn.Linear(64, 128), Flow(128), nn.Linear(128, 10)

    def forward(self, x):
        return self.last(Solve.apply(self.first(x), self.flow, 10, *self.flow.parameters()))


model = Model()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
truth = Truth(model, optimizer)
for step in range(1, 7):
    x, y = torch.randn(256, 64), torch.randint(0, 10, (256,))
    truth.inputs(x, y)
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    truth.note("after forward", step)
    loss.backward()
    truth.note("after backward", step)
    optimizer.step()
    truth.note("after step", step)
