# SPDX-License-Identifier: Apache-2.0
"""Weights in a half precision, and the optimiser works on copies of them in the full one."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(100, 400), nn.GELU(), nn.Linear(400, 300), nn.GELU(),
                         nn.Linear(300, 10)).bfloat16()
masters = [p.detach().clone().float().requires_grad_() for p in model.parameters()]
optimiser = torch.optim.Adam(masters)
truth = Truth(model, optimiser, states=[masters])
for step in range(1, 7):
    x, y = torch.randn(64, 100), torch.randint(0, 10, (64,))
    truth.inputs(x, y)
    model.zero_grad()
    loss = nn.functional.cross_entropy(model(x.bfloat16()).float(), y)
    truth.note("after forward", step)
    loss.backward()
    truth.note("after backward", step)
    for master, p in zip(masters, model.parameters()):
        master.grad = p.grad.float()
    optimiser.step()
    with torch.no_grad():
        for master, p in zip(masters, model.parameters()):
            p.copy_(master)
            master.grad = None
    truth.note("after step", step)
