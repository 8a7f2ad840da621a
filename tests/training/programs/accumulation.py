# SPDX-License-Identifier: Apache-2.0
"""The gradients of two batches are added up before each step of RMSprop with momentum."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(100, 400), nn.GELU(), nn.LayerNorm(400), nn.Linear(400, 400),
                      nn.GELU(), nn.Linear(400, 10))
optimiser = torch.optim.RMSprop(model.parameters(), lr=1e-3, momentum=0.9)
truth = Truth(model, optimiser)
for step in range(1, 7):
    optimiser.zero_grad()
    for part in ("first", "second"):
        x, y = torch.randn(64, 100), torch.randint(0, 10, (64,))
        truth.inputs(x, y)
        loss = nn.functional.cross_entropy(model(x), y) / 2
        truth.note(f"after forward of the {part} batch", step)
        loss.backward()
        truth.note(f"after backward of the {part} batch", step)
    optimiser.step()
    truth.note("after step", step)
