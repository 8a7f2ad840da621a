# SPDX-License-Identifier: Apache-2.0
# advice: hooks-registered-each-step
"""A hook of a parameter's gradient is registered at each step and never removed."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(100, 400), nn.ReLU(), nn.Linear(400, 10))
optimiser = torch.optim.SGD(model.parameters(), lr=0.01)
seen = []
for step in range(200):
    x, y = torch.randn(4, 100), torch.randint(0, 10, (4,))
    model[0].weight.register_hook(lambda gradient: seen.append(1))
    optimiser.zero_grad()
    nn.functional.cross_entropy(model(x), y).backward()
    optimiser.step()
print(len(seen) > 0)
