# SPDX-License-Identifier: Apache-2.0
"""SVRG: the gradient of all data at older weights is kept, and each step corrects its own by it."""
import copy

import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)

data, answers = torch.randn(512, 100), torch.randint(0, 10, (512,))
model = nn.Sequential(nn.Linear(100, 300), nn.ReLU(), nn.Linear(300, 200), nn.ReLU(),
                      nn.Linear(200, 10))
anchor, full = copy.deepcopy(model), []
truth = Truth(model, states=[list(anchor.parameters()), full], data=[data, answers])


def loss_of(network, index):
    x, y = data[index], answers[index]
    truth.inputs(x, y)
    return nn.functional.cross_entropy(network(x), y)


for step in range(1, 9):
    if step % 3 == 1:
        anchor.load_state_dict(model.state_dict())
        full[:] = torch.autograd.grad(loss_of(anchor, slice(None)), list(anchor.parameters()))
    index = torch.randint(0, 512, (32,))
    truth.inputs(index)
    loss = loss_of(model, index)
    truth.note("after forward", step)
    loss.backward()
    truth.note("after backward", step)
    older = torch.autograd.grad(loss_of(anchor, index), list(anchor.parameters()))
    with torch.no_grad():
        for p, old, mean in zip(model.parameters(), older, full):
            p -= 0.05 * (p.grad - old + mean)
    del older, old, mean, p
    truth.note("after step", step)
    model.zero_grad()
