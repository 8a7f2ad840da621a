# SPDX-License-Identifier: Apache-2.0
"""Two stages, each with its optimiser, trained in micro-batches with accumulated gradients."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)

one = nn.Sequential(nn.Linear(100, 400), nn.ReLU(), nn.Linear(400, 200))
two = nn.Sequential(nn.ReLU(), nn.Linear(200, 400), nn.ReLU(), nn.Linear(400, 10))
first = torch.optim.Adam(one.parameters())
second = torch.optim.SGD(two.parameters(), 0.1, momentum=0.9)


class Both:
    param_groups = []

    @property
    def state(self):
        return {**first.state, **second.state}


truth = Truth(nn.ModuleList([one, two]), Both())
for step in range(1, 7):
    batch, labels = torch.randn(64, 100), torch.randint(0, 10, (64,))
    truth.inputs(batch, labels)
    pieces = []
    for x, y in zip(batch.chunk(4), labels.chunk(4)):
        middle = one(x)
        given = middle.detach().requires_grad_()
        loss = nn.functional.cross_entropy(two(given), y) / 4
        pieces.append((middle, given, loss))
    truth.note("after forward", step)
    for middle, given, loss in reversed(pieces):
        loss.backward()
        middle.backward(given.grad)
    truth.note("after backward", step)
    first.step()
    second.step()
    truth.note("after step", step)
    first.zero_grad()
    second.zero_grad()
    pieces.clear()
