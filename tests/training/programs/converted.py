# SPDX-License-Identifier: Apache-2.0
"""The model is converted to another precision before it is trained."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(100, 400), nn.ReLU(), nn.BatchNorm1d(400), nn.Linear(400, 200),
                      nn.ReLU(), nn.Linear(200, 10)).to(torch.float64)
optimiser = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, nesterov=True)
truth = Truth(model, optimiser)
for step in range(1, 7):
    x, y = torch.randn(64, 100, dtype=torch.float64), torch.randint(0, 10, (64,))
    truth.inputs(x, y)
    optimiser.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    truth.note("after forward", step)
    loss.backward()
    truth.note("after backward", step)
    optimiser.step()
    truth.note("after step", step)
