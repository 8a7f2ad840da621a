# SPDX-License-Identifier: Apache-2.0
# advice: loss-graph-kept
"""A sum of the losses of all steps keeps the graph of each, for a mean that is printed."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(100, 400), nn.ReLU(), nn.Linear(400, 10))
optimiser = torch.optim.SGD(model.parameters(), lr=0.01)
total = 0
for step in range(20):
    x, y = torch.randn(64, 100), torch.randint(0, 10, (64,))
    loss = nn.functional.cross_entropy(model(x), y)
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
    total += loss
print(total > 0)
