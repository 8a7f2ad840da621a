# SPDX-License-Identifier: Apache-2.0
"""A slow copy of the network makes keys, and a queue keeps the last thousands of them."""
import copy

import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)

query = nn.Sequential(nn.Conv2d(3, 32, 3, 2), nn.BatchNorm2d(32), nn.ReLU(),
                      nn.Conv2d(32, 64, 3, 2), nn.BatchNorm2d(64), nn.ReLU(),
                      nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                      nn.Linear(64, 64))
key = copy.deepcopy(query).requires_grad_(False)


class Contrast(nn.Module):
    def __init__(self):
        super().__init__()
        self.query = query
        self.register_buffer("queue", nn.functional.normalize(torch.randn(64, 2048), dim=0))

    def forward(self, x, keys):
        q = nn.functional.normalize(self.query(x), dim=1)
        alike = torch.einsum("nc,nc->n", q, keys).unsqueeze(-1)
        others = q @ self.queue.clone().detach()
        return torch.cat([alike, others], dim=1) / 0.07


model = Contrast()
optimiser = torch.optim.SGD(model.parameters(), 0.03, momentum=0.9, weight_decay=1e-4)
truth = Truth(model, optimiser, states=[list(key.parameters()), list(key.buffers())])
at = 0
for step in range(1, 7):
    one, two = torch.randn(32, 3, 32, 32), torch.randn(32, 3, 32, 32)
    truth.inputs(one, two)
    with torch.no_grad():
        for p, k in zip(query.parameters(), key.parameters()):
            k.mul_(0.99).add_(p, alpha=0.01)
        keys = nn.functional.normalize(key(two), dim=1)
    scores = model(one, keys)
    loss = nn.functional.cross_entropy(scores, torch.zeros(32, dtype=torch.long))
    truth.note("after forward", step)
    optimiser.zero_grad()
    loss.backward()
    truth.note("after backward", step)
    optimiser.step()
    model.queue[:, at:at + 32] = keys.T
    at = (at + 32) % 2048
    truth.note("after step", step)
