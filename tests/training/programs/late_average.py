# SPDX-License-Identifier: Apache-2.0
"""An average of the weights begins in the middle of the training, by a deep copy."""
import copy

import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(100, 400), nn.GELU(), nn.Linear(400, 300), nn.GELU(),
                         nn.Linear(300, 10))
average = None
optimiser = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
truth = Truth(model, optimiser)
for step in range(1, 9):
    x, y = torch.randn(64, 100), torch.randint(0, 10, (64,))
    truth.inputs(x, y)
    optimiser.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    truth.note("after forward", step)
    loss.backward()
    truth.note("after backward", step)
    optimiser.step()
    if step == 4:
        average = copy.deepcopy(model).requires_grad_(False)
        truth.states = [list(average.parameters())]
    elif average is not None:
        with torch.no_grad():
            for a, p in zip(average.parameters(), model.parameters()):
                a.lerp_(p, 0.1)
    truth.note("after step", step)
