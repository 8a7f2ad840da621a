# SPDX-License-Identifier: Apache-2.0
"""Mixed precision in float16: a scaler enlarges the loss, and makes gradients small again."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(100, 300), nn.GELU(), nn.Linear(300, 300), nn.GELU(),
                      nn.Linear(300, 10))
optimiser = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
scaler = torch.amp.GradScaler("cpu")
truth = Truth(model, optimiser)
for step in range(1, 7):
    x, y = torch.randn(64, 100), torch.randint(0, 10, (64,))
    truth.inputs(x, y)
    optimiser.zero_grad()
    with torch.autocast("cpu", dtype=torch.float16):
        loss = nn.functional.cross_entropy(model(x).float(), y)
    truth.note("after forward", step)
    scaler.scale(loss).backward()
    truth.note("after backward", step)
    scaler.unscale_(optimiser)
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimiser)
    scaler.update()
    truth.note("after step", step)
