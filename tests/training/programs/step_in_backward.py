# SPDX-License-Identifier: Apache-2.0
"""Each parameter has an optimiser of its own, which runs as soon as its gradient is there: no
gradient outlives the backward pass, and the state is made in the middle of it."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(100, 400), nn.ReLU(), nn.Linear(400, 200), nn.ReLU(),
                      nn.Linear(200, 10))
optimisers = {parameter: torch.optim.Adam([parameter], foreach=False)
              for parameter in model.parameters()}


def step_at_once(parameter):
    optimisers[parameter].step()
    optimisers[parameter].zero_grad()


for parameter in model.parameters():
    parameter.register_post_accumulate_grad_hook(step_at_once)
truth = Truth(model, states=[optimiser.state for optimiser in optimisers.values()])
for step in range(1, 7):
    x, y = torch.randn(64, 100), torch.randint(0, 10, (64,))
    truth.inputs(x, y)
    loss = nn.functional.cross_entropy(model(x), y)
    truth.note("after forward", step)
    loss.backward()
    truth.note("after backward", step)
