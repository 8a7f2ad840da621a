# SPDX-License-Identifier: Apache-2.0
"""Weights and momenta are both replaced in a function of the program: p.data = p.data - v."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(100, 400), nn.ReLU(), nn.Linear(400, 200), nn.ReLU(),
                      nn.Linear(200, 10))
velocity = {}
truth = Truth(model, states=[velocity])


def update(rate=0.01):
    for name, p in model.named_parameters():
        old = velocity.get(name, torch.zeros_like(p.data))
        velocity[name] = 0.9 * old + p.grad
        p.data = p.data - rate * velocity[name]


for step in range(1, 7):
    x, y = torch.randn(64, 100), torch.randint(0, 10, (64,))
    truth.inputs(x, y)
    loss = nn.functional.cross_entropy(model(x), y)
    truth.note("after forward", step)
    model.zero_grad()
    loss.backward()
    truth.note("after backward", step)
    update()
    truth.note("after step", step)
