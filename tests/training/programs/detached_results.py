# SPDX-License-Identifier: Apache-2.0
"""Outputs of each batch are kept without their graphs, by detach(), which copies nothing: what was
an activation until its backward pass is a result afterwards."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(64, 256), nn.Tanh(), nn.Linear(256, 100))
optimiser = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9)
truth = Truth(model, optimiser)
outputs, features = [], []
model[1].register_forward_hook(lambda module, given, out: features.append(out.detach()))
for step in range(1, 13):
    x, y = torch.randn(128, 64), torch.randint(0, 100, (128,))
    truth.inputs(x, y)
    scores = model(x)
    loss = nn.functional.cross_entropy(scores, y)
    truth.note("after forward", step)
    optimiser.zero_grad()
    loss.backward()
    outputs.append(scores.detach())
    del scores, loss
    truth.note("after backward", step)
    optimiser.step()
    truth.note("after step", step)
