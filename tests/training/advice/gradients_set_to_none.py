# SPDX-License-Identifier: Apache-2.0
# no advice: gradients-zeroed
"""Gradients are set to None before the forward pass."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(300, 600), nn.ReLU(), nn.Linear(600, 10))
optimiser = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(6):
    x, y = torch.randn(128, 300), torch.randint(0, 10, (128,))
    optimiser.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimiser.step()
