# SPDX-License-Identifier: Apache-2.0
"""An optimiser written by hand: the momentum is in a list, and no module of torch.optim is used."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(100, 400), nn.Tanh(), nn.Linear(400, 200), nn.Tanh(),
                      nn.Linear(200, 10))
parameters = list(model.parameters())
momentum = [torch.zeros_like(parameter) for parameter in parameters]
truth = Truth(model, states=momentum)


def update(rate=0.01):
    with torch.no_grad():
        for parameter, velocity in zip(parameters, momentum):
            velocity.mul_(0.9).add_(parameter.grad)
            parameter -= rate * velocity
            parameter.grad = None


for step in range(1, 7):
    x, y = torch.randn(64, 100), torch.randn(64, 10)
    truth.inputs(x, y)
    loss = nn.functional.mse_loss(model(x), y)
    truth.note("after forward", step)
    loss.backward()
    truth.note("after backward", step)
    update()
    truth.note("after step", step)
