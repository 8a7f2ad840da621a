# SPDX-License-Identifier: Apache-2.0
# on device
# advice: segments-fragmented
"""Large results are kept in places that shorter batches left, so longer ones find no room there."""
import truth  # noqa: F401  puts the tensors on the device
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(128, 512), nn.GELU(), nn.Linear(512, 128))
optimiser = torch.optim.AdamW(model.parameters())
kept = []
for length in range(9000, 22000, 1000):
    x = torch.randn(length, 128)
    out = model(x)
    loss = out.square().mean()
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
    del loss
    kept.append(out.detach()[: length // 2].clone())
    del out
