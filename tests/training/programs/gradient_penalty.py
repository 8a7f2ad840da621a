# SPDX-License-Identifier: Apache-2.0
"""The gradient of the input is part of the loss: a backward pass that is gone through backward."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(100, 400), nn.Tanh(), nn.Linear(400, 200), nn.Tanh(),
                      nn.Linear(200, 1))
optimiser = torch.optim.Adam(model.parameters(), betas=(0.0, 0.9))
truth = Truth(model, optimiser)
for step in range(1, 7):
    x = torch.randn(32, 100, requires_grad=True)
    truth.inputs(x)
    scores = model(x)
    slope, = torch.autograd.grad(scores.sum(), x, create_graph=True)
    loss = scores.mean() + 10 * (slope.norm(dim=1) - 1).square().mean()
    truth.note("after forward", step)
    optimiser.zero_grad()
    loss.backward()
    truth.note("after backward", step)
    optimiser.step()
    truth.note("after step", step)
