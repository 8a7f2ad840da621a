# SPDX-License-Identifier: Apache-2.0
"""The model gets another layer in the middle of its training."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(100, 300), nn.ReLU(), nn.Linear(300, 10))
optimiser = torch.optim.Adam(model.parameters())
truth = Truth(model, optimiser)
for step in range(1, 7):
    if step == 4:
        model = nn.Sequential(model[0], nn.ReLU(), nn.Linear(300, 280), nn.ReLU(),
                              nn.Linear(280, 10))
        optimiser = torch.optim.Adam(model.parameters())
        truth.model, truth.optimiser = model, optimiser
    x, y = torch.randn(64, 100), torch.randint(0, 10, (64,))
    truth.inputs(x, y)
    optimiser.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    truth.note("after forward", step)
    loss.backward()
    truth.note("after backward", step)
    optimiser.step()
    truth.note("after step", step)
