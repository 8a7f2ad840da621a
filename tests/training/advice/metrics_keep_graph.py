# SPDX-License-Identifier: Apache-2.0
# advice: loss-graph-kept
"""A class of metrics adds the loss up as a tensor, with its graph, for the mean of an epoch."""
import torch
from torch import nn

torch.set_num_threads(1)


class Metrics:
    def __init__(self):
        self.sums = {}

    def add(self, **values):
        for name, value in values.items():
            self.sums[name] = self.sums.get(name, 0) + value


model = nn.Sequential(nn.Linear(200, 400), nn.ReLU(), nn.Linear(400, 10))
optimiser = torch.optim.SGD(model.parameters(), lr=0.01)
metrics = Metrics()
for step in range(40):
    out = model(torch.randn(256, 200))
    loss = nn.functional.cross_entropy(out, torch.randint(0, 10, (256,)))
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
    metrics.add(loss=loss, right=(out.argmax(1) == 0).float().mean())
print(metrics.sums["loss"].item() / 40)
