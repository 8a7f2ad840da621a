# SPDX-License-Identifier: Apache-2.0
# advice: optimiser-state-at-first-step
"""SGD makes its momentum at the first step."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(300, 600), nn.ReLU(), nn.Linear(600, 10))
optimiser = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
for step in range(6):
    x, y = torch.randn(16, 300), torch.randint(0, 10, (16,))
    optimiser.zero_grad()
    nn.functional.cross_entropy(model(x), y).backward()
    optimiser.step()
