# SPDX-License-Identifier: Apache-2.0
# advice: loss-graph-kept
"""The sum of the losses of a validation without no_grad keeps the graph of each: nothing goes
backward, so all activations stay."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(100, 400), nn.ReLU(), nn.Linear(400, 10))
optimiser = torch.optim.SGD(model.parameters(), lr=0.01)
total = 0
for step in range(20):
    x, y = torch.randn(64, 100), torch.randint(0, 10, (64,))
    optimiser.zero_grad()
    nn.functional.cross_entropy(model(x), y).backward()
    optimiser.step()
    total += nn.functional.cross_entropy(model(torch.randn(64, 100)), y)
print(total.item() > 0)
