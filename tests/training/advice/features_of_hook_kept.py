# SPDX-License-Identifier: Apache-2.0
# advice: loss-graph-kept
"""A hook, registered once, puts the features of each batch into a list, with their graphs."""
import torch
from torch import nn

torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(200, 400), nn.ReLU(), nn.Linear(400, 10))
optimiser = torch.optim.AdamW(model.parameters())
features = []
model[1].register_forward_hook(lambda module, given, out: features.append(out))
for step in range(40):
    loss = nn.functional.cross_entropy(model(torch.randn(256, 200)), torch.randint(0, 10, (256,)))
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
