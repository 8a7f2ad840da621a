# SPDX-License-Identifier: Apache-2.0
"""Training goes on from a file that another run left: weights and state are loaded."""
import os
import tempfile

import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)


def made():
    model = nn.Sequential(nn.Linear(100, 400), nn.GELU(), nn.Linear(400, 300), nn.GELU(),
                         nn.Linear(300, 10))
    return model, torch.optim.AdamW(model.parameters(), lr=1e-3)


path = os.path.join(tempfile.mkdtemp(), "checkpoint.pt")
model, optimiser = made()
for parameter in model.parameters():
    parameter.grad = torch.zeros_like(parameter)
optimiser.step()
torch.save({"model": model.state_dict(), "optimiser": optimiser.state_dict()}, path)
del model, optimiser, parameter

model, optimiser = made()
saved = torch.load(path)
model.load_state_dict(saved["model"])
optimiser.load_state_dict(saved["optimiser"])
del saved
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
