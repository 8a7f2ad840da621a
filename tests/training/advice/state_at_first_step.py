# SPDX-License-Identifier: Apache-2.0
# advice: optimiser-state-at-first-step
"""AdamW makes its state at the first step, so the second step needs more than the first."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(300, 600), nn.ReLU(), nn.Linear(600, 10))
optimiser = torch.optim.AdamW(model.parameters())
for step in range(6):
    x, y = torch.randn(16, 300), torch.randint(0, 10, (16,))
    optimiser.zero_grad()
    nn.functional.cross_entropy(model(x), y).backward()
    optimiser.step()
