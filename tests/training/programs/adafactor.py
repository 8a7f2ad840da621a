# SPDX-License-Identifier: Apache-2.0
"""Adafactor, whose state is a row and a column for each matrix."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(128, 512), nn.SiLU(), nn.Linear(512, 512), nn.SiLU(),
                      nn.Linear(512, 20))
optimiser = torch.optim.Adafactor(model.parameters(), lr=1e-2)
truth = Truth(model, optimiser)
for step in range(1, 7):
    x, y = torch.randn(32, 128), torch.randn(32, 20)
    truth.inputs(x, y)
    loss = nn.functional.smooth_l1_loss(model(x), y)
    truth.note("after forward", step)
    loss.backward()
    truth.note("after backward", step)
    optimiser.step()
    truth.note("after step", step)
    optimiser.zero_grad()
