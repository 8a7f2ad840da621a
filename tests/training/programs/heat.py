# SPDX-License-Identifier: Apache-2.0
"""A network learns an equation of heat: its own second derivatives are part of the loss, first with
Adam and then with LBFGS."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)


class Field(nn.Module):
    def __init__(self, width=64, depth=4):
        super().__init__()
        layers = [nn.Linear(2, width), nn.Tanh()]
        for _ in range(depth - 1):
            layers += [nn.Linear(width, width), nn.Tanh()]
        self.net = nn.Sequential(*layers, nn.Linear(width, 1))

    def forward(self, x, t):
        return self.net(torch.cat([x, t], dim=1))


def slope(of, at):
    return torch.autograd.grad(of, at, torch.ones_like(of), create_graph=True)[0]


def residual(field, x, t):
    u = field(x, t)
    u_t, u_x = slope(u, t), slope(u, x)
    return u_t - 0.1 * slope(u_x, x)


field = Field()
x0 = torch.linspace(0, 1, 400).unsqueeze(1)
u0, t0 = torch.sin(torch.pi * x0), torch.zeros(400, 1)
optimiser = torch.optim.Adam(field.parameters(), lr=1e-3)
truth = Truth(field, optimiser, data=[x0, u0, t0])


def loss_of():
    x = torch.rand(1000, 1, requires_grad=True)
    t = torch.rand(1000, 1, requires_grad=True)
    truth.inputs(x, t)
    inside = residual(field, x, t).pow(2).mean()
    return inside + (field(x0, t0) - u0).pow(2).mean()


for step in range(1, 9):
    optimiser.zero_grad()
    loss = loss_of()
    truth.note("after forward", step)
    loss.backward()
    truth.note("after backward", step)
    optimiser.step()
    truth.note("after step", step)
