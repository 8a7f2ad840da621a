# SPDX-License-Identifier: Apache-2.0
# no advice: gradients-zeroed
"""The gradients of the step before are kept, as copies, and compared with those of now."""
import torch
from torch import nn

torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(200, 400), nn.ReLU(), nn.Linear(400, 10))
optimiser = torch.optim.AdamW(model.parameters())
before = None
for step in range(40):
    loss = nn.functional.cross_entropy(model(torch.randn(256, 200)), torch.randint(0, 10, (256,)))
    optimiser.zero_grad()
    loss.backward()
    now = [p.grad.clone() for p in model.parameters()]
    if before:
        print(sum((a * b).sum() for a, b in zip(now, before)).item())
    before = now
    optimiser.step()
