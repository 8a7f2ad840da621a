# SPDX-License-Identifier: Apache-2.0
"""Modules that make their parameters when they go forward for the first time."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)

model = nn.Sequential(nn.LazyConv2d(16, 3, padding=1), nn.LazyBatchNorm2d(), nn.ReLU(),
                      nn.MaxPool2d(4), nn.Flatten(), nn.LazyLinear(300), nn.ReLU(),
                      nn.LazyLinear(10))
model(torch.randn(2, 3, 32, 32))
optimiser = torch.optim.AdamW(model.parameters())
truth = Truth(model, optimiser)
for step in range(1, 7):
    images, classes = torch.randn(8, 3, 32, 32), torch.randint(0, 10, (8,))
    truth.inputs(images, classes)
    optimiser.zero_grad()
    loss = nn.functional.cross_entropy(model(images), classes)
    truth.note("after forward", step)
    loss.backward()
    truth.note("after backward", step)
    optimiser.step()
    truth.note("after step", step)
