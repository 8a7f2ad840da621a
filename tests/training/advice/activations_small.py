# SPDX-License-Identifier: Apache-2.0
# no advice: activations-dominate
"""The parameters and their gradients are most of the peak."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(600, 900), nn.ReLU(), nn.Linear(900, 10))
optimiser = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(6):
    x = torch.randn(4, 600)
    optimiser.zero_grad()
    model(x).square().mean().backward()
    optimiser.step()
