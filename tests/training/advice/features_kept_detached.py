# SPDX-License-Identifier: Apache-2.0
# no advice: loss-graph-kept
# no advice: activations-dominate
"""A hook puts the features of each batch into a list, detached: they are kept, their graphs not."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(200, 800), nn.ReLU(), nn.Linear(800, 10))
optimiser = torch.optim.AdamW(model.parameters())
features = []
model[1].register_forward_hook(lambda module, given, out: features.append(out.detach()))
for step in range(20):
    loss = nn.functional.cross_entropy(model(torch.randn(512, 200)), torch.randint(0, 10, (512,)))
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
