# SPDX-License-Identifier: Apache-2.0
"""The optimiser calls the forward and the backward pass itself: both run inside of its step."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(100, 400), nn.ReLU(), nn.Linear(400, 200), nn.ReLU(),
                      nn.Linear(200, 10))
optimiser = torch.optim.Adam(model.parameters())
truth = Truth(model, optimiser)
for step in range(1, 7):
    x, y = torch.randn(64, 100), torch.randint(0, 10, (64,))
    truth.inputs(x, y)

    def forward_and_backward():
        optimiser.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        truth.note("after forward", step)
        loss.backward()
        truth.note("after backward", step)
        return loss

    optimiser.step(forward_and_backward)
    truth.note("after step", step)
