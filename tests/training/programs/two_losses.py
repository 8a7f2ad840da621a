# SPDX-License-Identifier: Apache-2.0
"""Two tasks share a body. Each goes backward through it, so the first one keeps the graph."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)

body = nn.Sequential(nn.Linear(100, 400), nn.ReLU(), nn.Linear(400, 300), nn.ReLU())
classes, amount = nn.Linear(300, 10), nn.Linear(300, 1)
model = nn.ModuleList([body, classes, amount])
optimiser = torch.optim.AdamW(model.parameters())
truth = Truth(model, optimiser)
for step in range(1, 7):
    x, y, z = torch.randn(64, 100), torch.randint(0, 10, (64,)), torch.randn(64, 1)
    truth.inputs(x, y, z)
    optimiser.zero_grad(set_to_none=True)
    shared = body(x)
    first = nn.functional.cross_entropy(classes(shared), y)
    first.backward(retain_graph=True)
    truth.note("after backward of the first", step)
    second = nn.functional.mse_loss(amount(shared), z)
    truth.note("after forward of the second", step)
    second.backward()
    truth.note("after backward of the second", step)
    optimiser.step()
    truth.note("after step", step)
