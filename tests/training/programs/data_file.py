# SPDX-License-Identifier: Apache-2.0
"""The data comes from a file that torch.load reads, and lives as long as the program."""
import os
import tempfile

import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)

path = os.path.join(tempfile.mkdtemp(), "data.pt")
torch.save({"x": torch.randn(2000, 100), "y": torch.randint(0, 10, (2000,))}, path)
data = torch.load(path)
model = nn.Sequential(nn.Linear(100, 400), nn.GELU(), nn.Linear(400, 300), nn.GELU(),
                         nn.Linear(300, 10))
optimiser = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
truth = Truth(model, optimiser, data=list(data.values()))
for step in range(1, 7):
    part = torch.randperm(2000)[:64]
    x, y = data["x"][part], data["y"][part]
    truth.inputs(x, y, part)
    optimiser.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    truth.note("after forward", step)
    loss.backward()
    truth.note("after backward", step)
    optimiser.step()
    truth.note("after step", step)
