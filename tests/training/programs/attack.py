# SPDX-License-Identifier: Apache-2.0
"""Adversarial training: a batch is changed along its own gradient before the model learns it."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)

model = nn.Sequential(nn.Conv2d(3, 24, 3, 2), nn.ReLU(), nn.Conv2d(24, 48, 3, 2), nn.ReLU(),
                      nn.Flatten(), nn.Linear(48 * 25, 10))
optimiser = torch.optim.SGD(model.parameters(), 0.05, momentum=0.9)
truth = Truth(model, optimiser)


def changed(x, y, rounds=3):
    delta = torch.zeros_like(x).uniform_(-0.03, 0.03).requires_grad_(True)
    for _ in range(rounds):
        loss = nn.functional.cross_entropy(model(x + delta), y)
        slope, = torch.autograd.grad(loss, delta)
        delta = (delta.detach() + 0.01 * slope.sign()).clamp(-0.03, 0.03).requires_grad_(True)
    return (x + delta).detach()


for step in range(1, 7):
    x, y = torch.rand(64, 3, 24, 24), torch.randint(0, 10, (64,))
    bad = changed(x, y)
    truth.inputs(x, y, bad)
    loss = nn.functional.cross_entropy(model(bad), y)
    truth.note("after forward", step)
    optimiser.zero_grad()
    loss.backward()
    truth.note("after backward", step)
    optimiser.step()
    truth.note("after step", step)
