# SPDX-License-Identifier: Apache-2.0
"""Gradients of batches are added up in plain tensors, which become the gradients before a step."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(100, 400), nn.ReLU(), nn.Linear(400, 200), nn.ReLU(),
                      nn.Linear(200, 10))
optimiser = torch.optim.Adam(model.parameters(), 1e-3)
truth = Truth(model, optimiser)
for step in range(1, 7):
    sums = [torch.zeros_like(p) for p in model.parameters()]
    for i, one in enumerate(sums):
        truth.bucket(i, one)
    for part in range(4):
        x, y = torch.randn(32, 100), torch.randint(0, 10, (32,))
        truth.inputs(x, y)
        loss = nn.functional.cross_entropy(model(x), y) / 4
        if part == 2:
            truth.note("after forward", step)
        loss.backward()
        with torch.no_grad():
            for p, one in zip(model.parameters(), sums):
                one += p.grad
                p.grad = None
    for p, one in zip(model.parameters(), sums):
        p.grad = one
    truth.note("after backward", step)
    optimiser.step()
    del sums, one, p
    truth.buckets.clear()
    optimiser.zero_grad()
    truth.note("after step", step)
