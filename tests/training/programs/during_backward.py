# SPDX-License-Identifier: Apache-2.0
"""One of the moments is in the middle of the backward pass, when a gradient has just been made."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(100, 400), nn.Tanh(), nn.Linear(400, 300), nn.Tanh(),
                      nn.Linear(300, 10))
optimiser = torch.optim.RAdam(model.parameters())
truth = Truth(model, optimiser)
step = 0
model[2].weight.register_post_accumulate_grad_hook(
    lambda parameter: truth.note("during backward", step))
for step in range(1, 7):
    x, y = torch.randn(64, 100), torch.randint(0, 10, (64,))
    truth.inputs(x, y)
    loss = nn.functional.cross_entropy(model(x), y)
    truth.note("after forward", step)
    loss.backward()
    truth.note("after backward", step)
    optimiser.step()
    truth.note("after step", step)
    optimiser.zero_grad()
