# SPDX-License-Identifier: Apache-2.0
# advice: loss-graph-kept
"""A list keeps the loss of each step, and with it the graph that made it. What the graph had saved
is freed by the backward pass, so little is held: the nodes, and the loss."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(100, 400), nn.ReLU(), nn.Linear(400, 10))
optimiser = torch.optim.SGD(model.parameters(), lr=0.01)
losses = []
for step in range(20):
    x, y = torch.randn(64, 100), torch.randint(0, 10, (64,))
    loss = nn.functional.cross_entropy(model(x), y)
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
    losses.append(loss)
print(len(losses))
