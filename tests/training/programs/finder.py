# SPDX-License-Identifier: Apache-2.0
"""Everything is copied, some rates are tried, and everything is put back."""
import copy

import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(100, 400), nn.GELU(), nn.Linear(400, 300), nn.GELU(),
                         nn.Linear(300, 10))
optimiser = torch.optim.AdamW(model.parameters())
before = copy.deepcopy((model.state_dict(), optimiser.state_dict()))
for rate in (1e-4, 1e-3, 1e-2):
    optimiser.param_groups[0]["lr"] = rate
    x, y = torch.randn(64, 100), torch.randint(0, 10, (64,))
    optimiser.zero_grad()
    nn.functional.cross_entropy(model(x), y).backward()
    optimiser.step()
model.load_state_dict(before[0])
optimiser.load_state_dict(before[1])
del before
truth = Truth(model, optimiser)
for step in range(1, 7):
    x, y = torch.randn(64, 100), torch.randint(0, 10, (64,))
    truth.inputs(x, y)
    optimiser.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    truth.note("after forward", step)
    loss.backward()
    truth.note("after backward", step)
    optimiser.step()
    truth.note("after step", step)
