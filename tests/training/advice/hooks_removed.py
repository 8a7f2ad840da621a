# SPDX-License-Identifier: Apache-2.0
# no advice: hooks-registered-each-step
"""A hook is registered at each step, and removed at its end."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(100, 400), nn.ReLU(), nn.Linear(400, 10))
optimiser = torch.optim.SGD(model.parameters(), lr=0.01)
seen = []


def remember_size(module, inputs, output):
    seen.append(output.numel())


for step in range(200):
    x, y = torch.randn(4, 100), torch.randint(0, 10, (4,))
    handle = model[0].register_forward_hook(remember_size)
    optimiser.zero_grad()
    nn.functional.cross_entropy(model(x), y).backward()
    optimiser.step()
    handle.remove()
print(len(seen) > 0)
