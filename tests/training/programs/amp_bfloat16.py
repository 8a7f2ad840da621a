# SPDX-License-Identifier: Apache-2.0
"""Mixed precision: the forward pass runs in bfloat16, on copies of the weights."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(100, 300), nn.ReLU(), nn.Linear(300, 300), nn.ReLU(),
                      nn.Linear(300, 10))
optimiser = torch.optim.AdamW(model.parameters())
truth = Truth(model, optimiser)
for step in range(1, 7):
    x, y = torch.randn(64, 100), torch.randint(0, 10, (64,))
    truth.inputs(x, y)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = nn.functional.cross_entropy(model(x), y)
    truth.note("after forward", step)
    loss.backward()
    truth.note("after backward", step)
    optimiser.step()
    truth.note("after step", step)
    optimiser.zero_grad()
