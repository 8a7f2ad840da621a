# SPDX-License-Identifier: Apache-2.0
"""A slow copy of the model answers without a graph for data without labels: its answers go through
a softmax and are made sharper before they are subtracted."""
import copy
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(100, 256), nn.ReLU(), nn.Linear(256, 1000))
slow = copy.deepcopy(model).requires_grad_(False)
optimiser = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9)
pictures = torch.randn(2000, 100)
truth = Truth(model, optimiser, states=[list(slow.parameters())], data=[pictures])
for step in range(1, 9):
    x = pictures[torch.randint(0, 2000, (200,))]
    truth.inputs(x)
    with torch.no_grad():
        target = slow(x).softmax(-1) ** 2
        target = target / target.sum(-1, keepdim=True)
    loss = ((model(x).softmax(-1) - target) ** 2).mean()
    truth.note("after forward", step)
    optimiser.zero_grad()
    loss.backward()
    truth.note("after backward", step)
    optimiser.step()
    truth.note("after step", step)
    with torch.no_grad():
        for average, parameter in zip(slow.parameters(), model.parameters()):
            average.mul_(0.99).add_(parameter, alpha=0.01)
