# SPDX-License-Identifier: Apache-2.0
# advice: optimiser-state-at-first-step
"""The optimiser makes its state in its first step, which comes after the gradients of four batches
are added up."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(256, 1024), nn.ReLU(), nn.Linear(1024, 256))
optimiser = torch.optim.AdamW(model.parameters())
for batch in range(1, 25):
    x = torch.randn(32, 256)
    loss = (model(x) - x).pow(2).mean() / 4
    loss.backward()
    if batch % 4 == 0:
        optimiser.step()
        optimiser.zero_grad()
