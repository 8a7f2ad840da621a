# SPDX-License-Identifier: Apache-2.0
"""Slow weights follow fast ones; every second step a copy of the slow ones takes over."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(100, 400), nn.GELU(), nn.Linear(400, 300), nn.GELU(),
                         nn.Linear(300, 10))
optimiser = torch.optim.AdamW(model.parameters())
slow = [p.detach().clone() for p in model.parameters()]
truth = Truth(model, optimiser, states=[slow])
for step in range(1, 9):
    x, y = torch.randn(64, 100), torch.randint(0, 10, (64,))
    truth.inputs(x, y)
    optimiser.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    truth.note("after forward", step)
    loss.backward()
    truth.note("after backward", step)
    optimiser.step()
    if step % 2 == 0:
        for p, of_slow in zip(model.parameters(), slow):
            of_slow.add_(0.5 * (p.detach() - of_slow))
            p.data = of_slow.clone()
    truth.note("after step", step)
