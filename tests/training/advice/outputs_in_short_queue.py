# SPDX-License-Identifier: Apache-2.0
# no advice: loss-graph-kept
"""The last three losses are kept as tensors, without their graphs, to see whether they fall."""
import collections

import torch
from torch import nn

torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(200, 400), nn.ReLU(), nn.Linear(400, 10))
optimiser = torch.optim.SGD(model.parameters(), lr=0.01)
last = collections.deque(maxlen=3)
for step in range(40):
    out = model(torch.randn(256, 200))
    loss = nn.functional.cross_entropy(out, torch.randint(0, 10, (256,)))
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
    last.append((loss.detach(), out.detach()))
