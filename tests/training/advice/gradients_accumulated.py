# SPDX-License-Identifier: Apache-2.0
# no advice: gradients-zeroed
"""Gradients of four batches are added up: they have to be held during the forward pass."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(300, 600), nn.ReLU(), nn.Linear(600, 10))
optimiser = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(16):
    x, y = torch.randn(128, 300), torch.randint(0, 10, (128,))
    loss = nn.functional.cross_entropy(model(x), y) / 4
    loss.backward()
    if step % 4 == 3:
        optimiser.step()
        optimiser.zero_grad()
