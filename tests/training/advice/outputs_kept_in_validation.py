# SPDX-License-Identifier: Apache-2.0
# advice: loss-graph-kept
"""The answers of a validation without no_grad are kept in a list, with all that made them."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(100, 400), nn.ReLU(), nn.Linear(400, 10))
optimiser = torch.optim.SGD(model.parameters(), lr=0.01)
answers = []
for step in range(10):
    x, y = torch.randn(64, 100), torch.randint(0, 10, (64,))
    optimiser.zero_grad()
    nn.functional.cross_entropy(model(x), y).backward()
    optimiser.step()
    answers.append(model(torch.randn(64, 100)))
print(len(answers))
