# SPDX-License-Identifier: Apache-2.0
"""The gradients are put into one vector, a direction is computed, and the weights follow it."""
import torch
from torch import nn
from torch.nn.utils import parameters_to_vector, vector_to_parameters
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(100, 400), nn.GELU(), nn.Linear(400, 300), nn.GELU(),
                         nn.Linear(300, 10))
velocity = torch.zeros_like(parameters_to_vector(model.parameters()).detach())
truth = Truth(model, None, states=[velocity])
for step in range(1, 7):
    x, y = torch.randn(64, 100), torch.randint(0, 10, (64,))
    truth.inputs(x, y)
    model.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    truth.note("after forward", step)
    loss.backward()
    truth.note("after backward", step)
    with torch.no_grad():
        direction = parameters_to_vector([p.grad for p in model.parameters()])
        velocity.mul_(0.9).add_(direction)
        weights = parameters_to_vector(model.parameters()) - 0.05 * velocity
        vector_to_parameters(weights, model.parameters())
        del direction, weights
    truth.note("after step", step)
