# SPDX-License-Identifier: Apache-2.0
"""Weights that learn quickly: an inner step is made for each task with functional_call, and the
loss after it goes backward through that step."""
import torch
from torch import nn
from torch.func import functional_call
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(20, 200), nn.ReLU(), nn.Linear(200, 200), nn.ReLU(),
                      nn.Linear(200, 1))
optimiser = torch.optim.Adam(model.parameters(), lr=1e-3)
truth = Truth(model, optimiser)


def adapted(x, y):
    weights = dict(model.named_parameters())
    loss = nn.functional.mse_loss(functional_call(model, weights, (x,)), y)
    slopes = torch.autograd.grad(loss, tuple(weights.values()), create_graph=True)
    return {name: weight - 0.01 * slope
            for (name, weight), slope in zip(weights.items(), slopes)}


for step in range(1, 7):
    optimiser.zero_grad()
    total = 0
    for _ in range(3):
        x, y = torch.randn(40, 20), torch.randn(40, 1)
        truth.inputs(x, y)
        weights = adapted(x[:20], y[:20])
        answers = functional_call(model, weights, (x[20:],))
        total = total + nn.functional.mse_loss(answers, y[20:])
    truth.note("after forward", step)
    total.backward()
    truth.note("after backward", step)
    optimiser.step()
    truth.note("after step", step)
