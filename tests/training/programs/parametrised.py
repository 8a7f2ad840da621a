# SPDX-License-Identifier: Apache-2.0
"""Weights are computed from others when they are used: weight norm and spectral norm."""
import torch
from torch import nn
from torch.nn.utils.parametrizations import spectral_norm, weight_norm
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)

model = nn.Sequential(weight_norm(nn.Linear(100, 400)), nn.ELU(),
                      spectral_norm(nn.Linear(400, 300)), nn.ELU(), nn.Linear(300, 10))
optimiser = torch.optim.Adamax(model.parameters())
truth = Truth(model, optimiser)
for step in range(1, 7):
    x, y = torch.randn(64, 100), torch.randint(0, 10, (64,))
    truth.inputs(x, y)
    loss = nn.functional.multi_margin_loss(model(x), y)
    truth.note("after forward", step)
    optimiser.zero_grad()
    loss.backward()
    truth.note("after backward", step)
    optimiser.step()
    truth.note("after step", step)
