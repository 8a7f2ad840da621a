# SPDX-License-Identifier: Apache-2.0
# on device
# no advice: segments-fragmented
"""Each batch has the same length, so each finds the segments of the one before."""
import truth  # noqa: F401  puts the tensors on the device
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(128, 512), nn.GELU(), nn.Linear(512, 128), nn.Linear(128, 10))
optimiser = torch.optim.AdamW(model.parameters())
for length in [24000] * 16:
    x, y = torch.randn(length, 128), torch.randint(0, 10, (length,))
    loss = nn.functional.cross_entropy(model(x), y)
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
