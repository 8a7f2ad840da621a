# SPDX-License-Identifier: Apache-2.0
# no advice: activations-dominate
"""The layers are checkpointed already, and large: activations are not most of the peak."""
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

torch.manual_seed(0)
torch.set_num_threads(1)

layers = nn.ModuleList(nn.Sequential(nn.Linear(400, 400), nn.ReLU()) for _ in range(4))
optimiser = torch.optim.AdamW(layers.parameters())
for step in range(6):
    x = torch.randn(64, 400)
    for layer in layers:
        x = checkpoint(layer, x, use_reentrant=False)
    optimiser.zero_grad()
    x.square().mean().backward()
    optimiser.step()
