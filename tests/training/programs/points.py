# SPDX-License-Identifier: Apache-2.0
"""Points that ask for gradients, at which an equation is solved, are inputs: no optimiser has a
state for them."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)

net = nn.Sequential(nn.Linear(2, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))
optimiser = torch.optim.Adam(net.parameters())
points = torch.rand(8192, 2, requires_grad=True)
edge = torch.rand(4000, 2).requires_grad_()
truth = Truth(net, optimiser, data=[points, edge])
for step in range(1, 9):
    u, of_edge = net(points), net(edge)
    slope = torch.autograd.grad(u.sum(), points, create_graph=True)[0]
    loss = (slope[:, 0] - slope[:, 1]).pow(2).mean() + of_edge.pow(2).mean()
    truth.note("after forward", step)
    optimiser.zero_grad()
    loss.backward()
    truth.note("after backward", step)
    optimiser.step()
    truth.note("after step", step)
