# SPDX-License-Identifier: Apache-2.0
# no advice: loss-graph-kept
"""Each epoch keeps its best batch's loss as a number, and its last output until the next epoch."""
import torch
from torch import nn

torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(200, 400), nn.ReLU(), nn.Linear(400, 10))
optimiser = torch.optim.AdamW(model.parameters())
for epoch in range(4):
    best = float("inf")
    for step in range(12):
        out = model(torch.randn(256, 200))
        loss = nn.functional.cross_entropy(out, torch.randint(0, 10, (256,)))
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        best = min(best, loss.item())
    shown = out
